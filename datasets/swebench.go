package datasets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"evlab/evidence"
	"evlab/experiments"
	"evlab/organizer"
)

// maxRows bounds the rows of one file.
const maxRows = 100_000

// ReadSWEBench reads task rows in the form of SWE-bench: JSON lines, a list, or an object keyed by instance_id, told apart
// by content. A row has instance_id, repo, base_commit, problem_statement, patch, test_patch, FAIL_TO_PASS and PASS_TO_PASS
// (a list, or a list as JSON in a string), and optionally created_at, language, FAIL_TO_PASS_QUALIFIED,
// PASS_TO_PASS_QUALIFIED (the same tests with their packages) and pass_to_pass_complete; other fields are left alone,
// hints_text too, since what was said after the issue may give the repair away.
//
// language keeps rows of that language only; a row that has no language field is judged by the names of its test
// files. A row with an id that can't be asked is in Cohort.Excluded with file, line and reason. The error joins what
// is wrong with the file itself: lines that are no object, ids that are missing or unusable, and one id with two contents.
// A row that says what an earlier one says is that one.
func ReadSWEBench(ctx context.Context, tasksFile string, where Repositories, language string) (*Cohort, error) {
	if err := where.check(); err != nil {
		return nil, fmt.Errorf("reading tasks: %w", err)
	}
	r := newRows(tasksFile, language)
	r.find = where.places().find
	err := r.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading tasks: %w", err)
	}
	if r.cohort.PublicDigest, err = experiments.DigestJSON(r.cohort.Tasks); err != nil {
		return nil, fmt.Errorf("reading tasks: %w", err)
	}
	if r.cohort.PrivateDigest, err = experiments.DigestJSON(r.cohort.Private); err != nil {
		return nil, fmt.Errorf("reading tasks: %w", err)
	}
	return r.cohort, nil
}

// cohortName is a tasks file's name as a cohort's.
func cohortName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	name = regexp.MustCompile(`[^A-Za-z0-9._+@=-]+`).ReplaceAllString(name, "-")
	name = strings.TrimLeft(name, "._+@=-")
	if name == "" {
		return "tasks"
	}
	return name[:min(len(name), 100)]
}

// rows is a tasks file being read.
type rows struct {
	faults
	file, language string
	first          map[string]rowID // by fileID
	others         map[string]int   // language -> rows left out
	cohort         *Cohort
	lines, objects int
	// find gives the git directory of a repository that has a commit; nil where nobody asks for it.
	find func(ctx context.Context, repo, commit string) (string, error)
}

// rowID is an id with its line and what its row says.
type rowID struct {
	id, line string
	content  experiments.Digest
}

func newRows(file, language string) *rows {
	r := &rows{file: file, language: language, first: map[string]rowID{}, others: map[string]int{}, cohort: newCohort()}
	r.cohort.Name = cohortName(file)
	return r
}

// read reads the file to its end. The error joins everything that is wrong with it.
func (r *rows) read(ctx context.Context) error {
	if err := expect(r.file, KindTasks); err != nil {
		return err
	}
	document, err := eachRow(r.file, maxLine, &r.faults, func(row row) { r.row(ctx, row) })
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	if document {
		r.noRows(r.lines, r.objects, "entries", "objects with base_commit, in a list or by instance_id")
	} else {
		r.noRows(r.lines, r.objects, "lines", "JSON lines")
	}
	if len(r.cohort.Tasks) == 0 && len(r.errs) == 0 {
		if len(r.others) > 0 {
			r.add(r.file, "no row is of language %q; there are rows of %s", r.language, strings.Join(slices.Sorted(maps.Keys(r.others)), ", "))
		} else {
			r.add(r.file, "it has no rows")
		}
	}
	return r.err()
}

func (r *rows) row(ctx context.Context, row row) {
	at := row.at(r.file)
	if len(r.first) >= maxRows {
		r.add(at, "more than %d rows", maxRows)
		return
	}
	r.lines++
	o, err := parseObject(row.text)
	if err != nil {
		r.add(at, "%w", err)
		return
	}
	r.objects++
	id, there, err := o.text("instance_id")
	if err == nil {
		id, err = taskID(id, there, row.key)
	}
	if err == nil {
		err = experiments.CheckName("task", id)
	}
	if err != nil {
		r.add(at, "%w", err)
		return
	}
	t, p, errs := readRow(id, o)
	content, err := contentOf(t, p, errs)
	if err != nil {
		r.add(at, "%w", err)
		return
	}
	switch first, taken := r.first[fileID(id)]; {
	case taken && first.id == id && first.content == content: // the same task once more
		return
	case taken && first.id == id:
		r.add(at, "instance_id %q is given in line %s already, with other content", id, first.line)
		return
	case taken:
		r.add(at, "%w", clash(id, first.id, "line "+first.line))
		return
	}
	r.first[fileID(id)] = rowID{id, row.lineText(), content}
	if l := canonicalLanguage(r.language); l != "" && t.Language != "" && t.Language != l {
		r.others[t.Language]++
		return
	}
	source := ""
	if t.Language == "" {
		errs = append(errs, errors.New("its language is not given and its test files do not tell; give a language field"))
	}
	if len(errs) == 0 {
		if err := errors.Join(t.Check(), asks(t)); err != nil {
			errs = append(errs, err)
		} else if r.find != nil {
			if source, err = r.find(ctx, t.Repo, t.BaseCommit); err != nil {
				errs = append(errs, err)
			}
		}
	}
	r.cohort.Tasks = append(r.cohort.Tasks, t)
	if len(errs) > 0 {
		r.cohort.exclude(id, at, errs...)
		return
	}
	r.cohort.Private[id], r.cohort.Sources[id] = p, source
}

