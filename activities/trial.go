package activities

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/evidence"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox"
	"evlab/sandbox/testlog"
	"evlab/workflows"
)

// trial is one command of hidden tests on one tree. Its id follows from the tree and the tests, so candidates of one
// task that give the same tree are tested once in a run: the tree is the candidate's identity, and one tree has one
// verdict.
type trial struct {
	id    string // stable: the container and the result are found by it
	phase string
	names []string            // of the tests that the phase asks for
	run   []string            // of the tests that the command runs: names, or more of them
	all   bool                // the command runs whatever tests there are
	nth   int                 // more than 0: one of several runs of the same, which are told apart
	tree  string              // base + candidate + hidden tests
	base  string              // the task's, once it is known; no part of the id, since it is the image's
	repo  string              // the task's, as base is
	asks  bool                // the task's own repair has the program ask whether it is tested, so a candidate may
	adds  map[string][]string // what the task's own repair adds to each go.mod; the task's, too
	image workflows.Image
	cell  string
	task  string

	hidden  []string // paths of the test patch
	brought []string // other files that the tree has and base has not, or not so
}

// tried is a trial's outcome, as it is remembered: for all the tests that its command ran.
type tried struct {
	Cell     string                   `json:"cell"` // that it was started for; empty for a preflight
	Tested   workflows.Tested         `json:"tested"`
	Results  []experiments.TestResult `json:"results"`
	Doubted  bool                     `json:"doubted,omitempty"`  // the command's problem is that the control has not its answer
	Rewrote  string                   `json:"rewrote,omitempty"`  // data of the tests that was changed while they ran, which is the command's problem if nothing else is
	Expected []string                 `json:"expected,omitempty"` // tests that failed as expected
	Alone    []string                 `json:"alone,omitempty"`    // tests that the log names as passed and the second report does not know
	Said     string                   `json:"said,omitempty"`     // the compiler's first complaint, or a line of standard error when no test reported
}

// named gives the trial its id after what it tests.
func (t trial) named(runID string) (trial, error) {
	what := []any{t.tree, t.run, t.image.Ref}
	if t.all || t.nth > 0 {
		what = append(what, t.all, t.nth)
	}
	d, err := experiments.DigestJSON(what)
	t.id = runID + "/" + t.task + "/tests-" + d.Short()
	return t, err
}

// try runs a trial once: a result that is remembered is returned, a container that an earlier process started is
// joined, and the container goes only after the result is on disk.
func (b *Sandbox) try(ctx context.Context, memory *artifacts.Once, contract *experiments.Contract, t trial) (tried, error) {
	var out tried
	if len(t.names) == 0 && !t.all {
		out.Tested.Passed, out.Tested.Command.Phase = true, t.phase // nothing was asked
		return out, nil
	}
	err := memory.Do(ctx, t.id, b.Boot, &out, func(ctx context.Context, _ int) (any, error) {
		return b.start(ctx, contract, t)
	})
	if err != nil {
		return out, err
	}
	if out.Cell != t.cell {
		out.Tested.Starts = 0 // it was started for another cell with the same tree
	}
	out.narrow(t)
	// Forgetting after every answer also cleans up after a process that died between the two.
	if err := b.Box.Forget(ctx, t.id, 1); err != nil {
		b.Log.Warn("removing a finished container", "step", t.id, "error", err)
	}
	return out, nil
}

