package planning

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"evlab/datasets"
	"evlab/environments"
	"evlab/experiments"
	"evlab/sandbox/testlog"
)

// maxShell bounds a command's text: Linux takes no longer argument than 128 KiB.
const maxShell = 100 << 10

// conda enters the environment that SWE-bench's images and their kin have for the tests.
var conda = []string{". /opt/miniconda3/bin/activate", "conda activate testbed"}

// testsIn is how a task's tests are run where it says so itself, and how their report is read; known is the recipe of its
// language, whose command is run when it does not, and in place of one that is pytest: evlab's own has a control among the
// tests. The tree is evlab's, candidate, hidden tests and all, and has no history: nothing of a dataset's that makes the
// tree is run. A Reader's program is not stored yet.
func testsIn(setting datasets.Setting, known *experiments.Environment) (experiments.Environment, error) {
	if setting.FailOnly {
		return experiments.Environment{}, errors.New("its suite names failures alone, and a test passed only if it is named")
	}
	c, err := commandsOf(setting)
	if err != nil {
		return experiments.Environment{}, err
	}
	entered := setting.Rule == datasets.RuleSWEBench || setting.Rule == datasets.RuleSmith
	if entered && known != nil && known.Report == testlog.Pytest && reads(setting.Grammar, known.Report) && isPytest(c.tests) {
		c.tests = nil
	}
	if len(c.tests) == 0 {
		return c.around(setting, known)
	}
	e := experiments.Environment{Command: c.words(setting), Select: experiments.SelectAll, Report: setting.Grammar}
	for _, w := range e.Command {
		if len(w) > maxShell || strings.ContainsRune(w, 0) {
			return e, fmt.Errorf("its test commands have %d bytes, or a NUL; %d bytes are taken", len(w), maxShell)
		}
	}
	if setting.Parser != "" {
		e.Report = testlog.Parsed
		e.Reader, err = reader(setting)
		return e, err
	}
	if setting.Grammar == "" && setting.Rule == datasets.RuleMulti {
		return e, errors.New("its report is read by a program that Multi-SWE-bench has for its repository alone, and that evlab has none for")
	}
	if setting.Grammar == "" {
		return e, errors.New("nothing says how the report of its test command is to be read (field report)")
	}
	_, err = testlog.Find(setting.Grammar)
	return e, err
}

// commands are the shell lines of a setting.
type commands struct {
	prepare []string
	tests   []string // none: the recipe's command
	print   []string // whose output is the report, where that of the tests is not
	worst   bool     // the last bad status of all the tests' commands counts, not that of the last of them
	whole   string   // a script that tests is all of; its arguments are files
	files   []string
}

// commandsOf takes them out of what the dataset says.
func commandsOf(setting datasets.Setting) (c commands, err error) {
	switch {
	case setting.Rule == datasets.RulePro: // what it prepares is a checkout
		if setting.Script == "" || setting.Parser == "" {
			return c, errors.New("its script and the program that reads its report are files of its dataset's (evlab import --scripts)")
		}
		return commands{tests: []string{setting.Script}, whole: "run_script.sh", files: setting.TestFiles}, nil
	case setting.Rule == datasets.RuleMulti && slices.Equal(setting.Tests, []string{datasets.MultiScript}):
		return commands{prepare: multiPrepare, tests: []string{". /home/fix-run.sh"}}, nil
	case setting.Script != "":
		parts, err := takeApart(setting.Script)
		return commands{prepare: parts.prepare, tests: parts.tests, worst: true}, err
	}
	c = commands{prepare: slices.Clone(setting.Prepare), tests: slices.Clone(setting.Tests), print: setting.Print}
	if setting.Rule == datasets.RuleSWEBench || setting.Rule == datasets.RuleSmith {
		c.prepare = append(slices.Clone(conda), c.prepare...)
	}
	if n := len(c.tests); n > 0 {
		for _, file := range setting.TestFiles {
			c.tests[n-1] += " " + quoted(file)
		}
	}
	return c, nil
}

// multiPrepare comes before a script of Multi-SWE-bench's images, which applies the hidden tests and a repair and then runs
// the tests. The image has the task's own repair where a candidate's would go, so that file is emptied; and applying does
// nothing, whatever the script's way of asking git for it.
var multiPrepare = []string{
	"[ ! -e /home/fix.patch ] || : >/home/fix.patch || exit 1", "git() { :; }", "patch() { :; }", "export -f git patch",
}

