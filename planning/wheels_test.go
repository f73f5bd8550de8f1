package planning

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/environments"
	"evlab/environments/requirements"
	"evlab/experiments"
	"evlab/repos"
)

// repository makes one of files with a single commit and gives its snapshot.
func repository(t *testing.T, store string, files map[string]string) (mirror *repos.Mirror, commit string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	out, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	commit = strings.TrimSpace(string(out))
	if mirror, err = repos.Snapshot(context.Background(), store, dir, commit); err != nil {
		t.Fatal(err)
	}
	return mirror, commit
}

// imageOf is an image that sets one variable, and that nobody reads.
type imageOf string

func (i imageOf) Variables(context.Context, string) ([]string, error) {
	return []string{string(i)}, nil
}

func (i imageOf) Files(context.Context, string) (io.ReadCloser, error) {
	return nil, errors.New("the test has no files of the image " + string(i))
}

// TestSettleWheels: what a task needs of an index is pinned in its environment, or sets the task aside in a sentence.
func TestSettleWheels(t *testing.T) {
	folder := &artifacts.Folder{Dir: t.TempDir()}
	mirror, commit := repository(t, folder.Mirrors(), map[string]string{
		"requirements.txt": "tool==1.0\n", "other.txt": "other\n", "windows.txt": "pywin32; sys_platform == 'win32'\n", "index.txt": "--index-url https://index.example.org\n",
	})
	packages := t.TempDir()
	if err := os.WriteFile(filepath.Join(packages, "python3.11-minimal_3.11.2-6_all.deb"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	index, err := environments.OpenIndex(folder.Modules(), environments.Packages{Dir: packages, ID: "of-the-test"}, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	// resolved puts into the store what an index said earlier: it is not asked in this test.
	resolved := func(index *environments.Index, from string, set requirements.Set, wheels ...experiments.Wheel) {
		t.Helper()
		key, err := experiments.DigestJSON([]any{"evlab-wheels-1", set, index.Target(), from})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(map[string]any{"wheels": wheels})
		if err != nil {
			t.Fatal(err)
		}
		if err := artifacts.WriteFile(filepath.Join(folder.Modules(), "wheels", "resolved-"+string(key[:24])+".json"), data); err != nil {
			t.Fatal(err)
		}
	}
	tool := experiments.Wheel{File: "tool-1.0-py3-none-any.whl", Digest: experiments.DigestBytes([]byte("tool"))}
	resolved(index, "of-the-test", requirements.Set{Wanted: []string{"tool==1.0"}}, tool)
	resolved(index, "of-the-test", requirements.Set{Wanted: []string{"other"}}, experiments.Wheel{File: "other-2.0-py3-none-any.whl", Digest: experiments.DigestBytes([]byte("other"))})
	s := &settler{
		contract: &experiments.Contract{Sandbox: experiments.FrozenSandbox{Kind: "docker"}, Environments: map[string]experiments.Environment{}, Versions: map[string]string{"go": "go1.26"}},
		folder:   folder, indexes: map[string]openedIndex{"python": {index: index}},
		pinned: map[string]pin{
			"here:1": {image: "sha256:1"}, "python:3.9-slim": {image: "sha256:39"}, "python:3.8-slim": {image: "sha256:39"},
			"python:3.1-slim": {err: errors.New("image python:3.1-slim is nowhere")}, "python:3.7-slim": {image: "sha256:none"},
		},
	}
	for image, has := range map[string]imageOf{"sha256:39": "PYTHON_VERSION=3.9.18", "sha256:none": "PATH=/bin"} {
		o := openedIndex{}
		o.index, o.err = environments.OpenImageIndex(context.Background(), folder.Modules(), image, runtime.GOARCH, has)
		s.indexes[image] = o
	}
	answer := func(index *environments.Index, from string, set requirements.Set, wheels ...string) {
		t.Helper()
		var pinned []experiments.Wheel
		for _, w := range wheels {
			pinned = append(pinned, experiments.Wheel{File: w, Digest: experiments.DigestBytes([]byte(w))})
		}
		resolved(index, from, set, pinned...)
	}
	other39 := s.indexes["sha256:39"].index
	answer(other39, "sha256:39", requirements.Set{Wanted: []string{"pytest"}}, "pluggy-1.0-py3-none-any.whl", "pytest-8.0-py3-none-any.whl")
	answer(other39, "sha256:39", requirements.Set{Wanted: []string{"tool==1.0"}}, "Pluggy-0.9-py3-none-any.whl", "tool-1.0-py3-none-any.whl")
	answer(other39, "sha256:39", requirements.Set{Wanted: []string{"pytest"}, Constraints: []string{"pluggy==0.9", "tool==1.0"}}, "pluggy-0.9-py3-none-any.whl", "pytest-7.0-py3-none-any.whl")
	answer(other39, "sha256:39", requirements.Set{Wanted: []string{"other"}}, "other-1-py3-none-any.whl", "pytest-6.0-py3-none-any.whl")
	defer s.close()
	settle := func(id, language string, setting datasets.Setting) *experiments.FrozenTask {
		t.Helper()
		task := &experiments.FrozenTask{ID: id, BaseCommit: commit, Mirror: filepath.Base(mirror.Dir())}
		if err := s.settle(context.Background(), task, language, setting); err != nil {
			t.Fatal(err)
		}
		return task
	}
	files := func(names ...string) datasets.Setting { return datasets.Setting{Requirements: names} }
	plain, with, again, other := settle("plain", "python", datasets.Setting{}), settle("with", "python", files("requirements.txt")), settle("again", "python", files("requirements.txt")), settle("other", "python", files("other.txt"))
	e := s.contract.Environments[with.Recipe]
	if e.Wheels == nil || !slices.Equal(e.Wheels.Set, []experiments.Wheel{tool}) || e.Wheels.Python != "3.11" || len(e.Wheels.Setup) == 0 {
		t.Errorf("%+v, %+v", with, e.Wheels)
	}
	if with.Environment != again.Environment || with.Environment == plain.Environment || with.Environment == other.Environment || with.Recipe == other.Recipe {
		t.Errorf("%+v\n%+v\n%+v\n%+v", plain, with, again, other)
	}
	if e := s.contract.Environments[plain.Recipe]; plain.Recipe != "python" || e.Wheels != nil {
		t.Errorf("a task that needs nothing: %+v", e)
	}
	if task := settle("windows", "python", files("windows.txt")); task.Environment != plain.Environment {
		t.Errorf("a task all of whose needs are of other machines: %+v", task)
	}
	if task := settle("python", "python", datasets.Setting{Python: "3.11", Requirements: []string{"requirements.txt"}}); task.Environment != with.Environment {
		t.Errorf("Debian's own Python: %+v", task)
	}
	if task := settle("image", "python", datasets.Setting{Image: "here:1", Requirements: []string{"index.txt"}, Python: "2.7"}); task.Excluded != "" || s.contract.Environments[task.Recipe].Wheels != nil {
		t.Errorf("an image has what it has: %+v", task)
	}
	for id, c := range map[string]struct {
		setting datasets.Setting
		wheels  string
	}{
		"pytest alone":     {datasets.Setting{Python: "3.9"}, "pluggy-1.0-py3-none-any.whl pytest-8.0-py3-none-any.whl"},
		"beside what goes": {datasets.Setting{Python: "3.9", Requirements: []string{"requirements.txt"}}, "Pluggy-0.9-py3-none-any.whl pytest-7.0-py3-none-any.whl tool-1.0-py3-none-any.whl"},
		"its own":          {datasets.Setting{Python: "3.9", Requirements: []string{"other.txt"}}, "other-1-py3-none-any.whl pytest-6.0-py3-none-any.whl"},
	} {
		task := settle(id, "python", c.setting)
		e := s.contract.Environments[task.Recipe]
		if task.Excluded != "" || e.Base != "sha256:39" || len(e.Packages)+len(e.Setup) > 0 || e.Given() || e.OnToolchain() || e.Wheels == nil || e.Wheels.Python != "3.9" {
			t.Errorf("%s: %+v: %+v", id, task, e)
			continue
		}
		var files []string
		for _, w := range e.Wheels.Set {
			files = append(files, w.File)
		}
		if got := strings.Join(files, " "); got != c.wheels {
			t.Errorf("%s: wheels %s; want %s", id, got, c.wheels)
		}
	}
	for id, c := range map[string]struct {
		language string
		setting  datasets.Setting
		want     string
	}{
		"another index":  {"python", files("index.txt"), "index.txt:1"},
		"absent":         {"python", files("absent.txt"), "absent.txt is not in the repository"},
		"an old Python":  {"python", datasets.Setting{Python: "2.7"}, "it needs Python 2.7, and Debian's here is 3.11.2; no other is known"},
		"a part of it":   {"python", datasets.Setting{Python: "3.1"}, "it needs Python 3.1, and Debian's here is 3.11.2; image python:3.1-slim is nowhere"},
		"not as named":   {"python", datasets.Setting{Python: "3.8"}, "image sha256:39 has 3.9.18"},
		"no Python":      {"python", datasets.Setting{Python: "3.7"}, "PYTHON_VERSION"},
		"another recipe": {"javascript", files("requirements.txt"), "has no place for them"},
	} {
		if task := settle(id, c.language, c.setting); !strings.HasPrefix(task.Excluded, "no environment: ") || !strings.Contains(task.Excluded, c.want) || !strings.Contains(task.Excluded, "image") && id != "absent" || task.Recipe != "" {
			t.Errorf("%s: %q; want %q and a way out", id, task.Excluded, c.want)
		}
	}
}
