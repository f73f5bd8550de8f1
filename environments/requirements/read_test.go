package requirements

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
)

var bookworm = Target{Python: "3.11.2", Machine: "x86_64"}

func from(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
}

const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestRequirementsFiles(t *testing.T) {
	for name, c := range map[string]struct {
		files       map[string]string
		wanted      []string
		constraints []string
	}{
		"plain": {map[string]string{"r.txt": "\ufeff# head\nRequests == 2.31.0 # why\nattrs\n\nattrs\nzope.interface>=5,<6,\n"}, []string{"requests==2.31.0", "attrs", "zope-interface>=5,<6"}, nil},
		"all of a line": {
			map[string]string{"r.txt": "uvicorn[Standard, other_one] (>=0.1,!=0.2.*) ; python_version >= \"3.8\" and sys_platform != 'win32'\n"},
			[]string{"uvicorn[Standard,other_one]>=0.1,!=0.2.*"}, nil,
		},
		"markers": {map[string]string{"r.txt": "tomli; python_version < '3.11'\ncolorama ; os_name == 'nt'\nbackports ; python_full_version >= '3.11.3'\nkept ; python_version in '3.10 3.11'\n"}, []string{"kept"}, nil},
		"hashes on lines that go on": {
			map[string]string{"r.txt": "a==1 \\\r\n    --hash=sha256:" + digest + " \\\n    --hash sha256:" + strings.ToUpper(digest) + "\n# \\\nb==2 --hash=sha256:" + digest + "\\\n"},
			[]string{"a==1 --hash=sha256:" + digest, "b==2 --hash=sha256:" + digest}, nil,
		},
		"nested": {
			map[string]string{
				"req/dev.txt": "-r ../base.txt\n-c./limits.txt\n--requirement=more/x.in\n", "base.txt": "-r req/dev.txt\na\n", "req/limits.txt": "b<2\n-r inner.txt\n",
				"req/inner.txt": "c<3\n", "req/more/x.in": "d\n",
			},
			[]string{"a", "d"}, []string{"b<2", "c<3"},
		},
		"options that say nothing new": {map[string]string{"r.txt": "--prefer-binary\n--only-binary=:all:\n--require-hashes\n"}, nil, nil},
	} {
		first := "r.txt"
		if name == "nested" {
			first = "req/dev.txt"
		}
		set, err := Read([]string{first}, bookworm, from(c.files))
		if err != nil || !slices.Equal(set.Wanted, c.wanted) || !slices.Equal(set.Constraints, c.constraints) || set.Locked {
			t.Errorf("%s: %+v, %v; want %q, %q", name, set, err, c.wanted, c.constraints)
		}
	}
}

