package activities

import (
	"bytes"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"path"
	"slices"
	"strings"

	"evlab/repos"
)

// compiled reports whether the go command takes a file for the machine that tests run on, by its name and its constraints,
// with these build tags.
func compiled(name string, text []byte, tags ...string) bool {
	c := build.Default
	c.GOOS, c.CgoEnabled, c.BuildTags = "linux", false, tags
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	match, err := c.MatchFile(path.Dir(name), path.Base(name))
	return match && err == nil
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
		if !needed || compiled(f.Path, f.Content, g.tags...) {
			continue
		}
		own := ownTags(f.Content)
		for i := range len(own) + 1 {
			tags := slices.Concat(g.tags, own)
			if i < len(own) {
				tags = append(slices.Clone(g.tags), own[i])
			}
			if compiled(f.Path, f.Content, tags...) {
				g.tags = slices.Compact(slices.Sorted(slices.Values(tags)))
				break
			}
		}
	}
	if len(g.tags) == 0 {
		return
	}
	for _, f := range left {
		if compiled(f.Path, f.Content, g.tags...) {
			g.take(f)
		}
	}
}

// ownTags are the tags in a source's constraint that are neither of a machine nor of a toolchain.
func ownTags(text []byte) (tags []string) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "package ") {
			break
		}
		if !constraint.IsGoBuild(line) {
			continue
		}
		expr, err := constraint.Parse(line)
		if err != nil {
			return nil
		}
		var walk func(constraint.Expr)
		walk = func(x constraint.Expr) {
			switch x := x.(type) {
			case *constraint.AndExpr:
				walk(x.X)
				walk(x.Y)
			case *constraint.OrExpr:
				walk(x.X)
				walk(x.Y)
			case *constraint.TagExpr: // a file cannot be named after another machine; what is negated has to be absent
				known := x.Tag == "ignore" || x.Tag == "cgo" || x.Tag == "unix" || strings.HasPrefix(x.Tag, "go1.") || x.Tag == "gccgo"
				if !known && compiled("x_"+x.Tag+".go", []byte("package x\n")) {
					tags = append(tags, x.Tag)
				}
			}
		}
		walk(expr)
	}
	return tags
}
