package requirements

import (
	"slices"
	"strings"
	"testing"
)

const h1, h2 = "sha256:" + digest, "sha256:f123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// TestLockFiles: of every lock file come the packages that this interpreter needs to run tests, each in one version.
func TestLockFiles(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		files  map[string]string
		wanted []string
	}{
		"pipenv": {"Pipfile.lock", map[string]string{"Pipfile.lock": `{"_meta": {"sources": [{"url": "https://index.example.org"}]},
			"default": {"Attrs": {"version": "==22.2", "hashes": ["` + h2 + `", "` + h1 + `"], "index": "pypi"}, "colorama": {"version": "==1", "markers": "sys_platform == 'win32'"}},
			"develop": {"pytest": {"version": "==7.0.1"}}}`}, []string{"attrs==22.2 --hash=" + h1 + " --hash=" + h2, "pytest==7.0.1"}},
		"poetry 2": {"sub/poetry.lock", map[string]string{"sub/poetry.lock": `
[[package]]
name = "attrs"
version = "22.2.0"
python-versions = ">=3.6"
groups = ["main", "dev"]
files = [{file = "attrs.whl", hash = "` + h1 + `"}]
[[package]]
name = "colorama"
version = "0.4"
groups = ["dev"]
markers = 'sys_platform == "win32"'
[[package]]
name = "both"
version = "1"
groups = ["main", "dev"]
markers = {main = 'os_name == "nt"', dev = 'os_name == "posix"'}
[[package]]
name = "new"
version = "2"
python-versions = ">=3.12"
groups = ["main"]
[package.source]
type = "git"
`}, []string{"attrs==22.2.0 --hash=" + h1, "both==1"}},
		"poetry 1": {"poetry.lock", map[string]string{"pyproject.toml": `
[tool.poetry.dependencies]
python = "^3.8"
Root_One = "^1"
numpy = [{version = "1.21", python = "<3.9"}, {version = "1.26", python = ">=3.9"}]
old = {version = "1", python = "<3.9"}
[tool.poetry.dev-dependencies]
pytest = {version = "^7", extras = ["x"]}
`, "poetry.lock": `
[[package]]
name = "root-one"
version = "1.0"
[package.dependencies]
inner = ">=1"
pywin32 = {version = "*", markers = "sys_platform == \"win32\""}
choice = [{version = "1", markers = "python_version < \"3.9\""}, {version = "2", markers = "python_version >= \"3.9\""}]
feature = {version = "*", optional = true, markers = "extra == \"x\""}
[[package]]
name = "inner"
version = "1.1"
[[package]]
name = "pywin32"
version = "300"
[[package]]
name = "only-of-windows"
version = "1"
[[package]]
name = "choice"
version = "2"
[[package]]
name = "feature"
version = "3"
[[package]]
name = "old"
version = "1"
[[package]]
name = "pytest"
version = "7.0"
[[package]]
name = "numpy"
version = "1.21"
python-versions = ">=3.7,<3.9"
[[package]]
name = "numpy"
version = "1.26"
python-versions = ">=3.9"
[metadata.files]
inner = [{file = "inner.whl", hash = "` + h1 + `"}]
`}, []string{"choice==2", "feature==3", "inner==1.1 --hash=" + h1, "numpy==1.26", "pytest==7.0", "root-one==1.0"}},
		"uv": {"uv.lock", map[string]string{"uv.lock": `
version = 1
[[package]]
name = "ours"
version = "0.1"
source = { editable = "." }
dependencies = [{ name = "a" }, { name = "w", marker = "sys_platform == 'win32'" }, { name = "b", extra = ["fast"] }, { name = "member" }]
[package.optional-dependencies]
docs = [{ name = "sphinx" }]
test = [{ name = "pytest" }]
[package.dev-dependencies]
lint = [{ name = "ruff" }]
[[package]]
name = "member"
version = "0.1"
source = { editable = "packages/member" }
dependencies = [{ name = "twice", version = "2", source = { registry = "https://index.example.org/simple" }, marker = "python_version >= '3.9'" }]
[[package]]
name = "a"
version = "1"
source = { registry = "https://index.example.org/simple" }
dependencies = [{ name = "forked" }]
sdist = { url = "https://index.example.org/a.tar.gz", hash = "` + h1 + `", size = 1 }
wheels = [{ url = "https://index.example.org/a.whl", hash = "` + h2 + `", size = 1 }]
[[package]]
name = "b"
version = "2"
source = { registry = "https://index.example.org/simple" }
[package.optional-dependencies]
fast = [{ name = "c" }]
slow = [{ name = "sphinx" }]
[[package]]
name = "c"
version = "3"
source = { registry = "https://index.example.org/simple" }
dependencies = [{ name = "b" }]
[[package]]
name = "forked"
version = "1"
source = { registry = "https://index.example.org/simple" }
resolution-markers = ["python_version < '3.9'"]
[[package]]
name = "forked"
version = "2"
source = { registry = "https://index.example.org/simple" }
resolution-markers = ["python_version >= '3.9' and os_name == 'nt'", "python_version >= '3.9' and os_name != 'nt'"]
[[package]]
name = "twice"
version = "1"
source = { registry = "https://index.example.org/simple" }
[[package]]
name = "twice"
version = "2"
source = { registry = "https://index.example.org/simple" }
[[package]]
name = "w"
version = "1"
source = { git = "https://index.example.org/w" }
[[package]]
name = "sphinx"
version = "7"
source = { registry = "https://index.example.org/simple" }
[[package]]
name = "pytest"
version = "8"
source = { registry = "https://index.example.org/simple" }
[[package]]
name = "ruff"
version = "0.1"
source = { registry = "https://index.example.org/simple" }
`}, []string{"a==1 --hash=" + h1 + " --hash=" + h2, "b==2", "c==3", "forked==2", "pytest==8", "ruff==0.1", "twice==2"}},
		"pylock": {"pylock.dev.toml", map[string]string{"pylock.dev.toml": `
lock-version = "1.0"
dependency-groups = ["dev"]
extras = ["docs", "test"]
[[packages]]
name = "a"
version = "1"
marker = "'dev' in dependency_groups"
wheels = [{name = "a-1-py3-none-any.whl", url = "https://index.example.org/a.whl", hashes = {sha256 = "` + digest + `", md5 = "0"}}]
[[packages]]
name = "docs"
version = "1"
marker = "'docs' in extras"
[[packages]]
name = "late"
version = "1"
requires-python = ">=3.12"
[[packages]]
name = "ours"
[packages.directory]
path = "."
`}, []string{"a==1 --hash=" + h1}},
	} {
		set, err := Read([]string{c.file}, bookworm, from(c.files))
		if err != nil || !set.Locked || !slices.Equal(set.Wanted, c.wanted) {
			t.Errorf("%s: %q, %v; want %q", name, set.Wanted, err, c.wanted)
		}
	}
}

