package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evlab/evaluation"
	"evlab/experiments"
)

// evaluator calls evlab.
type evaluator struct {
	binary, data string
	cohort       *cohort
	jobs         int
	runs         int
}

// graded is an evaluation that ended.
type graded struct {
	began   time.Time
	took    time.Duration // of the process, from its start to its end
	records []experiments.Record
}

// evaluate grades predictions and insists that each has a verdict of its tests.
func (e *evaluator) evaluate(ctx context.Context, predictions string) (graded, error) {
	var g graded
	e.runs++
	id := fmt.Sprintf("grading-%d", e.runs)
	g.began = time.Now()
	out, err := output(ctx, "", e.binary, "evaluate", "--tasks", e.cohort.file, "--repos", e.cohort.repos, "--predictions", predictions,
		"--jobs", fmt.Sprint(e.jobs), "--keep-images", "--sandbox", "docker", "--run-id", id, "--data", e.data, "--json", "--progress", "none")
	g.took = time.Since(g.began)
	if err != nil {
		return g, err
	}
	for line := range strings.Lines(out) {
		var l evaluation.Line
		if !strings.HasPrefix(line, `{"type":"prediction"`) { // the totals
			continue
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return g, fmt.Errorf("a line of evlab evaluate: %w", err)
		}
		if l.Cached != "" || l.Verdict != experiments.Resolved && l.Verdict != experiments.Unresolved {
			return g, fmt.Errorf("prediction %s of %s is %s (%s), taken over from %q: there is nothing to measure", l.Task, l.Model, l.Verdict, l.Reason, l.Cached)
		}
	}
	err = filepath.WalkDir(filepath.Join(e.data, "runs", id, "cells"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var r experiments.Record
		if err := json.Unmarshal(data, &r); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		g.records = append(g.records, r)
		return nil
	})
	if err == nil && len(g.records) == 0 {
		err = errors.New("evlab evaluate left no record")
	}
	return g, err
}

// images are those that the commands ran in.
func (g graded) images() []string {
	var all []string
	for _, r := range g.records {
		for _, c := range r.Commands {
			all = append(all, c.Image)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// idle is how long the process lived without a test command: before the first, between commands, and after the last.
func (g graded) idle() (before, between, after time.Duration) {
	type span struct{ from, to time.Time }
	var spans []span
	for _, r := range g.records {
		for _, c := range r.Commands {
			spans = append(spans, span{c.Started, c.Ended})
		}
	}
	if len(spans) == 0 {
		return g.took, 0, 0
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	until := spans[0].from
	before = until.Sub(g.began)
	for _, s := range spans {
		between += max(0, s.from.Sub(until))
		if s.to.After(until) {
			until = s.to
		}
	}
	return before, between, g.began.Add(g.took).Sub(until)
}
