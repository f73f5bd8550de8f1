package repos

import (
	"context"
	"io"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"evlab/repos/python"
)

// In Python a name says that something is for tests, and a program may have the same: test_utils.py is a helper of the tests
// in one repository and a module of the program in the next. Who imports it tells them apart.

// pythonTests is what of a path says that it is for Python's tests: the folder, or the file itself; "" where nothing does, or
// where the folder is one that nobody has for anything else (supportsTests). Inside of a package, test and testing are how
// programs call what they offer to the tests of others.
func pythonTests(p string) string {
	dirs := strings.Split(folder(p), "/")
	if len(dirs) == 1 && dirs[0] == "" {
		dirs = nil
	}
	name := path.Base(p)
	if inTestFolder(p) {
		return ""
	}
	for i, dir := range dirs {
		if speaksOfTests(dir, i > 0) {
			return strings.Join(dirs[:i+1], "/")
		}
	}
	if stem, ok := strings.CutSuffix(name, ".py"); ok && speaksOfTests(stem, len(dirs) > 0) {
		return p
	}
	return ""
}

// packagedTests is the outermost folder of a path that lies inside of a package and is called test or testing; "" where none is.
func packagedTests(p string) string {
	dirs := strings.Split(folder(p), "/")
	for i, dir := range dirs {
		if offersTests(dir, i > 0) {
			return strings.Join(dirs[:i+1], "/")
		}
	}
	return ""
}

// withTests are the folders of packagedTests in which files of pytest's names lie: such a folder has the package's own tests,
// and what else is in it helps them. One without is what the package offers to others.
func withTests(paths iter.Seq[string]) map[string]bool {
	found := map[string]bool{}
	for p := range paths {
		if dir := folder(p); foundByPytest(p) && packagedTests(p) == dir {
			found[dir] = true
		}
	}
	return found
}

// speaksOfTests reports whether a word of a name is a word for tests.
func speaksOfTests(name string, nested bool) bool {
	return !offersTests(name, nested) && slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' || r == '.' }), testWord.MatchString)
}

// offersTests reports whether a name is one under which a package has what it offers to the tests of others, or its own.
func offersTests(name string, nested bool) bool {
	return nested && (name == "test" || name == "testing")
}

var testWord = regexp.MustCompile(`^(unit|self|run|all)?tests?(ing|suites?|data|cases?|utils?|utilities|helpers?|lib|kit|tools?|base|common|support|fixtures?|files?|all)?$`)

// pythonTree tells what the Python of a tree imports. It is read when it is asked for the first time.
type pythonTree struct {
	all  []entry
	read map[string]bool // dotted names, and the names that they begin with
}

// ofProgram reports whether the program, and not its tests alone, imports what is at a path: a source, or the modules of a
// folder.
func (t *pythonTree) ofProgram(ctx context.Context, m *Mirror, at string) (bool, error) {
	if t.read == nil {
		t.read = map[string]bool{}
		packaged := withTests(t.paths())
		sources := slices.DeleteFunc(slices.Clone(t.all), func(e entry) bool {
			return !strings.HasSuffix(e.path, ".py") || !regular(e.mode) || supportsTests(e.path) || configuresRunner(e.path) ||
				pythonTests(e.path) != "" || packaged[packagedTests(e.path)] || path.Base(e.path) == "setup.py"
		})
		err := m.blobs(ctx, sources, func(_ entry, _ int64, content io.Reader) error {
			text, err := io.ReadAll(io.LimitReader(content, 1<<20))
			for _, i := range python.Imports(string(text)) { // relative ones without their dots
				for name := i.Module; name != "" && !t.read[name]; name = name[:max(strings.LastIndexByte(name, '.'), 0)] {
					t.read[name] = true
				}
			}
			return err
		})
		if err != nil {
			return false, err
		}
	}
	module := strings.ReplaceAll(strings.TrimSuffix(at, ".py"), "/", ".")
	for ; ; module = module[strings.IndexByte(module, '.')+1:] { // from a folder above, or from beside it
		if t.read[module] || !strings.Contains(module, ".") {
			return t.read[module], nil
		}
	}
}

func (t *pythonTree) paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, e := range t.all {
			if !yield(e.path) {
				return
			}
		}
	}
}

// holds reports whether the tree has Python at a path.
func (t *pythonTree) holds(at string) bool {
	return slices.ContainsFunc(t.all, func(e entry) bool {
		return e.path == at || strings.HasPrefix(e.path, at+"/") && strings.HasSuffix(e.path, ".py")
	})
}

// pythonSides tells for a candidate which of its changes are of Python's tests.
type pythonSides struct {
	m               *Mirror
	base, candidate string // trees
	kept            []string
	before, after   *pythonTree // of these; nil until somebody asks
}

// isTests reports whether what is called after tests, at a path, is theirs and not the program's. What was there before is
// judged by what was there before: a candidate that has its program import a test makes it no part of it. A folder that the
// task's own repair changes is the program's. One without Python has data, or is another language's affair.
func (s *pythonSides) isTests(ctx context.Context, p, at string) (bool, error) {
	if slices.ContainsFunc(s.kept, func(p string) bool { return strings.HasPrefix(p, at+"/") }) {
		return false, nil
	}
	tree, err := s.read(ctx, s.base, &s.before)
	if err != nil {
		return false, err
	}
	if !tree.holds(at) {
		if tree, err = s.read(ctx, s.candidate, &s.after); err != nil {
			return false, err
		}
		if !tree.holds(at) {
			return !isSource(p), nil
		}
	}
	program, err := tree.ofProgram(ctx, s.m, at)
	return !program, err
}

func (s *pythonSides) read(ctx context.Context, tree string, into **pythonTree) (*pythonTree, error) {
	if *into != nil {
		return *into, nil
	}
	all, err := s.m.entries(ctx, tree)
	if err == nil {
		*into = &pythonTree{all: all}
	}
	return *into, err
}
