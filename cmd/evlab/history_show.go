package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/terminal"
)

// artifactKinds are what --show takes, besides the digests that a history prints. What a cell has several of is numbered
// by round, or named by its phase of testing.
var artifactKinds = []string{"patch", "prompt", "reply", "evidence", "log", "stderr", "report"}

// cellArtifact is one artifact that a record names. All of them are in the public store: what the organizer keeps to
// himself is in no record.
type cellArtifact struct {
	cell, name string
	digest     experiments.Digest
}

// String is the artifact in the list of what there is.
func (c cellArtifact) String() string {
	return fmt.Sprintf("%-22s %s  %s", c.name, c.digest.Short(), c.cell)
}

// artifactsOf lists what a record names, in the order in which it came about.
func artifactsOf(r *experiments.Record) []cellArtifact {
	var all []cellArtifact
	add := func(name string, d experiments.Digest) {
		if d != "" {
			all = append(all, cellArtifact{r.Cell.ID(), name, d})
		}
	}
	for _, round := range r.Rounds {
		n := fmt.Sprint(round.Number)
		add("evidence-"+n, round.EvidenceText)
		add("prompt-"+n, round.Prompt)
		add("reply-"+n, round.Reply)
	}
	add("patch", r.Patch)
	for _, c := range r.Commands {
		add("log-"+c.Phase, c.Log)
		add("stderr-"+c.Phase, c.Stderr)
		add("report-"+c.Phase, c.Report)
	}
	return all
}

// is reports whether the artifact is what was asked for: by name, by kind, or by the beginning of its digest.
func (c cellArtifact) is(asked string) bool {
	const least = 6 // digits of a digest that say something
	return c.name == asked || slices.Contains(artifactKinds, asked) && strings.HasPrefix(c.name, asked+"-") ||
		len(asked) >= least && strings.HasPrefix(string(c.digest), asked)
}

// showArtifact writes the one artifact of the history's cells that was asked for: as it is, or escaped on a terminal.
func (a *app) showArtifact(ctx context.Context, public *artifacts.Store, contract *experiments.Contract, h *taskHistory, asked string) error {
	var there, found []cellArtifact
	for _, r := range h.Records {
		for _, c := range artifactsOf(r) {
			there = append(there, c)
			// One command may have answered both phases: what has the same bytes is one artifact.
			if c.is(asked) && !slices.ContainsFunc(found, func(other cellArtifact) bool { return other.digest == c.digest }) {
				found = append(found, c)
			}
		}
	}
	if len(found) != 1 {
		return notOneArtifact(contract, h, asked, there, found)
	}
	one := found[0]
	data, err := public.Get(ctx, one.digest)
	if err != nil {
		return &failure{Code: exitDrift, Msg: err.Error(), Err: err, Hint: "the record of " + one.cell + " names it; evlab run --fresh makes it anew"}
	}
	if a.json {
		return a.printJSON(newArtifactObject(h.RunID, one, data))
	}
	return writeArtifact(a.stdout, data, terminal.IsTerminal(raw(a.stdout)))
}

// writeArtifact writes bytes that came from a model or a repository: never unescaped to a terminal, never changed else.
func writeArtifact(w io.Writer, data []byte, tty bool) error {
	if tty {
		text := terminal.SafeLines(string(data))
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		data = []byte(text)
	}
	_, err := w.Write(data)
	return err
}

// artifactObject is the JSON form of an artifact: its bytes are Text, or Base64 when they are no UTF-8.
type artifactObject struct {
	Type   string             `json:"type"` // artifact
	RunID  string             `json:"run_id"`
	Cell   string             `json:"cell"`
	Name   string             `json:"name"`
	Digest experiments.Digest `json:"digest"`
	Bytes  int                `json:"bytes"`
	Text   string             `json:"text,omitempty"`
	Base64 string             `json:"base64,omitempty"`
}

func newArtifactObject(run string, c cellArtifact, data []byte) artifactObject {
	o := artifactObject{Type: "artifact", RunID: run, Cell: c.cell, Name: c.name, Digest: c.digest, Bytes: len(data)}
	if utf8.Valid(data) {
		o.Text = string(data)
	} else {
		o.Base64 = base64.StdEncoding.EncodeToString(data)
	}
	return o
}

// notOneArtifact says why there is nothing to show, or too much, and what there is.
func notOneArtifact(contract *experiments.Contract, h *taskHistory, asked string, there, found []cellArtifact) error {
	where := fmt.Sprintf("task %s in run %s", h.Task, h.RunID)
	list := there
	var f *failure
	switch {
	case len(h.Records) == 0:
		return &failure{Code: exitNothing, Msg: where + " has no record yet, so there is nothing to show", Hint: "evlab status " + h.RunID + " says how far the run is"}
	case len(found) > 1:
		list = found
		f = usage(fmt.Sprintf("name the cell and one of these, by name or by digest: evlab history %s %s --show %s", h.RunID,
			strings.Replace(found[0].cell, "/", " ", 1), found[0].name), "%s has %d artifacts that --show %s could mean:", where, len(found), asked)
	case ofOrganizer(contract, h.Task, asked):
		return usage("--show takes what a history names: "+strings.Join(artifactKinds, ", "),
			"%s is the organizer's side of task %s (hidden tests, reference repair, certificate): no history shows it", asked, h.Task)
	case len(there) == 0:
		f = usage("--show takes one of "+strings.Join(artifactKinds, ", ")+", or a digest",
			"%s has no artifact %q: nothing was shown to anybody and no test was run", where, asked)
	case slices.Contains(artifactKinds, asked): // a right name, so no other was meant
		f = usage("--show takes a name of this list, or a digest", "%s has no %s; it has:", where, asked)
	default:
		var names []string
		for _, c := range there {
			names = append(names, c.name)
		}
		f = usage("--show takes one of "+strings.Join(artifactKinds, ", ")+", a name of this list, or a digest",
			"%s has no artifact %q%s; it has:", where, asked, experiments.Suggest(asked, append(names, artifactKinds...)))
	}
	const most = 40
	for i, c := range list {
		if i == most {
			f.Faults = append(f.Faults, fmt.Errorf("and %d more: name a cell", len(list)-most))
			break
		}
		f.Faults = append(f.Faults, listed(c.String()))
	}
	return f
}

// listed is a line of a failure's list.
type listed string

func (l listed) Error() string { return string(l) }

// MarshalText makes it a string in JSON, too.
func (l listed) MarshalText() ([]byte, error) { return []byte(l), nil }

// ofOrganizer reports whether a digest is that of a task's private side.
func ofOrganizer(c *experiments.Contract, task, digest string) bool {
	frozen, ok := c.Task(task)
	return ok && len(digest) >= 12 && strings.HasPrefix(string(frozen.Private), digest)
}