func (b *Sandbox) start(ctx context.Context, contract *experiments.Contract, t trial) (tried, error) {
	out := tried{Cell: t.cell}
	frozen, ok := contract.Task(t.task)
	if !ok {
		return out, fmt.Errorf("the contract has no task %q", t.task)
	}
	mirror, err := b.mirror(ctx, frozen)
	if err != nil {
		return out, err
	}
	delta, err := mirror.Delta(ctx, frozen.BaseCommit, t.tree)
	if err != nil {
		return out, err
	}
	if err := os.MkdirAll(b.Folder.Scratch(), 0o755); err != nil {
		return out, err
	}
	stdout, stderr, remove, err := logs(b.Folder.Scratch())
	if err != nil {
		return out, err
	}
	defer remove()
	l := contract.Spec.Limits
	environment, err := contract.EnvironmentOf(frozen)
	if err != nil {
		return out, err
	}
	t.base, t.repo, t.brought = frozen.BaseCommit, frozen.Repo, besides(delta, t.hidden)
	command, err := newTestCommand(ctx, environment, mirror, t, contract.Versions["go"])
	if err != nil {
		return out, err
	}
	step := sandbox.Step{
		ID: t.id, Attempt: 1, Image: sandbox.Image{ID: t.image.ID, Ref: t.image.Ref},
		Dir: command.dir, Command: command.args, Env: slices.Concat(environment.Env, command.env),
		Files: sourcesFirst(command.laidOver(delta)),
		Limits: sandbox.Limits{
			Timeout: l.StepTimeout, Memory: int64(l.Memory), Scratch: int64(l.Scratch), Log: int64(l.Log),
			Processes: l.Processes, CPUs: l.CPUs,
		},
		Held:   held(delta, t.hidden),
		Labels: map[string]string{"evlab.run": contract.RunID, "evlab.task": t.task, "evlab.cell": t.cell},
		Stdout: stdout, Stderr: stderr,
	}
	res, err := b.Box.Run(ctx, step)
	if err != nil {
		return out, b.fault(ctx, t.id, err)
	}
	switch {
	case res.Outcome == sandbox.Killed && (res.Exit != killedHard || b.kills.another(t.id) >= allowedFaults):
		// A crash is the command's own, and so is a kill that comes again and again.
	case res.Outcome == sandbox.EngineLost, res.Outcome == sandbox.Killed, res.Outcome == sandbox.Cancelled:
		// Somebody else ended it: that says nothing about the patch. The next try starts from a fresh container.
		err := fmt.Errorf("the step %s ended as %s", t.id, res.Outcome)
		if ferr := b.Box.Forget(ctx, t.id, 1); ferr != nil {
			err = fmt.Errorf("%w, and its container could not be removed: %v", err, ferr)
		}
		return out, b.fault(ctx, t.id, &sandbox.Fault{Class: string(res.Outcome), Err: err})
	}
	c := &out.Tested.Command
	*c = experiments.Command{
		Step: t.id, Args: command.args, Outcome: string(res.Outcome), Exit: res.Exit,
		Started: res.Started.UTC(), Ended: res.Ended.UTC(), Truncated: res.Truncated, Reattached: res.Reattached, Image: t.image.Ref,
	}
	out.Tested.Starts = max(res.Starts, 1) // a joined container was started once, by whoever it was
	if c.Log, err = b.Folder.Public.PutFile(ctx, stdout); err != nil {
		return out, err
	}
	if c.Stderr, err = b.Folder.Public.PutFile(ctx, stderr); err != nil {
		return out, err
	}
	rep, made, unread, err := b.report(ctx, environment, step, res)
	if err != nil {
		return out, fmt.Errorf("reading the test report of %s: %w", t.id, err)
	}
	c.Report = made
	if command.second != nil {
		if err := command.second.confirm(rep, stderr); err != nil {
			return out, fmt.Errorf("reading the second test report of %s: %w", t.id, err)
		}
	}
	doubtful, err := unannounced(ctx, mirror, t.tree, rep, t.run)
	if err != nil {
		return out, err
	}
	own := bringsExpectedFailures(delta, t.run)
	out.read(rep, res, t, func(name string) bool { return own || doubtful[name] })
	if unread != "" {
		c.Problem = unread
	} else if out.Said = compilerSaid(rep); out.Said == "" && len(rep.Tests) == 0 {
		out.Said = complaint(stderr, command.second)
	}
	if c.Problem == "" {
		if c.Problem, err = t.program(ctx, mirror, environment, delta, stderr); err != nil {
			return out, err
		}
	}
	if command.control != nil && c.Problem == "" {
		if wrong := command.control.check(rep, t.run); len(wrong) > 0 {
			forged, err := b.controlHoldsAtBase(ctx, environment, command, step, wrong)
			if err != nil {
				return out, err
			}
			if forged {
				c.Problem, out.Doubted = command.control.problem(rep, wrong), true
			}
		}
	}
	out.wrote(res.Altered)
	return out, nil
}

