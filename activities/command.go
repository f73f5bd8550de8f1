package activities

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/repos"
)

// maxPattern bounds the -run pattern; with more names than fit, all tests of the packages are run and only those asked
// for are judged.
const maxPattern = 32 << 10

// testCommand is the environment's test command for the tests that a trial runs.
func testCommand(ctx context.Context, e experiments.Environment, mirror *repos.Mirror, t trial) ([]string, error) {
	command := slices.Clone(e.Command)
	switch e.Select {
	case experiments.SelectGo:
		if t.all {
			return append(command, "./..."), nil
		}
		return append(command, goSelection(t.run)...), nil
	case experiments.SelectFiles:
		if t.all {
			return command, nil
		}
		files, err := testFiles(ctx, mirror, t.tree, t.run)
		return append(command, files...), err
	}
	return command, nil
}

// goSelection chooses tests named import/path::TestName/sub. A bare name means every package that has it.
func goSelection(names []string) []string {
	var tops, packages, args []string
	bare := false
	for _, name := range names {
		pkg, test, ok := strings.Cut(name, "::")
		if !ok {
			pkg, test, bare = "", name, true
		}
		top, _, _ := strings.Cut(test, "/")
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
		return append(args, "./...")
	}
	return append(args, packages...)
}

// testFiles are the files that the tests' names begin with. A runner that is given a file that is not there runs nothing
// at all, so only those of the tree are named; when a name has no file, or no file is there, the runner finds its tests
// by itself.
func testFiles(ctx context.Context, mirror *repos.Mirror, tree string, names []string) ([]string, error) {
	wanted := map[string]bool{}
	for _, name := range names {
		file, _, ok := strings.Cut(name, "::")
		if !ok || strings.HasPrefix(file, "-") {
			return nil, nil
		}
		wanted[file] = true
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
