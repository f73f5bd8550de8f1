package environments

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"evlab/environments/requirements"
	"evlab/experiments"
)

// index serves files as an index does (PEP 503) to who has its password, and says what it was asked for.
type index struct {
	*httptest.Server
	files map[string][]byte // by name
	pages map[string]string // by project, instead of what would be made of the files
	asked []string
	on    func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
}

const password = "sesame-of-the-user"

func (x *index) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x.asked = append(x.asked, r.URL.Path)
	if _, given, _ := r.BasicAuth(); given != password {
		http.Error(w, "who is it?", http.StatusUnauthorized)
		return
	}
	if x.on != nil && x.on(w, r) {
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/files/"); ok {
		if data, ok := x.files[name]; ok {
			_, _ = w.Write(data)
			return
		}
		http.NotFound(w, r)
		return
	}
	project := strings.Trim(strings.TrimPrefix(r.URL.Path, "/simple/"), "/")
	page, there := x.pages[project]
	for name, data := range x.files {
		if base, _, _ := strings.Cut(name, "-"); base == project && x.pages[project] == "" {
			page += fmt.Sprintf("<a href=\"/files/%s#sha256=%x\">%s</a>\n", name, sha256.Sum256(data), name)
			there = true
		}
	}
	if !there {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<!DOCTYPE html><html><body>"+page+"</body></html>")
}