// wrote takes in that a file of the tests was changed while they ran. Tests may write their data anew, and some do each time;
// but a program can have them do so, by the flag that they have for it or by itself, and then they find what they look for.
func (out *tried) wrote(altered string) {
	c := &out.Tested.Command
	if altered == "" || repos.IsTestSource(altered) || c.Problem != "" && !out.Doubted {
		return
	}
	out.Rewrote = altered
	if c.Problem == "" {
		c.Problem = "the hidden tests' data " + altered + " was changed while they ran"
	}
}

// laidOver is a delta with the command's own files, which come in the place of those of the same path.
func (c testCommand) laidOver(delta repos.Delta) repos.Delta {
	own := map[string]bool{}
	for _, f := range c.files {
		own[f.Path] = true
	}
	kept := slices.DeleteFunc(slices.Clone(delta.Files), func(f repos.File) bool { return own[f.Path] })
	return repos.Delta{Files: append(kept, c.files...), Remove: delta.Remove}
}

// besides are the files of a delta but for those of hidden.
func besides(delta repos.Delta, hidden []string) (paths []string) {
	for _, f := range delta.Files {
		if !slices.Contains(hidden, f.Path) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

func readReport(environment experiments.Environment, stdout string) (*testlog.Report, error) {
	grammar, err := testlog.Find(environment.Report)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(stdout)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return grammar.Read(f)
}

// killedHard is the status of a command that SIGKILL ended: a process of its own may have sent it, or somebody outside.
const killedHard = 128 + 9

// held are the files of a delta that nothing has any business changing while the tests run: their sources, and the data
// that came with the hidden ones.
func held(delta repos.Delta, hidden []string) (names []string) {
	for _, f := range delta.Files {
		if repos.IsTestSource(f.Path) || slices.Contains(hidden, f.Path) && evidence.IsTestPath(f.Path) {
			names = append(names, f.Path)
		}
	}
	return names
}

// sourcesFirst puts the sources of tests before what else a step writes, since only the first file that was changed is told,
// and of data that says less.
func sourcesFirst(delta repos.Delta) repos.Delta {
	slices.SortStableFunc(delta.Files, func(a, b repos.File) int {
		return first(repos.IsTestSource(a.Path), repos.IsTestSource(b.Path))
	})
	return delta
}

// read takes what a report says of a command that has ended. A test that failed as expected passed, unless it is doubtful
// who expects it.
func (out *tried) read(rep *testlog.Report, res sandbox.Result, t trial, doubtful func(name string) bool) {
	problem := ""
	switch {
	case res.Outcome == sandbox.Killed:
		problem = fmt.Sprintf("the command was ended by signal %d", res.Exit-128)
	case repos.IsTestSource(res.Altered):
		problem = "the tests' own file " + res.Altered + " was changed while they ran"
	case res.Outcome != sandbox.Completed:
		problem = "the step ended by its limit: " + string(res.Outcome)
	case res.Truncated:
		problem = "the report is longer than the log limit, so it may hide its end"
	default:
		if finding, reason := rep.Assess(res.Exit); finding != testlog.Sound {
			problem = string(finding) + ": " + reason
		}
	}
	out.Tested.Command.Problem = problem
	for _, j := range rep.Judge(t.run) {
		outcome := j.Outcome
		if outcome == testlog.ExpectedFailure {
			out.Expected = append(out.Expected, j.Name)
		}
		if j.Alone {
			out.Alone = append(out.Alone, j.Name)
		}
		if outcome.OK() && (outcome != testlog.ExpectedFailure || !doubtful(j.Name)) {
			outcome = testlog.Passed
		}
		out.Results = append(out.Results, experiments.TestResult{Name: j.Name, Outcome: string(outcome)})
	}
	if t.all {
		out.Results = append(out.Results, others(rep, t.run)...)
	}
}

// others are the report's tests that nobody asked for by name.
func others(rep *testlog.Report, names []string) []experiments.TestResult {
	asked := make(map[string]bool, len(names))
	for _, name := range names {
		asked[name] = true
	}
	var results []experiments.TestResult
	for _, key := range slices.Sorted(maps.Keys(rep.Tests)) {
		_, bare, scoped := strings.Cut(key, "::")
		if asked[key] || scoped && asked[bare] {
			continue
		}
		outcome := rep.Tests[key]
		if outcome.OK() {
			outcome = testlog.Passed
		}
		results = append(results, experiments.TestResult{Name: key, Outcome: string(outcome)})
	}
	return results
}

// narrow leaves of what a command told the answer for one phase. A phase passed only if every test that it asks for is
// named as passed in a whole report that the exit status does not contradict.
func (out *tried) narrow(t trial) {
	names, wanted := t.names, true
	if t.phase == workflows.Others {
		names, wanted = t.run, false
	}
	listed := make(map[string]bool, len(names))
	for _, name := range names {
		listed[name] = true
	}
	var results []experiments.TestResult
	first := ""
	for _, r := range out.Results {
		if listed[r.Name] != wanted {
			continue
		}
		r.Phase = t.phase
		results = append(results, r)
		if r.Outcome != experiments.PassedTest && first == "" {
			first = fmt.Sprintf("%s: %s", r.Name, r.Outcome)
		}
	}
	out.Results = results
	c := &out.Tested.Command
	c.Phase = t.phase
	if out.Tested.Passed = first == "" && c.Problem == ""; out.Tested.Passed {
		out.Tested.Reason = ""
		return
	}
	parts := slices.DeleteFunc([]string{first, c.Problem, out.Said}, func(s string) bool { return s == "" })
	out.Tested.Reason = oneLine(strings.Join(parts, "; "))
}

// compilerSaid is the first line that the report has of a build that failed, but for the headings of packages.
func compilerSaid(rep *testlog.Report) string {
	for line := range strings.Lines(rep.Build) {
		if line = oneLine(line); line != "" && !strings.HasPrefix(line, "#") {
			return "the build failed: " + unfetched.ReplaceAllString(line, "the module $1 is none of those that base and the task's own repair require")
		}
	}
	return ""
}

// unfetched is how the go command says that a module is not in the cache, which nobody can write to.
var unfetched = regexp.MustCompile(`(?:mkdir|open) \S*/cache/download/(\S+?)(?:/@v/\S+)?: permission denied`)

// complaint is the line of what a command said that best tells why no test reported: the first one that speaks of an error,
// since builds say first what they are going to do; else the first line. A second report that follows is none of it.
func complaint(path string, second *secondReport) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 256<<10)) // what was read is better than nothing
	first := ""
	for line := range strings.Lines(strings.ToValidUTF8(string(text), "?")) {
		if second != nil && strings.TrimSuffix(line, "\n") == second.mark {
			break
		}
		line = oneLine(line)
		if speaksOfError.MatchString(line) {
			return line
		}
		if first == "" {
			first = line
		}
	}
	return first
}

// speaksOfError finds "error" and names such as SyntaxError, and not what counts errors or is called after them.
var speaksOfError = regexp.MustCompile(`(?:^|[^\w./-])(?:[Ee]rror|ERROR|[A-Z]\w*Error)(?:\b[^\w./-]|$)`)
