package activities

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox/testlog"
)

// testCommand is how a trial's tests are run.
type testCommand struct {
	args    []string
	dir     string       // inside of the tree, "" for its root
	env     []string     // besides the environment's own
	files   []repos.File // that come into the tree for it, or in the place of the tree's own
	control *control     // nil where there is none
	second  *secondReport
}

// maxPattern bounds the -run pattern; with more names than fit, all tests of the packages are run and only those asked
// for are judged.
const maxPattern = 32 << 10

// newTestCommand is the environment's test command for the tests that a trial runs. version is that of the Go toolchain.
func newTestCommand(ctx context.Context, e experiments.Environment, mirror *repos.Mirror, t trial, version string) (testCommand, error) {
	switch e.Select {
	case experiments.SelectGo:
		return goTestCommand(ctx, e, mirror, t, version)
	case experiments.SelectFiles:
		if t.all {
			break
		}
		files, err := testFiles(ctx, mirror, t.tree, t.run)
		if err != nil {
			return testCommand{}, err
		}
		c := testCommand{args: slices.Clone(e.Command), control: newPytestControl(e, t)}
		if c.control == nil {
			c.control, err = newNodeControl(ctx, e, mirror, t)
		}
		if c.control != nil {
			c.files = c.control.files
			c.args = append(c.args, c.control.args...)
		}
		c.args, c.second = withSecondReport(e, c.control, c.args)
		if len(files) == 0 {
			c.args = append(c.args, everyFile(e)...)
		}
		c.args = append(c.args, files...)
		return c, err
	}
	c := testCommand{args: slices.Clone(e.Command)}
	if t.all {
		c.args = append(c.args, everyFile(e)...)
		return c, nil
	}
	control, err := newJavaControl(ctx, e, mirror, t)
	if control == nil && err == nil {
		control, err = newRustControl(ctx, e, mirror, t)
	}
	if control != nil {
		c.control, c.files = control, control.files
	}
	return c, err
}

// everyFile is what the command needs where it finds the tests by itself: pytest runs none when there is a file that it
// can't import, which nobody may have asked for.
func everyFile(e experiments.Environment) []string {
	if e.Report == testlog.Pytest && e.Select == experiments.SelectFiles {
		return []string{keepCollecting}
	}
	return nil
}

const keepCollecting = "--continue-on-collection-errors"

// goTop is the package of a test's name, and the test that the go command can be told to run: a subtest's outermost.
func goTop(name string) (pkg, top string) {
	pkg, test := testlog.SplitGo(name)
	top, _, _ = strings.Cut(test, "/")
	return pkg, top
}

// goSelection chooses tests named import/path::TestName/sub. A bare name means every package that has it, of those that
// everywhere stands for; beside such, the packages of the others are named, too.
func goSelection(names, everywhere []string) []string {
	var tops, packages, args []string
	bare := false
	for _, name := range names {
		pkg, top := goTop(name)
		bare = bare || pkg == ""
		tops = append(tops, regexp.QuoteMeta(top))
		packages = append(packages, pkg)
	}
	slices.Sort(tops)
	slices.Sort(packages)
	tops, packages = slices.Compact(tops), slices.Compact(packages)
	if pattern := "^(" + strings.Join(tops, "|") + ")$"; len(pattern) <= maxPattern {
		args = append(args, "-run", pattern)
	}
	if bare {
		args = append(args, everywhere...)
		packages = slices.DeleteFunc(packages, func(pkg string) bool { return pkg == "" })
	}
	return append(args, packages...)
}

// testFiles are the files that the tests' names begin with. A runner that is given a file that is not there runs nothing
// at all, so only those of the tree are named; when a name has no file, or no file is there, the runner finds its tests
// by itself. Names in the manner of unittest have the file of their module.
func testFiles(ctx context.Context, mirror *repos.Mirror, tree string, names []string) ([]string, error) {
	wanted := map[string]bool{}
	var dotted []string
	for _, name := range names {
		file, _, ok := strings.Cut(name, "::")
		switch path := testlog.UnittestPath(name); {
		case ok && !strings.HasPrefix(file, "-"):
			wanted[file] = true
		case !ok && path != "":
			dotted = append(dotted, path)
		default:
			return nil, nil
		}
	}
	if len(dotted) > 0 {
		modules, err := moduleFiles(ctx, mirror, tree, dotted)
		if err != nil || len(modules) == 0 {
			return nil, err
		}
		for _, file := range modules {
			wanted[file] = true
		}
	}
	found, err := mirror.Files(ctx, tree, func(path string, _ int64) bool { return wanted[path] })
	if err != nil {
		return nil, err
	}
	var files []string
	for _, f := range found {
		files = append(files, f.Path)
	}
	slices.Sort(files)
	return files, nil
}

// moduleFiles are the files that module.Class.test is in, for each of names; none where one of them has no file. The modules
// are told from where unittest was started, so a folder may be above.
func moduleFiles(ctx context.Context, mirror *repos.Mirror, tree string, names []string) (files []string, err error) {
	at := map[string][]string{} // end of a path -> paths
	_, err = mirror.Files(ctx, tree, func(path string, _ int64) bool {
		if strings.HasSuffix(path, ".py") {
			for end := path; ; {
				at[end] = append(at[end], path)
				_, below, ok := strings.Cut(end, "/")
				if !ok {
					break
				}
				end = below
			}
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		var found []string
		for module := name; len(found) == 0 && strings.Contains(module, "."); {
			module = module[:strings.LastIndexByte(module, '.')]
			found = at[strings.ReplaceAll(module, ".", "/")+".py"]
		}
		if len(found) == 0 {
			return nil, nil
		}
		files = append(files, found...)
	}
	return files, nil
}
