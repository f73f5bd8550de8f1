package specfile_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"evlab/experiments"
	"evlab/experiments/specfile"
)

var update = flag.Bool("update", false, "write what the tests see into testdata")

// TestFaults reads each testdata/*.txtar: spec.yaml is the file, want the faults, other files are there to be found.
func TestFaults(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatalf("found %d archives, %v", len(archives), err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(archive)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var want string
			for _, f := range a.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				write(t, filepath.Join(dir, f.Name), string(f.Data))
			}
			_, err = specfile.Read(filepath.Join(dir, "spec.yaml"), specfile.Overrides{Cohorts: []string{"demo"}})
			if err == nil {
				t.Fatal("the file was accepted")
			}
			got := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "") + "\n"
			if *update {
				files := a.Files[:0]
				for _, f := range a.Files {
					if f.Name != "want" {
						files = append(files, f)
					}
				}
				a.Files = append(files, txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(archive, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const minimal = "name: m\ncohort: demo\nconditions: [bm25, none]\nexecutors: [simulated]\n"

func mustParse(t *testing.T, text string, o specfile.Overrides) *specfile.Loaded {
	t.Helper()
	l, err := specfile.Parse(filepath.Join(t.TempDir(), "spec.yaml"), []byte(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestUnsaidValuesAreTheDefaults(t *testing.T) {
	got := mustParse(t, minimal, specfile.Overrides{}).Spec
	want := experiments.Defaults()
	want.Name = "m"
	want.Cohort.Name = "demo"
	want.Conditions = []experiments.ConditionSpec{{Name: "bm25", Kind: "bm25", K1: 1.2, B: 0.75}, {Name: "none", Kind: "none"}}
	want.Executors = []experiments.ExecutorSpec{{Name: "simulated", Kind: "simulated"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestWrittenZerosStay(t *testing.T) {
	s := mustParse(t, strings.Replace(minimal, "bm25,", "{kind: bm25, b: 0, k1: 0},", 1)+
		"contrasts: [{metric: strict, a: bm25, b: none, seed: 0}]\n", specfile.Overrides{}).Spec
	if c := s.Conditions[0]; c.B != 0 || c.K1 != 0 {
		t.Errorf("b and k1 are %v and %v; the file says 0", c.B, c.K1)
	}
	if s.Contrasts[0].Seed != 0 || s.Contrasts[0].Draws != 20000 {
		t.Errorf("seed and draws are %d and %d; want the file's 0 and the default 20000", s.Contrasts[0].Seed, s.Contrasts[0].Draws)
	}
}

func TestEveryTypeIsRead(t *testing.T) {
	s := mustParse(t, `
name: all
cohort: {name: demo}
tasks: ["1", b]
conditions: [{name: x, kind: bm25, k1: 2, b: 0.5}, {name: y, kind: oracle-mss, max_items: 6}, "none"]
executors: [{name: s, kind: simulated}]
replicates: 3
tracks: {repair: {rounds: 2, pass_to_pass: always, overflow: stop}}
limits: {step_timeout: 1h30m, memory: 512MiB, scratch: 67108864, cpus: 2, processes: 64}
contrasts: [{metric: strict, a: x, b: y, seed: 18446744073709551615, unit: repository}]
concurrency: {steps: 4}
engine: "[::1]:7233"
`, specfile.Overrides{}).Spec
	want := experiments.Defaults()
	want.Name, want.Cohort.Name, want.Tasks, want.Replicates = "all", "demo", []string{"1", "b"}, 3
	want.Conditions = []experiments.ConditionSpec{
		{Name: "x", Kind: "bm25", K1: 2, B: 0.5},
		{Name: "y", Kind: "oracle-mss", K1: 1.2, B: 0.75, Reference: "bm25", MaxItems: 6},
		{Name: "none", Kind: "none"},
	}
	want.Executors = []experiments.ExecutorSpec{{Name: "s", Kind: "simulated"}}
	want.Tracks.Repair.Rounds, want.Tracks.Repair.PassToPass, want.Tracks.Repair.Overflow = 2, "always", "stop"
	want.Limits = experiments.Limits{
		StepTimeout: 90 * time.Minute, Memory: 512 << 20, Scratch: 64 << 20, Log: 64 << 20, Processes: 64, CPUs: 2,
	}
	want.Contrasts = []experiments.ContrastSpec{
		{Metric: "strict", A: "x", B: "y", Executor: "s", Unit: "repository", Draws: 20000, Seed: 1<<64 - 1},
	}
	want.Concurrency.Steps, want.Engine = 4, "[::1]:7233"
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

func TestBareCohort(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]experiments.CohortSource{
		"demo":                                 {Name: "demo"},
		"./folder":                             {Path: filepath.Join(dir, "folder")},
		"../" + filepath.Base(dir) + "/folder": {Path: filepath.Join(dir, "folder")},
		dir + "/folder":                        {Path: filepath.Join(dir, "folder")},
	} {
		text := strings.Replace(minimal, "cohort: demo", "cohort: "+word, 1)
		l, err := specfile.Parse(filepath.Join(dir, "spec.yaml"), []byte(text), specfile.Overrides{})
		if err != nil {
			t.Errorf("%s: %v", word, err)
		} else if l.Spec.Cohort != want {
			t.Errorf("%s is %+v, want %+v", word, l.Spec.Cohort, want)
		}
	}
}

func TestBytesThatAreNotText(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"byte order mark": {"\xef\xbb\xbf" + minimal, "f:1:1: the file begins with a byte order mark"},
		"UTF-16":          {"\xff\xfen\x00", "f:1:1: the file is UTF-16"},
		"latin-1":         {minimal + "# caf\xe9\n", "f:5:6: byte 0xe9 is not UTF-8"},
		"NUL":             {minimal + "a\x00b", "f:5:2: control character 0x00"},
		"empty":           {"", "f: the file is empty"},
		"too large":       {minimal + strings.Repeat("#\n", specfile.MaxSize/2), "f: it is larger than 1 MiB"},
	} {
		_, err := specfile.Parse("f", []byte(c.text), specfile.Overrides{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s...", name, err, c.want)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for file, want := range map[string]string{
		dir:                            "it is a folder",
		filepath.Join(dir, "missing"):  "there is no such file",
		filepath.Join(dir, "a\x00b"):   "it can't be read",
		os.DevNull:                     "it is not a regular file",
		filepath.Join(os.DevNull, "x"): "it can't be read",
	} {
		_, err := specfile.Read(file, specfile.Overrides{})
		var faults specfile.Faults
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}

func TestManyFaultsAreCounted(t *testing.T) {
	_, err := specfile.Parse("f", []byte(minimal+"tasks: ["+strings.Repeat("1, ", 500)+"]\n"), specfile.Overrides{})
	var faults specfile.Faults
	if !errors.As(err, &faults) || len(faults) != 51 || !strings.Contains(err.Error(), "and 450 more faults") {
		t.Errorf("got %d faults, %v", len(faults), err)
	}
}

func TestDeepNestingEnds(t *testing.T) {
	_, err := specfile.Parse("f", []byte("name: "+strings.Repeat("[", 200_000)), specfile.Overrides{})
	if err == nil {
		t.Error("accepted")
	}
}

// FuzzParse wants an answer for every input: a spec that passes its own check, or faults.
func FuzzParse(f *testing.F) {
	f.Add([]byte(minimal))
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range archives {
		if a, err := txtar.ParseFile(name); err == nil {
			f.Add(a.Files[0].Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := specfile.Parse("f", data, specfile.Overrides{})
		if err != nil {
			if faults := (specfile.Faults)(nil); !errors.As(err, &faults) || len(faults) == 0 {
				t.Errorf("the error is a %T: %v", err, err)
			}
			return
		}
		if err := l.Spec.Check(); err != nil {
			t.Errorf("accepted, and yet: %v", err)
		}
	})
}
