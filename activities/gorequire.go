package activities

import (
	"context"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"evlab/repos"
)

// addedRequirements are, for each go.mod that a patch changes, the modules with their versions that it adds there.
func addedRequirements(patch []byte) map[string][]string {
	added := map[string][]string{}
	file := ""
	for line := range strings.Lines(string(patch)) {
		line = strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
			file, _, _ = strings.Cut(name, "\t")
			continue
		}
		line, ok := strings.CutPrefix(line, "+")
		if !ok || path.Base(file) != "go.mod" {
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

// forTests is the go.mod of a module with the requirements that the task's own repair adds for its tests, nil where that is
// none: a dataset keeps go.mod with the repair, and no candidate can know what the hidden tests will import. What the
// candidate's program imports it has to require by itself.
func forTests(ctx context.Context, mirror *repos.Mirror, tree, module string, added map[string][]string) (*repos.File, error) {
	name := path.Join(module, "go.mod")
	if len(added[name]) == 0 {
		return nil, nil
	}
	found, err := mirror.Files(ctx, tree, func(p string, size int64) bool {
		return p == name || size < maxGoFile && strings.HasSuffix(p, ".go") && !ignoredGoFolder(path.Dir(p))
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
		file, _ := parser.ParseFile(token.NewFileSet(), "", f.Content, parser.ImportsOnly) // as far as it can be read
		if file == nil {
			continue
		}
		for _, spec := range file.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
				if strings.HasSuffix(f.Path, "_test.go") {
					byTests[imported] = true
				} else {
					byProgram[imported] = true
				}
			}
		}
	}
	required := directives(text, "require")
	lines := ""
	for _, line := range added[name] {
		module, _, _ := strings.Cut(line, " ")
		if !slices.Contains(required, module) && imports(byTests, module) && !imports(byProgram, module) {
			lines += "\nrequire " + line + "\n"
		}
	}
	if lines == "" || text == "" {
		return nil, nil
	}
	return &repos.File{Path: name, Mode: "100644", Content: []byte(text + lines)}, nil
}

func imports(list map[string]bool, module string) bool {
	for name := range list {
		if name == module || strings.HasPrefix(name, module+"/") {
			return true
		}
	}
	return false
}