// contentOf is what a row says of its task, faults among it.
func contentOf(t experiments.Task, p organizer.Private, errs []error) (experiments.Digest, error) {
	return experiments.DigestJSON(struct {
		Task    experiments.Task
		Private organizer.Private
		Faults  string
	}{t, p, oneLine("", errs)})
}

// oneLine joins a row's faults behind its place.
func oneLine(at string, errs []error) string {
	var parts []string
	for _, err := range errs {
		parts = append(parts, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	s := at + ": " + strings.Join(parts, "; ")
	if r := []rune(s); len(r) > 1000 {
		s = string(r[:1000]) + "..."
	}
	return s
}

// readRow reads everything of a row but its id. What it can read it gives, with the faults of the rest.
func readRow(id string, o object) (t experiments.Task, p organizer.Private, errs []error) {
	t.ID = id
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	text := func(key string, required bool) string {
		s, there, err := o.text(key)
		note(err)
		if required && !there {
			note(fmt.Errorf("field %s is missing", key))
		}
		return s
	}
	patch := func(key string) []byte {
		raw, there := o[key]
		if !there {
			note(fmt.Errorf("field %s is missing", key))
			return nil
		}
		b, err := unquote(raw, true)
		if err != nil {
			note(fmt.Errorf("field %s: %w", key, err))
		}
		return b
	}
	names := func(key string) []string {
		list, err := o.testNames(key)
		note(err)
		if err != nil {
			return nil
		}
		if raw, there := o[key+"_QUALIFIED"]; there {
			if list, err = qualified(list, raw); err != nil {
				note(fmt.Errorf("field %s_QUALIFIED: %w", key, err))
			}
		}
		return list
	}
	t.Repo, t.BaseCommit = text("repo", true), text("base_commit", true)
	t.State = evidence.StateCard{Issue: text("problem_statement", true)}
	t.CreatedAt = createdAt(o["created_at"])
	p.Reference, p.Tests.Patch = patch("patch"), patch("test_patch")
	if len(errs) == 0 && strings.TrimSpace(string(p.Reference)) == "" {
		note(errors.New("field patch is empty: expected the reference repair"))
	}
	p.Tests.FailToPass, p.Tests.PassToPass = names("FAIL_TO_PASS"), names("PASS_TO_PASS")
	if len(errs) == 0 && len(p.Tests.FailToPass) == 0 {
		note(errors.New("field FAIL_TO_PASS is empty: expected at least one test"))
	}
	p.Tests.PassToPassComplete = true
	if raw, there := o["pass_to_pass_complete"]; there {
		if err := json.Unmarshal(raw, &p.Tests.PassToPassComplete); err != nil || string(raw) == "null" {
			note(fmt.Errorf("field pass_to_pass_complete: expected true or false, found %s", shown(raw)))
		}
	}
	if t.Language = canonicalLanguage(text("language", false)); t.Language == "" {
		t.Language = guessLanguage(p.Tests.Patch)
	}
	if t.Language == "" {
		t.Language = guessLanguage(p.Reference)
	}
	return t, p, errs
}

// testNames is a list of tests that has to be there, its name in capitals or not. A row with both has to say the same in both.
func (o object) testNames(key string) ([]string, error) {
	var list []string
	first := ""
	for _, key := range []string{key, strings.ToLower(key)} {
		raw, there := o[key]
		if !there || string(raw) == "null" {
			continue
		}
		names, err := testNames(raw)
		switch {
		case err != nil:
			return nil, fmt.Errorf("field %s: %w", key, err)
		case first == "":
			first, list = key, names
		case !sameTests(list, names):
			return nil, differ(first, key)
		}
	}
	if first == "" {
		return nil, fmt.Errorf("field %s is missing; an empty list says that there is none", key)
	}
	return list, nil
}

// createdAt takes a date as text or as a number, as the sources differ; it is shown and never computed with.
func createdAt(raw json.RawMessage) string {
	if len(raw) == 0 || len(raw) > 100 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null" {
		return ""
	}
	if b, err := unquote(raw, false); err == nil {
		return string(b)
	}
	return string(raw)
}