func TestLockFilesThatAreRefused(t *testing.T) {
	const uvRoot = "[[package]]\nname='ours'\nversion='1'\nsource={virtual='.'}\ndependencies=[{name='a'}]\n"
	for name, c := range map[string]struct{ file, text, want string }{
		"no JSON":                      {"Pipfile.lock", "{", "Pipfile.lock"},
		"a repository":                 {"Pipfile.lock", `{"default": {"a": {"git": "https://example.org/a"}}}`, `"a" is of a path`},
		"a path":                       {"Pipfile.lock", `{"develop": {"a": {"path": ".", "editable": true}}}`, `"a" is of a path`},
		"no version":                   {"Pipfile.lock", `{"default": {"a": {"version": "*"}}}`, "expected a version"},
		"an option for a name":         {"Pipfile.lock", `{"default": {"--index-url=x": {"version": "==1"}}}`, "name of a package"},
		"an option behind a version":   {"Pipfile.lock", `{"default": {"a": {"version": "==1 --index-url x"}}}`, "name of a package"},
		"no hash":                      {"Pipfile.lock", `{"default": {"a": {"version": "==1", "hashes": ["sha256:x --find-links y"]}}}`, "expected a hash"},
		"a marker that is none":        {"Pipfile.lock", `{"default": {"a": {"version": "==1", "markers": "import os"}}}`, "marker"},
		"no TOML":                      {"uv.lock", "\n\n[[", "uv.lock:3"},
		"another type":                 {"uv.lock", "package = 1", "uv.lock"},
		"empty tables":                 {"uv.lock", "[[package]]\n[[package]]\n", "repository itself"},
		"empty tables of poetry's":     {"poetry.lock", "[[package]]\n[[package]]\ngroups=[]\n", "poetry.lock"},
		"no root":                      {"uv.lock", "[[package]]\nname='a'\nversion='1'\nsource={registry='x'}\n", "repository itself"},
		"an edge to nothing":           {"uv.lock", uvRoot, "leads to 0 packages"},
		"a repository of uv's":         {"uv.lock", uvRoot + "[[package]]\nname='a'\nversion='1'\nsource={git='x'}\n", `"a" is of a path`},
		"two versions":                 {"uv.lock", uvRoot + "[[package]]\nname='a'\nversion='1'\nsource={registry='x'}\n[[package]]\nname='a'\nversion='2'\nsource={registry='x'}\n", "leads to 2 packages"},
		"brackets without end":         {"uv.lock", "a = " + strings.Repeat("[", 2_000_000), "brackets"},
		"tables in tables without end": {"uv.lock", "a = " + strings.Repeat("{a=", 2_000_000), "brackets"},
		"a table of tables":            {"uv.lock", "[" + strings.Repeat("a.", 500_000) + "a]", ""},
		"without its project":          {"poetry.lock", "[[package]]\nname='a'\nversion='1'\n", "pyproject.toml is not in the repository"},
		"a folder":                     {"poetry.lock", "[[package]]\nname='a'\nversion='1'\ngroups=['main']\n[package.source]\ntype='directory'\nurl='../a'\n", `"a" is of a path`},
		"one name twice":               {"poetry.lock", "[[package]]\nname='a'\nversion='1'\ngroups=['main']\n[[package]]\nname='A'\nversion='2'\ngroups=['main']\n", "two versions"},
		"a commit":                     {"pylock.toml", "[[packages]]\nname='a'\nversion='1'\n[packages.vcs]\nurl='x'\n", `"a" is of a path`},
	} {
		_, err := Read([]string{c.file}, bookworm, from(map[string]string{c.file: c.text}))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.file) {
			t.Errorf("%s: want an error of %s with %q, got %.300v", name, c.file, c.want, err)
		}
	}
}