// around is the recipe's command in the environment that the lines prepare.
func (c commands) around(setting datasets.Setting, known *experiments.Environment) (experiments.Environment, error) {
	switch {
	case known == nil:
		return experiments.Environment{}, errors.New("nothing says how its tests are run in its image")
	case setting.Parser != "":
		return experiments.Environment{}, errors.New("it has a program that reads its report, and no test command")
	case setting.Grammar != "" && !reads(setting.Grammar, known.Report):
		return experiments.Environment{}, fmt.Errorf("its tests are run by a command that only its dataset's harness knows (its report is read by %s)", setting.Grammar)
	}
	e := *known // its variables too: they keep old bytecode and short lines away
	e.Languages, e.Packages, e.Setup, e.Warm = nil, nil, nil, nil
	if len(c.prepare) > 0 {
		lines := slices.Concat(c.prepare, []string{`exec "$@"`})
		if setting.Script != "" { // its lines print, and what is printed is the report
			lines = slices.Concat([]string{aside}, c.prepare, []string{back, `exec "$@"`})
		}
		e.Command = append([]string{"bash", "-c", strings.Join(lines, "\n"), "bash"}, e.Command...)
	}
	return e, nil
}

// What is no report goes to standard error, and back.
const (
	aside  = "exec 9>&1 1>&2"
	back   = "exec 1>&9 9>&-"
	merged = back + " 2>&1"
)

// words are the command. Where a dataset's harness takes both streams for one log, they are one here, unless the report is
// pytest's, which never writes to the other one and would be cut by it.
func (c commands) words(setting datasets.Setting) []string {
	switch {
	case c.whole != "":
		words := []string{"bash", "-c", c.tests[0], c.whole}
		if len(c.files) > 0 {
			words = append(words, strings.Join(c.files, ","))
		}
		return words
	case setting.Rule == datasets.RuleEvlab: // as it was written
		return []string{"sh", "-c", strings.Join(slices.Concat(c.prepare, c.tests), "\n")}
	}
	to := merged
	if fromPytest(setting.Grammar) {
		to = back
	}
	lines := append([]string{aside}, c.prepare...)
	if len(c.print) == 0 {
		lines = append(lines, to)
	}
	if c.worst {
		lines = append(lines, "set +x", "evlab_status=0", "trap 'evlab_status=$?' ERR")
		lines = append(append(lines, c.tests...), "exit $evlab_status")
		return []string{"bash", "-c", strings.Join(lines, "\n")}
	}
	lines = append(lines, c.tests...)
	if len(c.print) > 0 { // the report is printed after the tests, whose status counts
		lines = slices.Concat(lines, []string{"evlab_status=$?", merged}, c.print, []string{"exit $evlab_status"})
	}
	return []string{"bash", "-c", strings.Join(lines, "\n")}
}

// reader is where and how a dataset's program reads the logs: where evlab's own Python is.
func reader(setting datasets.Setting) (*experiments.Reader, error) {
	python, err := environments.Of("python")
	if err != nil {
		return nil, err
	}
	r := &experiments.Reader{Takes: experiments.ReaderTakesLog, Packages: python.Packages, Setup: python.Setup, Env: python.Env}
	if setting.Rule == datasets.RulePro {
		r.Takes = experiments.ReaderTakesFiles
	}
	return r, nil
}

// quoted is a word of the shell's.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Options of pytest that change what it prints and nothing of what it runs; and a run of it that tox starts in the
// environment as it is.
var (
	plainPytest = regexp.MustCompile(`^(?:pytest|py\.test|python3? -m pytest)(?: (?:-rA|-v+|--verbose|--no-header|--tb=\w+|--color=no|--disable-warnings|--durations=\d+|-p no:(?:cacheprovider|nose)|-o console_output_style=classic|-W ignore::\w+|'?[\w./-]*\w\.py'?))*$`)
	toxPytest   = regexp.MustCompile(`^tox --current-env -epy\d+ -v --(?: '?[\w./-]+'?)*$`)
)

// isPytest reports whether all that the lines do is run pytest.
func isPytest(lines []string) bool {
	return len(lines) == 1 && (plainPytest.MatchString(lines[0]) || toxPytest.MatchString(lines[0]))
}

// reads reports whether a dataset's parser is one of the reports that a recipe's runner writes.
func reads(grammar, report string) bool {
	return grammar == report || report == testlog.Pytest && strings.HasPrefix(testlog.Canonical(grammar), "parse_log_pytest")
}

// fromPytest reports whether a grammar is of pytest's logs.
func fromPytest(grammar string) bool {
	return reads(grammar, testlog.Pytest) || slices.Contains([]string{"live_pytest", "parse_log_matplotlib", "parse_log_seaborn"}, grammar)
}
