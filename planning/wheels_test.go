package planning

import (
	"context"
	"encoding/json"
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
	resolved := func(wanted string, wheels ...experiments.Wheel) {
		key, err := experiments.DigestJSON([]any{"evlab-wheels-1", requirements.Set{Wanted: []string{wanted}}, index.Target(), "of-the-test"})
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
	resolved("tool==1.0", tool)
	resolved("other", experiments.Wheel{File: "other-2.0-py3-none-any.whl", Digest: experiments.DigestBytes([]byte("other"))})
	s := &settler{
		contract: &experiments.Contract{Sandbox: experiments.FrozenSandbox{Kind: "docker"}, Environments: map[string]experiments.Environment{}, Versions: map[string]string{"go": "go1.26"}},
		folder:   folder, indexes: map[string]openedIndex{"python": {index: index}},
		pinned: map[string]pin{"here:1": {image: "sha256:1"}},
	}
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
		language string
		setting  datasets.Setting
		want     string
	}{
		"another index":  {"python", files("index.txt"), "index.txt:1"},
		"absent":         {"python", files("absent.txt"), "absent.txt is not in the repository"},
		"another Python": {"python", datasets.Setting{Python: "3.9"}, "it needs Python 3.9, and Debian's here is 3.11.2"},
		"a part of it":   {"python", datasets.Setting{Python: "3.1"}, "it needs Python 3.1,"},
		"another recipe": {"javascript", files("requirements.txt"), "has no place for them"},
	} {
		if task := settle(id, c.language, c.setting); !strings.HasPrefix(task.Excluded, "no environment: ") || !strings.Contains(task.Excluded, c.want) || !strings.Contains(task.Excluded, "image") && id != "absent" || task.Recipe != "" {
			t.Errorf("%s: %q; want %q and a way out", id, task.Excluded, c.want)
		}
	}
}
