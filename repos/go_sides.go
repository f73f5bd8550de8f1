package repos

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"
)

// goSides tells for a candidate which of its changes of Go are of the tests. What the tree without it says decides, that is
// base with the hidden tests: a candidate could have its program import what it meddles with. Of packages that are new
// the candidate's own tree has to tell.
type goSides struct {
	m                *Mirror
	tests, candidate string // trees
	kept             []string
	before, after    *goCode         // of these; nil until somebody asks
	known            map[string]bool // folder -> isTests
}

// isTests reports whether a source that is no test by its name is of a package that is there for tests, or is there for them
// in a package of the program's. A folder that the task's own repair changes is the program's.
func (s *goSides) isTests(ctx context.Context, p string) (yes bool, err error) {
	if yes, err := s.folderServes(ctx, folder(p)); yes || err != nil {
		return yes, err
	}
	return s.helpsTests(ctx, p)
}

// folderServes is isTests of all sources in a folder.
func (s *goSides) folderServes(ctx context.Context, dir string) (yes bool, err error) {
	if yes, known := s.known[dir]; known {
		return yes, nil
	}
	if !slices.ContainsFunc(s.kept, func(k string) bool { return folder(k) == dir && strings.HasSuffix(k, ".go") }) {
		if yes, err = s.folderIsTests(ctx, dir); err != nil {
			return false, err
		}
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[dir] = yes
	return yes, nil
}

func (s *goSides) folderIsTests(ctx context.Context, dir string) (bool, error) {
	all, err := s.m.entries(ctx, s.tests)
	if err != nil {
		return false, err
	}
	if name := vendored(dir); name != "" {
		g, err := s.beforehand(ctx)
		if err != nil {
			return false, err
		}
		tests, program := g.importers(name)
		return !g.isProgram(dir) && (g.servesTests(dir) || tests && !program), nil
	}
	// Most folders are of no interest, and to know that takes no other folder.
	own, err := s.m.goCode(ctx, slices.DeleteFunc(all, func(e entry) bool { return folder(e.path) != dir }))
	if err != nil || !own.suspect(dir) {
		return false, err
	}
	if f := own.folders[dir]; f != nil && f.sources {
		g, err := s.beforehand(ctx)
		if err != nil || g.isProgram(dir) {
			return false, err
		}
		return g.servesTests(dir) || supportsTests(path.Join(dir, "x.go")), nil
	}
	if !supportsTests(path.Join(dir, "x.go")) {
		return false, nil
	}
	g, err := s.afterwards(ctx)
	return err == nil && !g.isProgram(dir), err
}

// embeds reports whether a file that is no source is the program's, since that embeds it: where it is there without the
// candidate, as it is there.
func (s *goSides) embeds(ctx context.Context, p string) (bool, error) {
	all, err := s.m.entries(ctx, s.tests)
	if err != nil {
		return false, err
	}
	look := s.afterwards
	if slices.ContainsFunc(all, func(e entry) bool { return e.path == p }) {
		look = s.beforehand
	}
	g, err := look(ctx)
	return err == nil && g.embeds(p), err
}

func (s *goSides) beforehand(ctx context.Context) (*goCode, error) {
	return s.read(ctx, s.tests, &s.before)
}

func (s *goSides) afterwards(ctx context.Context) (*goCode, error) {
	return s.read(ctx, s.candidate, &s.after)
}

func (s *goSides) read(ctx context.Context, tree string, into **goCode) (*goCode, error) {
	if *into != nil {
		return *into, nil
	}
	all, err := s.m.entries(ctx, tree)
	if err == nil {
		*into, err = s.m.goCode(ctx, all)
	}
	return *into, err
}

// mayReplace reports whether all replace directives in which a go.mod's two sides differ are the candidate's to write: they
// put a module of its tree in the place of one that the program is made of. What only the tests are made with is not, nor
// are the libraries that tests decide by.
func (s *goSides) mayReplace(ctx context.Context, dir, before, after string) (bool, error) {
	was, is := replacements(before), replacements(after)
	differ := slices.Concat(without(was, is), without(is, was))
	g, err := s.beforehand(ctx)
	if err != nil {
		return false, err
	}
	now, err := s.afterwards(ctx)
	if err != nil {
		return false, err
	}
	for _, line := range differ {
		old, target, _ := strings.Cut(line, " => ")
		name, _, _ := strings.Cut(old, " ")
		name, target = strings.Trim(name, "\"`"), strings.Trim(target, "\"`")
		if slices.Contains(is, line) {
			to := path.Join(dir, target)
			if local := strings.HasPrefix(target, "./") || strings.HasPrefix(target, "../"); !local || strings.HasPrefix(to, "../") || !now.hasModule(to) {
				return false, nil
			}
		}
		tests, program := g.importers(name)
		if vendoredLibraries.MatchString("vendor/"+name) || tests && !program {
			return false, nil
		}
		if program || g.isModule(name) {
			continue
		}
		if listed, err := s.isListed(ctx, name); listed || err != nil {
			return false, err // tests need it in a roundabout way
		}
	}
	return true, nil
}

// without are the lines of a that b has not.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(line string) bool { return slices.Contains(b, line) })
}

// isListed reports whether a module file of the tree without the candidate names a module.
func (s *goSides) isListed(ctx context.Context, name string) (found bool, err error) {
	all, err := s.m.entries(ctx, s.tests)
	if err != nil {
		return false, err
	}
	files := slices.DeleteFunc(all, func(e entry) bool {
		base := path.Base(e.path)
		return !regular(e.mode) || base != "go.mod" && base != "go.sum"
	})
	err = s.m.blobs(ctx, files, func(_ entry, _ int64, content io.Reader) error {
		text, err := io.ReadAll(content)
		for line := range strings.Lines(string(text)) {
			found = found || slices.Contains(strings.Fields(line), name)
		}
		return err
	})
	return found, err
}
