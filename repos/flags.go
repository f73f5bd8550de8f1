package repos

import (
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Kinds of flags; a flag is "kind: path".
const (
	FlagRunnerConfig = "runner config" // what a test runner or build reads besides sources
	FlagGoModule     = "go module"     // go.mod, go.sum, go.work
	FlagGoReplace    = "go.mod replace"
	FlagVendor       = "vendored code"
	FlagTestMain     = "TestMain"
	FlagReport       = "report file" // looks like a ready-made test report; none is ever read from the tree
)

// configNames are the base names of files that configure a runner or a build.
var configNames = map[string]string{
	"setup.cfg": FlagRunnerConfig, "tox.ini": FlagRunnerConfig, "pyproject.toml": FlagRunnerConfig,
	"package.json": FlagRunnerConfig, "makefile": FlagRunnerConfig, "gnumakefile": FlagRunnerConfig,
	"pom.xml": FlagRunnerConfig, "build.gradle": FlagRunnerConfig, "build.gradle.kts": FlagRunnerConfig, "settings.gradle": FlagRunnerConfig,
	"settings.gradle.kts": FlagRunnerConfig, "cargo.toml": FlagRunnerConfig, "cmakelists.txt": FlagRunnerConfig,
	"go.mod": FlagGoModule, "go.sum": FlagGoModule, "go.work": FlagGoModule, "go.work.sum": FlagGoModule,
}

var reportName = regexp.MustCompile(`(?i)^(junit|test-|test_report|report|results?)[^/]*\.xml$|^(test|go-?test)[-_.]?(report|results?|output)?\.json$`)

// reportFolders are folders that build tools write reports into.
var reportFolders = []string{"test-results", "test-reports", "surefire-reports"}

// configKind is the kind of flag that a path deserves, "" for none. inBase has the files and folders of base, nil where
// nothing is known of it.
func configKind(p string, inBase map[string]bool) string {
	name, folders := strings.ToLower(path.Base(p)), strings.Split(path.Dir(p), "/")
	if kind := configNames[name]; kind != "" {
		return kind
	}
	switch {
	case slices.Contains(folders, "vendor"), slices.Contains(folders, "node_modules"):
		return FlagVendor
	case strings.HasSuffix(name, ".pth"), strings.HasSuffix(name, ".cmake"), configuresRunner(p), isRunnersOwn(p, inBase):
		return FlagRunnerConfig
	case reportName.MatchString(name):
		return FlagReport
	}
	for _, f := range reportFolders {
		if slices.Contains(folders, f) {
			return FlagReport
		}
	}
	return ""
}

// isGoTest reports whether the go tool compiles p into a test binary only.
func isGoTest(p string) bool { return strings.HasSuffix(p, "_test.go") }

// maxFlags bounds the flags of one kind.
const maxFlags = 20

var testMain = regexp.MustCompile(`(?m)^func[ \t]+TestMain[ \t]*\(`)

// flags tells what changes touch besides sources. only is true when something configures the runner and everything
// else is a test file, which hidden tests undo (Overlay).
func (m *Mirror) flags(ctx context.Context, base string, changes []change) (flags []string, only bool, err error) {
	baseTree, err := m.Tree(ctx, base)
	if err != nil {
		return nil, false, err
	}
	inBase, err := m.inTree(ctx, baseTree)
	if err != nil {
		return nil, false, err
	}
	count := map[string]int{}
	add := func(kind, p string) {
		if count[kind]++; count[kind] <= maxFlags {
			flags = append(flags, printable(kind+": "+p))
		}
	}
	configs, others := 0, 0
	var read []entry
	for _, c := range changes {
		kind := configKind(c.path, inBase)
		switch {
		case kind != "":
			configs++
			add(kind, c.path)
		case !isGoTest(c.path):
			others++
		}
		if isGoTest(c.path) && regular(c.newMode) {
			read = append(read, entry{mode: modeFile, id: c.newID, path: c.path})
		}
		if path.Base(c.path) == "go.mod" {
			before, after, err := m.sides(ctx, c)
			if err != nil {
				return nil, false, err
			}
			if replaces(before) != replaces(after) {
				add(FlagGoReplace, c.path)
			}
		}
	}
	err = m.blobs(ctx, read, func(e entry, size int64, content io.Reader) error {
		text, err := io.ReadAll(io.LimitReader(content, maxPatch))
		if testMain.Match(text) {
			configs++
			add(FlagTestMain, e.path)
		}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	for _, kind := range []string{FlagRunnerConfig, FlagGoModule, FlagGoReplace, FlagVendor, FlagTestMain, FlagReport} {
		if more := count[kind] - maxFlags; more > 0 {
			flags = append(flags, fmt.Sprintf("%s: %d more", kind, more))
		}
	}
	return flags, configs > 0 && others == 0, nil
}

func regular(mode string) bool { return strings.HasPrefix(mode, "100") }

// replaces is the normalised text of the replace directives of a go.mod.
func replaces(text string) string { return strings.Join(replacements(text), "\n") }
