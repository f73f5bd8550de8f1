package datasets

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"evlab/evidence"
	"evlab/experiments"
	"evlab/organizer"
)

// FolderSchema is the name of the cohort folder's form.
const FolderSchema = "evlab-cohort-v1"

// manifest is cohort.json.
type manifest struct {
	Schema          string   `json:"schema"`
	Name            string   `json:"name"`
	Language        string   `json:"language"`
	ExcludeObserved bool     `json:"exclude_observed"`
	Tasks           []string `json:"tasks"` // ids, in the cohort's order
}

// testsFile is private/tasks/<id>/tests.json.
type testsFile struct {
	FailToPass         []string `json:"fail_to_pass"`
	PassToPass         []string `json:"pass_to_pass"`
	PassToPassComplete *bool    `json:"pass_to_pass_complete"`
}

// script is the form of public/simulated/<id>.json; what it means is the executor's matter.
type script struct {
	Edits []struct {
		Path      string   `json:"path"`
		Before    string   `json:"before"`
		After     string   `json:"after"`
		Otherwise string   `json:"otherwise"`
		Needs     []string `json:"needs"`
	} `json:"edits"`
	Ask *evidence.Ask `json:"ask"`
}

// folder is a cohort folder being read.
type folder struct {
	faults
	name   string // of the folder, for messages
	listed tree
	cohort *Cohort
}

var commitFile = regexp.MustCompile(`^([0-9]{4})-[A-Za-z0-9._-]+\.txtar$`)

// ReadFolder reads a cohort folder (evlab-cohort-v1) and builds its repositories under scratch, where a repository
// that was built from the same files before is taken as it is. name is what messages call the folder. trusted is the
// caller's word: a folder can't declare itself trusted. The error joins every fault, each with file and place.
func ReadFolder(ctx context.Context, fsys fs.FS, name, scratch string, trusted bool) (*Cohort, error) {
	f := &folder{name: name, cohort: newCohort()}
	f.listed = list(fsys, &f.faults)
	if err := f.err(); err != nil {
		return nil, fmt.Errorf("reading cohort %s: %w", name, err)
	}
	m := f.manifest()
	f.cohort.Name, f.cohort.Trusted, f.cohort.ExcludeObserved = m.Name, trusted, m.ExcludeObserved
	for _, id := range m.Tasks {
		f.task(id)
	}
	f.strays(m)
	histories := f.histories()
	if err := f.err(); err != nil {
		return nil, fmt.Errorf("reading cohort %s: %w", name, err)
	}
	if err := f.build(ctx, scratch, histories); err != nil {
		return nil, fmt.Errorf("reading cohort %s: %w", name, err)
	}
	if err := f.err(); err != nil {
		return nil, fmt.Errorf("reading cohort %s: %w", name, err)
	}
	f.cohort.PublicDigest = f.listed.digest("cohort.json", "public/")
	f.cohort.PrivateDigest = f.listed.digest("private/")
	return f.cohort, nil
}

func (f *folder) manifest() (m manifest) {
	const file = "cohort.json"
	if !f.decode(file, &m) {
		return m
	}
	if m.Schema != FolderSchema {
		f.add(file, "schema %.60q: expected %q", m.Schema, FolderSchema)
	}
	if err := experiments.CheckName("cohort", m.Name); err != nil {
		f.add(file, "%w", err)
	}
	if m.Language != "go" {
		f.add(file, `language %.40q: expected "go"`, m.Language)
	}
	if len(m.Tasks) == 0 {
		f.add(file, "tasks: expected at least one task id")
	}
	seen := map[string]string{}
	m.Tasks = slices.DeleteFunc(m.Tasks, func(id string) bool {
		err := experiments.CheckName("task", id)
		first, taken := seen[fileID(id)]
		switch {
		case err != nil:
			f.add(file, "%w", err)
		case taken && first == id:
			f.add(file, "tasks: %q is given twice", id)
		case taken:
			f.add(file, "tasks: %q and %q would be one file where case does not count", first, id)
		default:
			seen[fileID(id)] = id
		}
		return err != nil || taken
	})
	f.cohort.Certified = len(m.Tasks) > 0
	return m
}

// decode reads one JSON file of the folder.
func (f *folder) decode(file string, v any) bool {
	data, ok := f.listed.read(file)
	if !ok {
		f.add(file, "it is missing")
		return false
	}
	return decode(file, data, v, &f.faults)
}

