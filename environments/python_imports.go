package environments

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/repos/python"
	"evlab/sandbox/wheel"
)

// PythonSources gather what the sources of a tree import that neither Python nor the tree has, and the plugins of pytest
// that its settings name, since tests use those without an import. Look sees every path of the tree; Read, those files that
// it wants.
type PythonSources struct {
	modules map[string]bool // files that can be imported, by their paths without the extension
	folders map[string]bool // that hold such at any depth, and whether they are packages by a file __init__.py
	read    map[string]string
}

// NewPythonSources are of no tree yet.
func NewPythonSources() *PythonSources {
	return &PythonSources{map[string]bool{}, map[string]bool{}, map[string]string{}}
}

// Look takes note of a path of the tree, and says whether Read wants the file.
func (p *PythonSources) Look(name string) bool {
	dir, base := path.Dir(name), path.Base(name)
	if stem, ok := moduleFile(base); ok {
		p.modules[path.Join(dir, stem)] = true
		for d := dir; d != "."; d = path.Dir(d) {
			p.folders[d] = p.folders[d] || d == dir && stem == "__init__"
		}
	}
	if isSetting(dir, base) || isWorkflow(dir, base) {
		return true
	}
	return strings.HasSuffix(base, ".py") && !strings.HasPrefix(base, "bench") && !(dir == "." && slices.Contains(buildFiles, base)) && !slices.ContainsFunc(strings.Split(dir, "/"), aside)
}

// Read takes a file of the tree, which may come again in another version.
func (p *PythonSources) Read(name string, text []byte) {
	p.read[name] = string(text)
}

// moduleFile is a module's name, by its file.
func moduleFile(base string) (string, bool) {
	for _, ext := range []string{".py", ".pyx", ".pyi"} {
		if stem, ok := strings.CutSuffix(base, ext); ok {
			return stem, true
		}
	}
	return "", false
}

// buildFiles are run by who builds or checks a repository, with what that needs.
var buildFiles = []string{"setup.py", "noxfile.py", "tasks.py", "fabfile.py", "dodo.py", "conf.py"}

// aside reports whether a folder is of sources that tests do not run: documents, examples, other people's, data.
func aside(dir string) bool {
	if len(dir) > 1 && dir[0] == '.' {
		return true
	}
	switch strings.ToLower(strings.Trim(dir, "_")) {
	case "doc", "docs", "example", "examples", "sample", "samples", "demo", "demos", "bench", "benchmark", "benchmarks", "script", "scripts",
		"tool", "tools", "ci", "contrib", "vendor", "vendored", "third_party", "node_modules", "build", "dist", "data", "testdata", "test_data", "test-data", "resources":
		return true
	}
	return false
}

// isSetting reports whether a file says what a repository needs or how its tests are run.
func isSetting(dir, base string) bool {
	if ext := path.Ext(base); (ext == ".txt" || ext == ".in") && (dir == "." || dir == "test" || dir == "tests" || strings.HasPrefix(dir, "requirements") || hasWorkflows(dir)) {
		return strings.Contains(strings.ToLower(path.Join(dir, base)), "require") || strings.Contains(base, "test") || strings.Contains(base, "dev")
	}
	return dir == "." && slices.Contains([]string{"pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", ".pytest.ini", "Pipfile", "noxfile.py", "hatch.toml"}, base)
}

var (
	settingWord   = regexp.MustCompile(`[A-Za-z0-9]+(?:[-_.]+[A-Za-z0-9]+)*`)
	settingOption = regexp.MustCompile(`(?m)(?:^|[\s"'=])(--?[A-Za-z][\w-]*)`)
)