// wheelOf is a wheel of one module, which needs what it says.
func wheelOf(t *testing.T, project, version string, files map[string]string, needs ...string) []byte {
	t.Helper()
	info := project + "-" + version + ".dist-info/"
	meta := "Metadata-Version: 2.1\nName: " + project + "\nVersion: " + version + "\n"
	for _, n := range needs {
		meta += "Requires-Dist: " + n + "\n"
	}
	all := map[string]string{project + ".py": "version = '" + version + "'\n", info + "METADATA": meta, info + "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n", info + "RECORD": ""}
	for name, text := range files {
		all[name] = text
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range all {
		in, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(in, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// openTest serves an index and opens it with the machine's own Python in the place of the recipe's, and its Debian's pip.
func openTest(t *testing.T) (*Index, *index) {
	t.Helper()
	missing := func(err error) {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	wheels, _ := filepath.Glob("/usr/share/python-wheels/pip-*.whl")
	if len(wheels) == 0 {
		missing(errors.New("there is no pip: the test needs Debian's python3 and python3-pip-whl"))
	}
	said, err := exec.Command("/usr/bin/python3", "-c", "import platform; print(platform.python_version())").Output()
	if err != nil {
		missing(err)
	}
	version := strings.TrimSpace(string(said))
	pip, err := os.ReadFile(wheels[0])
	if err != nil {
		t.Fatal(err)
	}
	minor := version[:strings.LastIndex(version, ".")]
	loader := "#!/bin/sh\n[ \"$1\" = --library-path ] || exit 9\n[ -d \"$2\" ] || exit 8\nunset PYTHONHOME\ncase \"$3\" in */usr/bin/python" + minor + ") ;; *) exit 7;; esac\nshift 3\nexec /usr/bin/python3 \"$@\"\n"
	source := localSource(t, map[string]map[string]string{
		"python" + minor + "-minimal_" + version + "-1": {"usr/lib/x-linux-gnu/ld-linux-x.so.2": loader, "usr/bin/python" + minor: "#!/bin/false\n"},
		"python3-pip-whl_1.0":                           {"usr/share/python-wheels/" + filepath.Base(wheels[0]): string(pip)},
	})
	t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(source, "ran")); err == nil {
			t.Error("a package's script was run")
		}
	})
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "PIP_") {
			t.Setenv(name, "") // restored at the end
			os.Unsetenv(name)
		}
	}
	served := &index{files: map[string][]byte{}, pages: map[string]string{}}
	served.Server = httptest.NewServer(served)
	t.Cleanup(served.Close)
	t.Setenv("PIP_INDEX_URL", strings.Replace(served.URL, "://", "://user:"+password+"@", 1)+"/simple/")
	for name, value := range map[string]string{
		"PIP_CONFIG_FILE": os.DevNull, "PIP_RETRIES": "0", "PIP_DEFAULT_TIMEOUT": "5",
		// What would change what a download is must not reach it.
		"PIP_NO_BINARY": ":all:", "PIP_PLATFORM": "win32", "PIP_PYTHON": "/bin/false", "PIP_REQUIRE_VIRTUALENV": "1", "PYTHONPATH": "/nowhere", "PYTHONSTARTUP": "/nowhere",
	} {
		t.Setenv(name, value)
	}
	store := t.TempDir()
	packages, err := Fetch(context.Background(), store, []string{"python" + minor + "-minimal"}, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	x, err := OpenIndex(store, packages, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	if x.Target().Python != version || x.Python() != minor {
		t.Fatalf("the Python is %+v and %s, want %s", x.Target(), x.Python(), version)
	}
	return x, served
}

func names(wheels []experiments.Wheel) (all []string) {
	for _, w := range wheels {
		all = append(all, w.File)
	}
	return all
}

// TestResolve: an index gives wheels with what they need; what was resolved once needs it no more.
func TestResolve(t *testing.T) {
	x, served := openTest(t)
	ctx := context.Background()
	served.files["app-1.0-py3-none-any.whl"] = wheelOf(t, "app", "1.0", nil, "lib>=1", "never; sys_platform == 'win32'")
	served.files["app-2.0-py3-none-any.whl"] = wheelOf(t, "app", "2.0", nil)
	served.files["app-2.1.tar.gz"] = []byte("a source distribution, which is not taken though it is newer")
	served.files["lib-1.0-py3-none-any.whl"] = wheelOf(t, "lib", "1.0", nil)
	served.files["lib-1.5-py3-none-any.whl"] = wheelOf(t, "lib", "1.5", nil)
	served.files["lib-2.0rc1-py3-none-any.whl"] = wheelOf(t, "lib", "2.0rc1", nil)
	served.files["lib-1.9-cp27-none-any.whl"] = wheelOf(t, "lib", "1.9", nil)
	for name, c := range map[string]struct {
		set  requirements.Set
		want []string
	}{
		"the newest":         {requirements.Set{Wanted: []string{"app"}}, []string{"app-2.0-py3-none-any.whl"}},
		"with what it needs": {requirements.Set{Wanted: []string{"app<2"}}, []string{"app-1.0-py3-none-any.whl", "lib-1.5-py3-none-any.whl"}},
		"constrained":        {requirements.Set{Wanted: []string{"app<2"}, Constraints: []string{"lib<1.2"}}, []string{"app-1.0-py3-none-any.whl", "lib-1.0-py3-none-any.whl"}},
		"before a release":   {requirements.Set{Wanted: []string{"lib"}, Pre: true}, []string{"lib-2.0rc1-py3-none-any.whl"}},
		"locked":             {requirements.Set{Wanted: []string{"app==1.0"}, Locked: true}, []string{"app-1.0-py3-none-any.whl"}},
		"locked, some by hash": {
			requirements.Set{Wanted: []string{"app==1.0", fmt.Sprintf("lib==1.0 --hash=sha256:%x", sha256.Sum256(served.files["lib-1.0-py3-none-any.whl"]))}, Locked: true},
			[]string{"app-1.0-py3-none-any.whl", "lib-1.0-py3-none-any.whl"},
		},
		"nothing": {requirements.Set{}, nil},
	} {
		got, err := x.Resolve(ctx, c.set)
		if err != nil || !slices.Equal(names(got), c.want) {
			t.Errorf("%s: %q, %v; want %q", name, names(got), err, c.want)
		}
	}
	for _, path := range served.asked {
		if strings.HasSuffix(path, ".tar.gz") {
			t.Errorf("the index was asked for %s", path)
		}
	}
	before, err := x.Resolve(ctx, requirements.Set{Wanted: []string{"app"}})
	if err != nil {
		t.Fatal(err)
	}
	served.files["app-3.0-py3-none-any.whl"] = wheelOf(t, "app", "3.0", nil)
	asked := len(served.asked)
	if after, err := x.Resolve(ctx, requirements.Set{Wanted: []string{"app"}}); err != nil || !slices.Equal(after, before) || len(served.asked) != asked {
		t.Errorf("the second time: %q, %v, asked for %q", names(after), err, served.asked[asked:])
	}

	files, err := x.Files(ctx, before)
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Files(ctx, before); err != nil {
		t.Errorf("a lost wheel that the index still has: %v", err)
	}
	if data, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(data, served.files["app-2.0-py3-none-any.whl"]) {
		t.Errorf("it is not there again: %v", err)
	}
	os.Remove(files[0])
	served.files["app-2.0-py3-none-any.whl"] = wheelOf(t, "app", "2.0", map[string]string{"other.py": "x"})
	if _, err := x.Files(ctx, before); err == nil || !strings.Contains(err.Error(), "hash") {
		t.Errorf("a lost wheel of which the index has another: %v", err)
	}
	if _, err := x.Files(ctx, []experiments.Wheel{{File: "../x-1-py3-none-any.whl", Digest: before[0].Digest}}); err == nil {
		t.Error("a contract's name led out of the store")
	}
	if _, err := x.Files(ctx, []experiments.Wheel{{File: "x-1-py3-none-any.whl", Digest: "../.."}}); err == nil {
		t.Error("a contract's digest led out of the store")
	}
}

// TestResolveSaysWhy: what an index does not give, or gives amiss, is one sentence without the user's password, and
// nothing of it is kept.
func TestResolveSaysWhy(t *testing.T) {
	x, served := openTest(t)
	ctx := context.Background()
	put := func(name string, data []byte) { served.files[name] = data }
	put("good-1.0-py3-none-any.whl", wheelOf(t, "good", "1.0", nil))
	put("source-1.0.tar.gz", []byte("x"))
	put("other-1.0-cp27-cp27m-win32.whl", wheelOf(t, "other", "1.0", nil))
	put("html-1.0-py3-none-any.whl", []byte("<html>please log in</html>"))
	put("renamed-1.0-py3-none-any.whl", wheelOf(t, "good", "1.0", nil))
	put("escapes-1.0-py3-none-any.whl", wheelOf(t, "escapes", "1.0", map[string]string{"../../../etc/cron.d/x": "x"}))
	put("needs-1.0-py3-none-any.whl", wheelOf(t, "needs", "1.0", nil, "good>=2"))
	put("late-1.0-py3-none-any.whl", wheelOf(t, "late", "1.0", nil, "good @ git+https://example.org/good.git"))
	put("gone-1.0-py3-none-any.whl", nil)
	served.pages["gone"] = `<a href="/files/absent-1.0.whl">gone-1.0-py3-none-any.whl</a><a href="/files/absent/gone-1.0-py3-none-any.whl">gone-1.0-py3-none-any.whl</a>`
	served.pages["lying"] = fmt.Sprintf(`<a href="/files/good-1.0-py3-none-any.whl#sha256=%064d">lying</a><a href="/files/lying-1.0-py3-none-any.whl#sha256=%064d">lying-1.0-py3-none-any.whl</a>`, 1, 2)
	put("lying-1.0-py3-none-any.whl", wheelOf(t, "lying", "1.0", nil))
	put("endless-1.0-py3-none-any.whl", wheelOf(t, "endless", "1.0", nil))
	put("slow-1.0-py3-none-any.whl", wheelOf(t, "slow", "1.0", nil))
	put("drips-1.0-py3-none-any.whl", wheelOf(t, "drips", "1.0", nil))
	stop := make(chan struct{})
	defer close(stop)
	served.on = func(w http.ResponseWriter, r *http.Request) bool {
		drip := func(each []byte, every time.Duration) bool {
			for {
				if _, err := w.Write(each); err != nil {
					return true
				}
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return true
				case <-stop:
					return true
				case <-time.After(every):
				}
			}
		}
		switch {
		case strings.HasPrefix(r.URL.Path, "/files/endless"):
			return drip(make([]byte, 1<<20), 0)
		case strings.HasPrefix(r.URL.Path, "/simple/slow"):
			return drip(nil, time.Hour)
		case strings.HasPrefix(r.URL.Path, "/files/drips"):
			return drip([]byte("x"), 50*time.Millisecond)
		}
		return false
	}
	defer func(n int64, d time.Duration) { maxWheel, fetchTime = n, d }(maxWheel, fetchTime)
	maxWheel = 20 << 20
	wrong := strings.Repeat("0", 64)
	for _, c := range []struct {
		what string
		set  requirements.Set
		want string
		deaf bool
	}{
		{"nobody has it", requirements.Set{Wanted: []string{"nobody"}}, "no wheel for this Python and machine: Could not find a version that satisfies the requirement nobody", false},
		{"another version", requirements.Set{Wanted: []string{"good==7"}}, "(from versions: 1.0)", false},
		{"source alone", requirements.Set{Wanted: []string{"source"}}, "no wheel", false},
		{"of another machine", requirements.Set{Wanted: []string{"other"}}, "no wheel", false},
		{"a page instead of a wheel", requirements.Set{Wanted: []string{"html"}}, "html", false},
		{"another package's wheel", requirements.Set{Wanted: []string{"renamed"}}, "renamed", false},
		{"a path that escapes", requirements.Set{Wanted: []string{"escapes"}}, "escapes-1.0-py3-none-any.whl: not a sound wheel: the path", false},
		{"needs what is not there", requirements.Set{Wanted: []string{"needs"}}, "good>=2", false},
		{"needs a repository", requirements.Set{Wanted: []string{"late"}}, "good", false},
		{"a conflict", requirements.Set{Wanted: []string{"good==1.0", "good<1.0"}}, "good", false},
		{"a file that is gone", requirements.Set{Wanted: []string{"gone"}}, "404", false},
		{"another hash than the index's", requirements.Set{Wanted: []string{"lying"}}, "does not have its hash: Expected sha256", false},
		{"another hash than the lock's", requirements.Set{Wanted: []string{"good==1.0 --hash=sha256:" + wrong}, Locked: true}, "does not have its hash: Expected sha256 " + wrong, false},
		{"some with hashes", requirements.Set{Wanted: []string{"needs", "good==1.0 --hash=sha256:" + wrong}}, "hash", false},
		{"without end", requirements.Set{Wanted: []string{"endless"}}, "File too large", false},
	} {
		x.deaf = nil
		wheels, err := x.Resolve(ctx, c.set)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrIndex) != c.deaf || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want an error with %q (the index's silence: %v), got %v", c.what, names(wheels), c.want, c.deaf, err)
		}
		if err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("%s: the password is in %v", c.what, err)
		}
	}
	fetchTime = 8 * time.Second
	if _, err := x.Resolve(ctx, requirements.Set{Wanted: []string{"drips"}}); !errors.Is(err, ErrIndex) || !strings.Contains(err.Error(), "did not end within 8s") {
		t.Errorf("a file that drips: %v", err)
	}
	fetchTime = time.Minute
	t.Setenv("PIP_DEFAULT_TIMEOUT", "1")
	x.deaf = nil
	if _, err := x.Resolve(ctx, requirements.Set{Wanted: []string{"slow"}}); !errors.Is(err, ErrIndex) || strings.Contains(err.Error(), password) {
		t.Errorf("an index that does not answer: %v", err)
	}
	asked := len(served.asked)
	if _, err := x.Resolve(ctx, requirements.Set{Wanted: []string{"good"}}); !errors.Is(err, ErrIndex) || len(served.asked) != asked {
		t.Errorf("it was asked again, or the error is another: %v", err)
	}
	served.Close()
	x.deaf = nil
	if _, err := x.Resolve(ctx, requirements.Set{Wanted: []string{"good"}}); !errors.Is(err, ErrIndex) || strings.Contains(err.Error(), password) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("an index that is not there: %v", err)
	}
	_ = filepath.WalkDir(x.store, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".whl") && !strings.Contains(path, "/pip-") || strings.HasSuffix(path, ".json")) {
			t.Errorf("%s was kept", path)
		}
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(password)) {
			t.Errorf("the password is in %s", path)
		}
		return nil
	})
	x.Close()
	if left, _ := filepath.Glob(filepath.Join(x.store, "pip-*")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

func TestWithoutSecrets(t *testing.T) {
	for s, want := range map[string]string{
		"at https://user:word@host:8080/token/simple/a/?x=y gone": "at https://host:8080/... gone",
		"at https://token@host/a'":                                "at https://host/...'",
		"Max retries exceeded with url: /token/simple/a/ (x)":     "Max retries exceeded with url: ... (x)",
		"https://u:p@ss@host/x":                                   "https://host/...",
		"no URL":                                                  "no URL",
	} {
		if got := withoutSecrets(s); got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
}