// task reads all files of one task.
func (f *folder) task(id string) {
	var t experiments.Task
	file := "public/tasks/" + id + ".json"
	if f.decode(file, &t) {
		if err := errors.Join(t.Check(), asks(t)); err != nil {
			f.add(file, "%w", err)
		}
		if t.ID != id {
			f.add(file, "id %.60q: expected %q, the file's name", t.ID, id)
		}
		if err := experiments.CheckName("repository", t.Repo); err != nil {
			f.add(file, "%w", err)
		}
	}
	f.cohort.Tasks = append(f.cohort.Tasks, t)
	file = "public/simulated/" + id + ".json"
	if data, ok := f.listed.read(file); ok {
		var s script
		if decode(file, data, &s, &f.faults) && len(s.Edits) == 0 {
			f.add(file, "edits: expected at least one edit")
		}
		f.cohort.Simulated[id] = data
	}
	f.cohort.Private[id] = f.private(id)
}

// private reads the organizer's side of one task.
func (f *folder) private(id string) (p organizer.Private) {
	dir := "private/tasks/" + id + "/"
	var tests testsFile
	file := dir + "tests.json"
	if f.decode(file, &tests) {
		if len(tests.FailToPass) == 0 {
			f.add(file, "fail_to_pass: expected at least one test")
		}
		if tests.PassToPass == nil {
			f.add(file, "pass_to_pass is missing; an empty list says that there is none")
		}
		if tests.PassToPassComplete == nil {
			f.add(file, "pass_to_pass_complete is missing: expected true or false")
		} else {
			p.Tests.PassToPassComplete = *tests.PassToPassComplete
		}
		seen := map[string]string{}
		for _, l := range []struct {
			field string
			names []string
		}{{"fail_to_pass", tests.FailToPass}, {"pass_to_pass", tests.PassToPass}} {
			for i, name := range l.names {
				at := fmt.Sprintf("%s[%d]", l.field, i)
				if err := checkTestName(name); err != nil {
					f.add(file, "%s: %w", at, err)
				} else if seen[name] != "" {
					f.add(file, "%s: %q is %s, too", at, name, seen[name])
				}
				seen[name] = at
			}
		}
		p.Tests.FailToPass, p.Tests.PassToPass = tests.FailToPass, tests.PassToPass
	}
	for _, patch := range []struct {
		file string
		to   *[]byte
	}{{"tests.patch", &p.Tests.Patch}, {"reference.patch", &p.Reference}} {
		data, ok := f.listed.read(dir + patch.file)
		if !ok || strings.TrimSpace(string(data)) == "" {
			f.add(dir+patch.file, "it is missing or empty: expected a git diff against the base commit")
		}
		*patch.to = data
	}
	file = dir + "certificate.json"
	if data, ok := f.listed.read(file); ok {
		var err error
		p.Certificate, err = organizer.ParseCertificate(file, data)
		f.join(err)
	} else {
		f.cohort.Certified = false
	}
	return p
}

// maxTestName bounds a test's name in bytes: the parameters of a test may be whole texts. Reports are read with a bound of
// their own above it.
const maxTestName = 12 << 10

// checkTestName reports why name can't be a test's name.
func checkTestName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return fmt.Errorf("the test name %q is blank", name)
	case len(name) > maxTestName:
		return fmt.Errorf("the test name %.40q... has %d bytes; at most %d are read", name, len(name), maxTestName)
	case strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("the test name %.60q has a control character", name)
	}
	return nil
}

// strays reports files that nothing refers to: a misspelt name would be a task without its script.
func (f *folder) strays(m manifest) {
	known := map[string]bool{"cohort.json": true}
	for _, id := range m.Tasks {
		known["public/tasks/"+id+".json"], known["public/simulated/"+id+".json"] = true, true
		for _, file := range []string{"certificate.json", "tests.json", "tests.patch", "reference.patch"} {
			known["private/tasks/"+id+"/"+file] = true
		}
	}
	for _, file := range f.listed.files {
		name := path.Base(file)
		if known[file] || name == "README.md" || name == "LICENSE" || name == "NOTICE" {
			continue
		}
		if parts := strings.Split(file, "/"); len(parts) == 4 && parts[0] == "public" && parts[1] == "repos" && commitFile.MatchString(name) {
			continue
		}
		f.add(file, "nothing refers to this file: expected cohort.json, public/repos/<name>/NNNN-slug.txtar, public/tasks/<id>.json, "+
			"public/simulated/<id>.json or private/tasks/<id>/{certificate.json,tests.json,tests.patch,reference.patch} with an id of cohort.json")
	}
}