// Packages are the packages of Debian that the tree asks for, by the names that known has, sorted. known is not called for
// a tree that asks for none.
//
// What a module imports as such, its tests need. What it imports in a block may be one of several ways, or for a machine of
// another kind, or for one function: of that counts what the settings name, as something that the repository requires.
func (p *PythonSources) Packages(rule experiments.Imports, known func() (map[string]bool, error)) ([]string, error) {
	words, options := p.settings()
	asked := map[string][]string{} // what Debian may call it, the likelier name first
	shared := p.roots()
	for name, text := range p.read {
		if isSetting(path.Dir(name), path.Base(name)) || isWorkflow(path.Dir(name), path.Base(name)) {
			continue
		}
		roots := slices.Clone(shared)
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			roots = append(roots, dir)
		}
		for _, i := range python.Imports(text) {
			if i.Dots > 0 {
				continue
			}
			names := p.elsewhere(roots, i.Module, rule)
			if i.Always || required(words, rule, i.Module, names) {
				asked[i.Module] = names
			}
		}
	}
	for word := range words {
		if strings.HasPrefix(word, "pytest-") || slices.Contains(rule.Plugins, word) {
			asked[word] = []string{debianName(rule, word)}
		}
	}
	for option, name := range rule.Options {
		if options[option] {
			asked[option] = []string{name}
		}
	}
	maps.DeleteFunc(asked, func(_ string, names []string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return n != "" })
	})
	if len(asked) == 0 {
		return nil, nil
	}
	all, err := known()
	if err != nil {
		return nil, err
	}
	var packages []string
	for _, names := range asked {
		i := slices.IndexFunc(names, func(n string) bool { return all[n] })
		if i >= 0 {
			packages = append(packages, names[i])
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages), nil
}

// required reports whether words of settings name what a module is released as: by the module's name, with "python" or "py"
// before it, or by another that the rule has.
func required(words map[string]bool, rule experiments.Imports, module string, names []string) bool {
	top, _, _ := strings.Cut(module, ".")
	called := []string{top}
	for _, name := range names {
		called = append(called, moduleOf(rule, name))
	}
	return slices.ContainsFunc(called, func(name string) bool {
		n := wheel.Normal(name)
		return words[n] || words["python-"+n] || words["py"+n] || words[rule.Released[name]]
	})
}

// settings are the words of the tree's settings, spelled as indexes compare names, and the options in them.
func (p *PythonSources) settings() (words, options map[string]bool) {
	words, options = map[string]bool{}, map[string]bool{}
	for name, text := range p.read {
		if isWorkflow(path.Dir(name), path.Base(name)) {
			for _, word := range installed(text) {
				words[wheel.Normal(word)] = true
			}
		}
		if !isSetting(path.Dir(name), path.Base(name)) {
			continue
		}
		for _, word := range settingWord.FindAllString(text, -1) {
			words[wheel.Normal(word)] = true
		}
		for _, m := range settingOption.FindAllStringSubmatch(text, -1) {
			options[m[1]] = true
		}
	}
	return words, options
}

// elsewhere is what Debian may call a module: nothing for Python's own and the tree's, which lie in roots.
func (p *PythonSources) elsewhere(roots []string, module string, rule experiments.Imports) (names []string) {
	top, rest, _ := strings.Cut(module, ".")
	second, _, _ := strings.Cut(rest, ".")
	if pythonsOwn(top) && rule.Named[top] == "" {
		return nil
	}
	shared := false // others have parts of what the tree has a part of, as zope
	for _, root := range roots {
		at := path.Join(root, top)
		whole, folder := p.folders[at]
		if p.modules[at] || whole || folder && p.has(path.Join(at, second)) {
			return nil
		}
		shared = shared || folder
	}
	if second != "" && second != "_" {
		names = append(names, debianName(rule, top+"."+second))
	}
	if shared {
		return names
	}
	return append(names, debianName(rule, top))
}

// has reports whether the tree has a module or a folder of modules here.
func (p *PythonSources) has(at string) bool {
	_, folder := p.folders[at]
	return folder || p.modules[at]
}

// roots are the folders that all of the tree may import from: its own, and those in it that are no packages.
func (p *PythonSources) roots() []string {
	roots := []string{"."}
	for name, whole := range p.folders {
		if !whole && !strings.Contains(name, "/") && !aside(name) {
			roots = append(roots, name)
		}
	}
	return roots
}

// debianName is what Debian calls the package of a module, empty for none.
func debianName(rule experiments.Imports, module string) string {
	if name := rule.Named[module]; name != "" {
		return name
	}
	name := strings.ReplaceAll(rule.Package, "{module}", strings.ReplaceAll(strings.ToLower(module), "_", "-"))
	if slices.Contains(rule.Without, name) {
		return ""
	}
	return name
}

// moduleOf is the way back, as far as names follow the rule.
func moduleOf(rule experiments.Imports, name string) string {
	prefix, _, _ := strings.Cut(rule.Package, "{")
	return strings.TrimPrefix(name, prefix)
}
