package cohorts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"evlab/cohorts"
	"evlab/evidence"
	"evlab/experiments"
	"evlab/organizer"
	"evlab/repos"
)

var update = flag.Bool("update", false, "write the base_commit of every demo task anew, after a change to the histories")

// baseOf says at which commit of its repository each task stands; the commit is named by its file.
var baseOf = map[string]string{
	"ledger-tax-cent":        "0005-split",
	"ledger-apostrophe-pile": "0004-invoice",
	"relay-retry-burst":      "0005-config-defaults",
	"relay-overtaken-update": "0004-sign",
	"relay-all-too-large":    "0005-config-defaults",
	"logpack-sweep-wipes":    "0004-retain",
	"logpack-silent-loss":    "0003-store",
	"logpack-seek-shifted":   "0004-retain",
	"quern-saved-apostrophe": "0004-format",
	"quern-lost-brackets":    "0004-format",
	"calgrid-broken-letters": "0004-agenda",
	"calgrid-last-standup":   "0004-agenda",
}

// scratch is the folder that holds everything the tests build; TestMain removes it.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if scratch, err = os.MkdirTemp("", "evlab-cohorts-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(scratch); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// demoTask is one task with all that the tests need of it.
type demoTask struct {
	experiments.Task
	mirror    *repos.Mirror
	files     []repos.File // of the base tree
	units     []evidence.Unit
	cert      *organizer.Certificate
	tests     organizer.Tests
	reference []byte
	script    []byte
	edits     []edit
	ask       evidence.Ask
}

// edit is one edit of the simulated reader's file.
type edit struct {
	Path      string   `json:"path"`
	Before    string   `json:"before"`
	After     string   `json:"after"`
	Otherwise string   `json:"otherwise"`
	Needs     []string `json:"needs"`
}

// demo is the whole cohort, built once.
type demo struct {
	order []string
	repos map[string]*history
	tasks []*demoTask
}

// history is one built repository.
type history struct {
	slugs   []string // names of the commit files, in order
	commits []repos.Commit
	heads   []string
	mirror  *repos.Mirror
}

func (h *history) head(slug string) string {
	if i := slices.Index(h.slugs, slug); i >= 0 {
		return h.heads[i]
	}
	return ""
}

var built = sync.OnceValues(build)

func load(t *testing.T) *demo {
	t.Helper()
	d, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func build() (*demo, error) {
	ctx := context.Background()
	var cohort struct {
		Schema          string   `json:"schema"`
		Name            string   `json:"name"`
		Language        string   `json:"language"`
		ExcludeObserved bool     `json:"exclude_observed"`
		Tasks           []string `json:"tasks"`
	}
	if err := decode("cohort.json", &cohort); err != nil {
		return nil, err
	}
	d := &demo{order: cohort.Tasks, repos: map[string]*history{}}
	if cohort.Schema != "evlab-cohort-v1" || cohort.Name != "demo" || cohort.Language != "go" || !cohort.ExcludeObserved {
		return nil, fmt.Errorf("cohort.json: unexpected %+v", cohort)
	}
	entries, err := fs.ReadDir(cohorts.Demo, "demo/public/repos")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		h, err := readHistory(ctx, e.Name(), filepath.Join(scratch, e.Name()+".git"))
		if err != nil {
			return nil, err
		}
		d.repos[e.Name()] = h
	}
	for _, id := range cohort.Tasks {
		t, err := d.task(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", id, err)
		}
		d.tasks = append(d.tasks, t)
	}
	return d, nil
}

func readHistory(ctx context.Context, name, dir string) (*history, error) {
	folder := "demo/public/repos/" + name
	entries, err := fs.ReadDir(cohorts.Demo, folder)
	if err != nil {
		return nil, err
	}
	h := &history{}
	for _, e := range entries { // in order of name
		data, err := cohorts.Demo.ReadFile(folder + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		c, err := repos.ParseCommit(e.Name(), data)
		if err != nil {
			return nil, err
		}
		h.slugs = append(h.slugs, e.Name()[:len(e.Name())-len(path.Ext(e.Name()))])
		h.commits = append(h.commits, c)
	}
	if h.heads, err = repos.BuildHistory(ctx, dir, h.commits); err != nil {
		return nil, fmt.Errorf("building %s: %w", name, err)
	}
	h.mirror, err = repos.Open(ctx, dir)
	return h, err
}

func (d *demo) task(ctx context.Context, id string) (*demoTask, error) {
	t := &demoTask{}
	if err := decode("public/tasks/"+id+".json", &t.Task); err != nil {
		return nil, err
	}
	h := d.repos[t.Repo]
	if h == nil {
		return nil, fmt.Errorf("there is no repository %q", t.Repo)
	}
	base := h.head(baseOf[id])
	if base == "" {
		return nil, fmt.Errorf("baseOf names the commit %q, which %s does not have", baseOf[id], t.Repo)
	}
	if *update && base != t.BaseCommit {
		if err := rewriteBase("demo/public/tasks/"+id+".json", t.BaseCommit, base); err != nil {
			return nil, err
		}
		t.BaseCommit = base
	}
	t.mirror = h.mirror
	var err error
	if t.files, err = h.mirror.Files(ctx, base, nil); err != nil {
		return nil, err
	}
	t.units = evidence.Segment(evidenceFiles(t.files))
	private := "private/tasks/" + id + "/"
	data, err := cohorts.Demo.ReadFile("demo/" + private + "certificate.json")
	if err != nil {
		return nil, err
	}
	if t.cert, err = organizer.ParseCertificate(id, data); err != nil {
		return nil, err
	}
	var names struct {
		FailToPass         []string `json:"fail_to_pass"`
		PassToPass         []string `json:"pass_to_pass"`
		PassToPassComplete bool     `json:"pass_to_pass_complete"`
	}
	if err := decode(private+"tests.json", &names); err != nil {
		return nil, err
	}
	t.tests = organizer.Tests{FailToPass: names.FailToPass, PassToPass: names.PassToPass, PassToPassComplete: names.PassToPassComplete}
	if t.tests.Patch, err = cohorts.Demo.ReadFile("demo/" + private + "tests.patch"); err != nil {
		return nil, err
	}
	if t.reference, err = cohorts.Demo.ReadFile("demo/" + private + "reference.patch"); err != nil {
		return nil, err
	}
	if t.script, err = cohorts.Demo.ReadFile("demo/public/simulated/" + id + ".json"); err != nil {
		return nil, err
	}
	var script struct {
		Edits []edit       `json:"edits"`
		Ask   evidence.Ask `json:"ask"`
	}
	err = decode("public/simulated/"+id+".json", &script)
	t.edits, t.ask = script.Edits, script.Ask
	return t, err
}

func evidenceFiles(files []repos.File) []evidence.File {
	out := make([]evidence.File, len(files))
	for i, f := range files {
		out[i] = evidence.File{Path: f.Path, Content: f.Content}
	}
	return out
}

// decode reads one JSON file of the demo, with no field that the type doesn't know.
func decode(name string, into any) error {
	data, err := cohorts.Demo.ReadFile("demo/" + name)
	if err != nil {
		return err
	}
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// rewriteBase puts another commit id into a task's file and leaves every other byte alone.
func rewriteBase(file, from, to string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if bytes.Count(data, []byte(`"`+from+`"`)) != 1 {
		return errors.New(file + ": the commit id to replace does not occur once")
	}
	return os.WriteFile(file, bytes.Replace(data, []byte(from), []byte(to), 1), 0o644)
}
