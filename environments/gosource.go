package environments

import (
	"bytes"
	"go/build"
	"go/build/constraint"
	"io"
	"path"
	"strings"
)

// IgnoredGoFolder reports whether the go command's patterns pass a folder over.
func IgnoredGoFolder(dir string) bool {
	for part := range strings.SplitSeq(dir, "/") {
		if part == "testdata" || part == "vendor" || len(part) > 1 && (part[0] == '_' || part[0] == '.') {
			return true
		}
	}
	return false
}

// Compiled reports whether the go command takes a file for the machine that tests run on, by its name and its constraints,
// with these build tags.
func Compiled(name string, text []byte, cgo bool, tags ...string) bool {
	c := build.Default
	c.GOOS, c.CgoEnabled, c.BuildTags = "linux", cgo, tags
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	match, err := c.MatchFile(path.Dir(name), path.Base(name))
	return match && err == nil
}

// OwnTags are the tags in a source's constraint that are neither of a machine nor of a toolchain.
func OwnTags(text []byte) (tags []string) {
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
				if !known && Compiled("x_"+x.Tag+".go", []byte("package x\n"), false) {
					tags = append(tags, x.Tag)
				}
			}
		}
		walk(expr)
	}
	return tags
}
