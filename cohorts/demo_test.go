package cohorts_test

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"evlab/cohorts"
	"evlab/datasets"
	"evlab/evidence"
	"evlab/organizer"
	"evlab/repos"
)

// TestDemoEmbed holds what makes the embedded bytes the same on every system.
func TestDemoEmbed(t *testing.T) {
	name := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]$`)
	reserved := regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)
	lower := map[string]string{}
	files := 0
	err := fs.WalkDir(cohorts.Demo, "demo", func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := path.Base(p); !name.MatchString(base) || reserved.MatchString(base) || len(p) > 120 {
			t.Errorf("%s: not a file name on every system", p)
		}
		if other, taken := lower[strings.ToLower(p)]; taken {
			t.Errorf("%s and %s differ in case only", p, other)
		}
		lower[strings.ToLower(p)] = p
		if e.IsDir() {
			return nil
		}
		files++
		data, err := cohorts.Demo.ReadFile(p)
		if err != nil {
			return err
		}
		if strings.Contains(string(data), "\r") || !strings.HasSuffix(string(data), "\n") {
			t.Errorf("%s: expected lines that end with a line feed alone", p)
		}
		onDisk, err := os.ReadFile(filepath.FromSlash(p))
		if err != nil || string(onDisk) != string(data) {
			t.Errorf("%s is embedded with other bytes than on disk (%v)", p, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 60 {
		t.Errorf("%d files are embedded", files)
	}
	attributes, err := os.ReadFile(".gitattributes")
	if err != nil || !strings.Contains(string(attributes), "demo/** -text\n") {
		t.Errorf("git may convert the demo's line ends: %s, %v", attributes, err)
	}
}

// TestDemoFolder holds the format: the tasks of cohort.json and those of the two sides are the same.
func TestDemoFolder(t *testing.T) {
	d := load(t)
	if len(d.order) != 12 || len(d.repos) != 5 || len(baseOf) != 12 {
		t.Errorf("%d tasks, %d repositories, %d bases", len(d.order), len(d.repos), len(baseOf))
	}
	want := slices.Sorted(slices.Values(d.order))
	for _, folder := range []string{"public/tasks", "public/simulated", "private/tasks"} {
		entries, err := fs.ReadDir(cohorts.Demo, "demo/"+folder)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, e := range entries {
			ids = append(ids, strings.TrimSuffix(e.Name(), ".json"))
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s holds %v, cohort.json lists %v", folder, ids, want)
		}
	}
	readme, err := cohorts.Demo.ReadFile("demo/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range d.tasks {
		if err := task.Check(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(string(readme), "| "+task.ID+" |") {
			t.Errorf("README.md has no row for %s", task.ID)
		}
	}
}

// TestDemoIsRead reads the folder as a user's run does.
func TestDemoIsRead(t *testing.T) {
	folder, err := fs.Sub(cohorts.Demo, "demo")
	if err != nil {
		t.Fatal(err)
	}
	c, err := datasets.ReadFolder(context.Background(), folder, "demo", t.TempDir(), true)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Tasks) != 12 || len(c.Private) != 12 || len(c.Simulated) != 12 || len(c.Excluded) != 0 || !c.Certified || !c.ExcludeObserved {
		t.Errorf("%d tasks, %d private, %d simulated, excluded %v, certified %v", len(c.Tasks), len(c.Private), len(c.Simulated),
			c.Excluded, c.Certified)
	}
}

// TestDemoHistories builds every repository a second time: ids are the same, and they are the tasks' base commits.
func TestDemoHistories(t *testing.T) {
	d := load(t)
	for name, h := range d.repos {
		again, err := repos.BuildHistory(context.Background(), filepath.Join(t.TempDir(), name), h.commits)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again, h.heads) {
			t.Errorf("%s: %v, then %v", name, h.heads, again)
		}
		if len(h.commits) < 3 || len(h.commits) > 6 {
			t.Errorf("%s has %d commits", name, len(h.commits))
		}
		for i := 1; i < len(h.commits); i++ {
			if !h.commits[i].Date.After(h.commits[i-1].Date) {
				t.Errorf("%s: commit %s is not later than the one before", name, h.slugs[i])
			}
		}
	}
	for _, task := range d.tasks {
		h := d.repos[task.Repo]
		if want := h.head(baseOf[task.ID]); task.BaseCommit != want {
			t.Errorf("%s: base_commit is %s, and %s of %s is %s; go test ./cohorts -run TestDemo -update writes it anew",
				task.ID, task.BaseCommit, baseOf[task.ID], task.Repo, want)
		}
		created, err := time.Parse(time.RFC3339, task.CreatedAt)
		if err != nil || !created.After(h.commits[slices.Index(h.slugs, baseOf[task.ID])].Date) {
			t.Errorf("%s: created_at %q is not after its base commit (%v)", task.ID, task.CreatedAt, err)
		}
	}
}

// TestDemoCertificates holds the certificates against the units of the base commits.
func TestDemoCertificates(t *testing.T) {
	d := load(t)
	groups := map[int]int{} // tasks by their number of groups
	apart, branched, several := 0, 0, 0
	for _, task := range d.tasks {
		c := task.cert
		if err := c.CheckUnits(task.units); err != nil {
			t.Error(err)
		}
		if c.StateID != task.ID {
			t.Errorf("%s: its certificate is of %s", task.ID, c.StateID)
		}
		if len(task.units) < 40 {
			t.Errorf("%s: its base tree has %d units", task.ID, len(task.units))
		}
		known := map[string]bool{}
		for _, u := range task.units {
			known[u.ID] = true
		}
		for _, id := range task.State.Observed {
			if !known[id] {
				t.Errorf("%s: it observed %s, which is no unit", task.ID, id)
			}
		}
		for _, p := range task.State.OpenedFiles {
			if !slices.ContainsFunc(task.files, func(f repos.File) bool { return f.Path == p }) {
				t.Errorf("%s: it opened %s, which is no file", task.ID, p)
			}
		}
		weights, folders := map[float64]bool{}, map[string]bool{}
		for _, g := range c.Groups {
			weights[g.NecessityWeight] = true
			if len(g.AcceptableIDs) > 1 {
				several++
			}
			if g.Role == "" || g.Rationale == "" || len(g.Quotes) == 0 {
				t.Errorf("%s: group %s lacks a role, a rationale or quotes", task.ID, g.ID)
			}
			folders[strings.Split(g.AcceptableIDs[0], "#")[0]] = true
			for _, id := range g.AcceptableIDs {
				if slices.Contains(task.State.Observed, id) {
					t.Errorf("%s: group %s accepts %s, which was observed already", task.ID, g.ID, id)
				}
			}
		}
		if len(weights) != len(c.Groups) {
			t.Errorf("%s: two groups weigh the same", task.ID)
		}
		groups[len(c.Groups)]++
		if len(folders) > 1 {
			apart++
		}
		if len(c.AlternativeMinimalSets) > 0 {
			branched++
		}
	}
	if groups[1] == 0 || groups[2] == 0 || groups[3] == 0 || len(groups) != 3 {
		t.Errorf("numbers of groups: %v", groups)
	}
	if apart < 5 || branched < 2 || several < 2 {
		t.Errorf("%d tasks with facts in several files, %d with alternative sets, %d groups with several units", apart, branched, several)
	}
}

// TestDemoOracles builds both diagnostic bundles at the paper's settings.
func TestDemoOracles(t *testing.T) {
	for _, task := range load(t).tasks {
		r := organizer.BundleRequest{
			Certificate: task.cert, Units: task.units, Observed: task.State.Observed,
			Items: 8, MaxItems: 8, Ceiling: 6144, Reference: "document order",
		}
		for _, u := range task.units {
			r.Base = append(r.Base, u.ID)
		}
		full, err := organizer.OracleMSS(r)
		if err != nil {
			t.Errorf("%s: %v", task.ID, err)
			continue
		}
		less, err := organizer.OracleMinusGroup(r)
		if err != nil {
			t.Errorf("%s: %v", task.ID, err)
			continue
		}
		if tree := task.propose(t, full.IDs); task.judge(t, tree) != nil {
			t.Errorf("%s: the reader fails with the complete bundle", task.ID)
		}
		if tree := task.propose(t, less.IDs); task.judge(t, tree) == nil {
			t.Errorf("%s: the reader succeeds without group %s", task.ID, less.Report.DroppedGroup)
		}
	}
}

// TestDemoSegmentsAlike holds that no two units of a base tree share an id.
func TestDemoSegmentsAlike(t *testing.T) {
	for _, task := range load(t).tasks {
		again := evidence.Segment(evidenceFiles(task.files))
		seen := map[string]bool{}
		for i, u := range task.units {
			if seen[u.ID] || again[i].ID != u.ID || again[i].SHA256 != u.SHA256 {
				t.Errorf("%s: %s is there twice or not always the same", task.ID, u.ID)
			}
			seen[u.ID] = true
		}
	}
}
