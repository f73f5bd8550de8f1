package activities

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"evlab/environments"
	"evlab/repos"
)

// compiled reports whether the go command takes a file for the tests, with these build tags.
func (g *goTree) compiled(f repos.File, tags ...string) bool {
	return environments.Compiled(f.Path, f.Content, g.cgo, tags...)
}

// take notes the tests asked for that a file declares.
func (g *goTree) take(f repos.File) {
	file, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Content, parser.PackageClauseOnly)
	if err != nil {
		return // it does not compile, which the go command says better
	}
	dir := path.Dir(f.Path)
	for _, m := range declared.FindAllStringSubmatch(string(f.Content), -1) {
		if folders, asked := g.asked[m[1]]; asked {
			g.tests[dir] = strings.TrimSuffix(file.Name.Name, "_test")
			g.asked[m[1]] = append(folders, dir)
		}
	}
}

// takeTagged finds tests asked for that only files with build tags of the repository's own declare, such as integration.
// Whoever made the list had them compiled, so they are here.
func (g *goTree) takeTagged(left []repos.File) {
	for _, f := range left {
		needed := slices.ContainsFunc(declared.FindAllStringSubmatch(string(f.Content), -1), func(m []string) bool {
			folders, asked := g.asked[m[1]]
			return asked && len(folders) == 0
		})
		if !needed || g.compiled(f, g.tags...) {
			continue
		}
		own := environments.OwnTags(f.Content)
		for i := range len(own) + 1 {
			tags := slices.Concat(g.tags, own)
			if i < len(own) {
				tags = append(slices.Clone(g.tags), own[i])
			}
			if g.compiled(f, tags...) {
				g.tags = slices.Compact(slices.Sorted(slices.Values(tags)))
				break
			}
		}
	}
	if len(g.tags) == 0 {
		return
	}
	for _, f := range left {
		if g.compiled(f, g.tags...) {
			g.take(f)
		}
	}
}
