package activities

import (
	"context"
	"iter"
	"path"
	"slices"
	"strings"

	"evlab/environments"
	"evlab/repos"
)

// addedLines gives the lines that a patch adds, each with its file.
func addedLines(patch []byte) iter.Seq2[string, string] {
	return func(yield func(file, line string) bool) {
		file := ""
		for line := range strings.Lines(string(patch)) {
			line = strings.TrimRight(line, "\r\n")
			if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
				file, _, _ = strings.Cut(name, "\t")
				continue
			}
			if line, ok := strings.CutPrefix(line, "+"); ok && !yield(file, line) {
				return
			}
		}
	}
}

// addedRequirements are, for each go.mod that a patch changes, the modules with their versions that it adds there.
func addedRequirements(patch []byte) map[string][]string {
	added := map[string][]string{}
	for file, line := range addedLines(patch) {
		if path.Base(file) != "go.mod" {
			continue
		}
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "require" {
			f = f[1:]
		}
		if len(f) == 2 && strings.Contains(f[0], ".") && strings.HasPrefix(f[1], "v") {
			added[file] = append(added[file], f[0]+" "+f[1])
		}
	}
	return added
}

// forTests is the go.mod of a module with the requirements of its tests that it lacks, nil where that is none: those that
// the task's own repair adds, since a dataset keeps go.mod with the repair, and no candidate can know what the hidden tests
// will import; and those of base, which a candidate that took tests away may have tidied up. What the candidate's program
// imports it has to require by itself.
func forTests(ctx context.Context, mirror *repos.Mirror, t trial, module string) (*repos.File, error) {
	name := path.Join(module, "go.mod")
	known := slices.Clone(t.adds[name])
	required, err := requiredAt(ctx, mirror, t.tree, name)
	if err != nil {
		return nil, err
	}
	if t.base != "" {
		before, err := requiredAt(ctx, mirror, t.base, name)
		if err != nil {
			return nil, err
		}
		known = append(known, before...)
	}
	known = slices.DeleteFunc(known, func(line string) bool {
		module, _, _ := strings.Cut(line, " ")
		return slices.ContainsFunc(required, func(have string) bool { return strings.HasPrefix(have, module+" ") })
	})
	if len(known) == 0 {
		return nil, nil
	}
	found, err := mirror.Files(ctx, t.tree, func(p string, size int64) bool {
		return p == name || size < maxGoFile && strings.HasSuffix(p, ".go") && !environments.IgnoredGoFolder(path.Dir(p))
	})
	if err != nil {
		return nil, err
	}
	byTests, byProgram := map[string]bool{}, map[string]bool{}
	text := ""
	for _, f := range found {
		if f.Path == name {
			text = string(f.Content)
			continue
		}
		by := byProgram
		if strings.HasSuffix(f.Path, "_test.go") {
			by = byTests
		}
		for _, imported := range repos.GoImports(f.Content) {
			by[imported] = true
		}
	}
	lines, done := "", map[string]bool{}
	for _, line := range known {
		module, _, _ := strings.Cut(line, " ")
		if !done[module] && imports(byTests, module) && !imports(byProgram, module) {
			lines += "\nrequire " + line + "\n"
			done[module] = true
		}
	}
	if lines == "" || text == "" {
		return nil, nil
	}
	return &repos.File{Path: name, Mode: "100644", Content: []byte(text + lines)}, nil
}

// requiredAt are the modules with their versions that a tree's go.mod requires; none where it has no such file.
func requiredAt(ctx context.Context, mirror *repos.Mirror, tree, name string) (required []string, err error) {
	text, err := textAt(ctx, mirror, tree, name)
	return requirements(string(text)), err
}

// requirements are the modules with their versions that a go.mod requires.
func requirements(mod string) (required []string) {
	for _, line := range repos.Directives(mod, "require") {
		if len(line) > 1 {
			required = append(required, line[0]+" "+line[1])
		}
	}
	return required
}

func imports(list map[string]bool, module string) bool {
	for name := range list {
		if name == module || strings.HasPrefix(name, module+"/") {
			return true
		}
	}
	return false
}