// TestRequirementsThatAreRefused: nothing that a line can say reaches the machine's pip but names, versions and hashes.
func TestRequirementsThatAreRefused(t *testing.T) {
	for line, want := range map[string]string{
		"--index-url https://index.example.org/simple": "--index-url",
		"-i https://index.example.org/simple":          "the option \"-i\"",
		"--extra-index-url=https://index.example.org":  "--extra-index-url",
		"--find-links /tmp":                            "--find-links",
		"-f.":                                          "\"-f\"",
		"--trusted-host example.org":                   "--trusted-host",
		"--no-binary :all:":                            "from source",
		"-e .":                                         "source tree",
		"-e git+https://example.org/a.git#egg=a":       "source tree",
		"git+https://example.org/a.git":                "path or a URL",
		"a @ https://example.org/a-1-py3-none-any.whl": "path or a URL",
		"a @ file:///etc/passwd":                       "path or a URL",
		"./a":                                          "path or a URL",
		".":                                            "path or a URL",
		"/etc/passwd":                                  "path or a URL",
		`C:\a`:                                         "path or a URL",
		"a-1.0-py3-none-any.whl":                       "path or a URL",
		"a==${HOME}":                                   "path or a URL",
		"-r /etc/passwd.txt":                           "another requirements file",
		"-r ../other.txt":                              "another requirements file",
		"-r https://example.org/r.txt":                 "another requirements file",
		"-r x/../../r.txt":                             "another requirements file",
		"-r absent.txt":                                "r.txt:2: absent.txt is not in the repository",
		"-r setup.cfg":                                 "another requirements file",
		"a --global-option=build":                      "--global-option",
		"a --hash=md5:00":                              "--hash=sha256",
		"a --hash":                                     "--hash=sha256",
		"a b":                                          "expected versions of a",
		"a==1 --hash=sha256:" + digest + " --config-settings x": "--config-settings",
		"a[x":                    "extras",
		"a[-x]":                  "extras",
		"a(>1":                   "parenthesis",
		"a ; python_version":     "comparison",
		"a ; os.system('x')":     "marker",
		"a ; python_version < 3": "marker",
		"a ; " + strings.Repeat("(", 100) + "os_name == 'a'" + strings.Repeat(")", 100): "parentheses",
		"a ; os_name ~= 'x'":               "compares versions",
		"é":                                "name of a package",
		"-":                                "the option",
		"--":                               "the option",
		"a==1," + strings.Repeat("x", 300): "expected versions",
		strings.Repeat("a", maxLine+1):     "bytes",
	} {
		_, err := Read([]string{"r.txt"}, bookworm, from(map[string]string{"r.txt": "# first\n" + line + "\n"}))
		if err == nil || !strings.HasPrefix(err.Error(), "r.txt:2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: want an error of r.txt:2 with %q, got %v", line, want, err)
		}
	}
	deep := map[string]string{}
	for i := range maxFiles + 5 {
		deep[strings.Repeat("x", i)+"r.txt"] = "-r " + strings.Repeat("x", i+1) + "r.txt\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"absent":      {map[string]string{}, "r.txt is not in the repository"},
		"no text":     {map[string]string{"r.txt": "a\xff"}, "UTF-8"},
		"NUL":         {map[string]string{"r.txt": "a\x00"}, "UTF-8"},
		"long":        {map[string]string{"r.txt": strings.Repeat("#\n", maxFile/2+1)}, "bytes"},
		"many":        {map[string]string{"r.txt": manyNames()}, "more than 20000 requirements"},
		"without end": {deep, "files name one another"},
	} {
		if _, err := Read([]string{"r.txt"}, bookworm, from(c.files)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, got %v", name, c.want, err)
		}
	}
	for _, p := range []string{"", "/r.txt", "../r.txt", "a/../r.txt", "setup.py", `a\r.txt`, "..", "a//r.txt"} {
		if CheckPath(p) == nil {
			t.Errorf("the path %q was taken", p)
		}
	}
	if _, err := Read([]string{"r.txt", "uv.lock"}, bookworm, from(map[string]string{"r.txt": "", "uv.lock": ""})); err == nil || !strings.Contains(err.Error(), "alone") {
		t.Errorf("a lock file beside another one: %v", err)
	}
}

func manyNames() string {
	var b strings.Builder
	for i := range maxLines + 1 {
		b.WriteString("a" + strings.Repeat("b", i%50) + string(rune('a'+i%26)) + strings.Repeat("c", i/50%50) + strings.Repeat("d", i/2500) + "\n")
	}
	return b.String()
}

func TestMarkers(t *testing.T) {
	s := situation{Target: bookworm, sets: map[string][]string{"extras": {"test"}, "dependency_groups": {"dev"}}}
	for marker, want := range map[string]bool{
		"":                        true,
		"python_version >= '3.9'": true,
		"python_version < '3.9'":  false, // and not as texts
		"'3.9' <= python_version": true,
		"python_version == '3.11.*' and (os_name == 'nt' or sys_platform == \"linux\")": true,
		"python_full_version > '3.11.2' or platform_machine == 'x86_64'":                true,
		"os_name == 'nt' and os_name == 'nt' or os_name == 'posix'":                     true,
		"python_version ~= '3.7'":                         true,
		"python_version ~= '2.7'":                         false,
		"python_version not in '3.10,3.11'":               false,
		"extra == 'test'":                                 false,
		"'test' in extras and 'Dev' in dependency_groups": true,
		"'docs' in extras":                                false,
		"sys.platform == 'linux'":                         true,
		"python_version >= '3.11.0rc1'":                   true,
		"platform_release >= '20.0'":                      false,
		"implementation_name == 'pypy'":                   false,
	} {
		if got, err := s.holds(marker); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", marker, got, err, want)
		}
	}
	order := []string{"1.0.dev1", "1.0a1.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0", "1.0.post1.dev2", "1.0.post1", "1.0.1", "1.10", "2.0", "1!0.5"}
	for i := 1; i < len(order); i++ {
		a, _ := parseVersion(order[i-1])
		b, ok := parseVersion(order[i])
		if !ok || a.compare(b) >= 0 || b.compare(a) <= 0 {
			t.Errorf("%s is not before %s", order[i-1], order[i])
		}
	}
	same, _ := parseVersion("1.0.0+local")
	if other, _ := parseVersion("v1"); same.compare(other) != 0 {
		t.Error("1.0.0+local and v1 differ")
	}
	if !bookworm.permits(">=3.8,<4") || bookworm.permits(">=3.12") || bookworm.permits("!=3.11.*") || !bookworm.permits("^3.12") || !bookworm.permits("*") {
		t.Error("Requires-Python is read wrongly")
	}
}
