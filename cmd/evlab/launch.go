package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/engine"
	"evlab/experiments"
	"evlab/planning"
	"evlab/report"
	"evlab/runs"
	"evlab/sandbox"
	"evlab/terminal"
)

// sessionFlags are the flags of the commands that do a run's work.
type sessionFlags struct {
	ui     bool
	uiPort int
	keep   bool
}

func (s *sessionFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&s.ui, "temporal-ui", false, "serve Temporal's web pages on this machine while the run lasts")
	flags.IntVar(&s.uiPort, "temporal-ui-port", 0, "their port; 0 takes a free one")
	flags.BoolVar(&s.keep, "keep-images", false, "keep the tasks' images when their cells are done")
}

// check refuses what can't be meant before a run is made.
func (s *sessionFlags) check() error {
	if s.uiPort < 0 || s.uiPort > 65535 {
		return usage("", "--temporal-ui-port %d is not a port: expected 1 to 65535, or 0 for any free one", s.uiPort)
	}
	return nil
}

// openFolder opens the data folder.
func (a *app) openFolder() (*artifacts.Folder, error) {
	dir, err := a.dataFolder()
	if err != nil {
		return nil, err
	}
	folder, err := artifacts.Open(dir)
	if err != nil {
		return nil, precondition("give a folder that can be written with --data DIR or EVLAB_DATA", "%v", err)
	}
	return folder, nil
}

// errNoRuns says that a data folder has no run.
var errNoRuns = errors.New("there is no run")

func noRuns(dir string) error {
	return &failure{
		Code: exitNothing, Msg: "there is no run in " + dir, Err: errNoRuns,
		Hint: "evlab run configs/demo.yaml starts one; --data DIR or EVLAB_DATA names another data folder",
	}
}

// openRuns opens the data folder for commands that begin nothing in it: where it has never had a run, nothing is made.
func (a *app) openRuns() (*artifacts.Folder, error) {
	dir, err := a.dataFolder()
	if err != nil {
		return nil, err
	}
	if !artifacts.HasRuns(dir) {
		return nil, noRuns(dir)
	}
	return a.openFolder()
}

// openRun opens a run of the folder by its id or a unique prefix of it.
func openRun(folder *artifacts.Folder, id string) (*artifacts.Run, error) {
	run, err := folder.OpenRun(id)
	if err != nil {
		return nil, noSuchRun(err)
	}
	return run, nil
}

func noSuchRun(err error) error {
	return &failure{Code: exitUsage, Msg: err.Error(), Hint: "evlab runs list shows the runs of this data folder", Err: err}
}

// openNamed opens the data folder and a run of it, for commands whose first argument is a run. The caller closes the
// folder.
func (a *app) openNamed(id string) (*artifacts.Folder, *artifacts.Run, error) {
	folder, err := a.openRuns()
	if errors.Is(err, errNoRuns) {
		return nil, nil, noSuchRun(fmt.Errorf("%w: %s: %w", artifacts.ErrNoRun, id, err))
	}
	if err != nil {
		return nil, nil, err
	}
	run, err := openRun(folder, id)
	if err != nil {
		return nil, nil, errors.Join(err, folder.Close())
	}
	return folder, run, nil
}

// frozenContract reads a run's contract for a command that can't freeze one.
func frozenContract(run *artifacts.Run) (*experiments.Contract, error) {
	contract, err := run.Contract()
	if errors.Is(err, artifacts.ErrDamaged) {
		return nil, &failure{Code: exitDrift, Msg: err.Error(), Err: err, Hint: "evlab run starts a new run, which takes over every finished cell"}
	}
	if err != nil {
		return nil, &failure{Code: exitUsage, Msg: fmt.Sprintf("run %s is not frozen yet", run.ID), Hint: "evlab resume " + run.ID, Err: err}
	}
	return contract, nil
}

// snapshot is a run's state as progress shows it.
func snapshot(s runs.State, note string) terminal.Snapshot {
	return terminal.Snapshot{
		Total: s.Planned, Done: s.Done, Cached: s.Cached, Infra: s.Infra, Excluded: s.Excluded,
		Preparing: s.Preparing, Running: s.Running, Durations: s.Durations, Left: s.Left, Note: note,
	}
}

// carry does a run's work in this process until it ends or is interrupted, closes progress, and prints the summary. The
// address of the engine is what the run was made with unless one is given.
func (a *app) carry(ctx context.Context, folder *artifacts.Folder, run *artifacts.Run, contract *experiments.Contract, progress *terminal.Progress,
	address string, flags sessionFlags) error {
	end, header, err := endingOf(run)
	if err != nil {
		return err
	}
	if address == "" {
		address = header.Spec.Engine
	}
	session, err := runs.Open(ctx, runs.Options{
		Folder: folder, Address: address, UI: flags.ui, UIPort: flags.uiPort, KeepImages: flags.keep,
		Concurrency: header.Spec.Concurrency, Log: slog.New(slog.DiscardHandler), Notice: progress.Say,
		Phase: func(name string) { progress.Phase(name, 0, 0) },
	})
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(ctx.Err(), err)
		}
		return sessionFailure(folder, err, run.ID)
	}
	if url := session.UIURL(run.ID); url != "" {
		progress.Say("Temporal's pages of this run: " + url)
	}
	for _, note := range contract.Notes {
		progress.Say(note)
	}
	if contract.Sandbox.Reason != "" {
		progress.Say("Sandbox: " + contract.Sandbox.Kind + ": " + contract.Sandbox.Reason + ".")
	}
	summary, err := session.Carry(ctx, run, contract, func(s runs.State) {
		note := s.Latest
		if len(s.Stuck) > 0 {
			note = strings.Join(s.Stuck, "; ")
		}
		progress.Update(snapshot(s, note))
	})
	if ctx.Err() != nil {
		progress.Say("Stopping: ending the steps under way ...")
	}
	cerr := session.Close()
	progress.Close()
	switch {
	case errors.Is(err, runs.ErrStopped), err != nil && ctx.Err() != nil: // programs that it starts hear the interrupt, too
		return &failure{Code: exitInterrupted, Msg: fmt.Sprintf("run %s is stopped; nothing finished is lost", run.ID), Hint: "evlab resume " + run.ID}
	case errors.Is(err, runs.ErrCancelled):
		return &failure{Code: exitUndecided, Msg: fmt.Sprintf("run %s was cancelled; its open cells stay pending", run.ID), Hint: "evlab resume " + run.ID + " tries them again"}
	case err != nil:
		return sessionFailure(folder, err, run.ID)
	case cerr != nil:
		fmt.Fprintf(a.stderr, "note: closing the engine: %s\n", terminal.SafeLines(cerr.Error()))
	}
	return a.printOutcome(ctx, &ended{folder: folder, run: run, contract: contract, summary: summary, ending: end, fresh: header.Fresh, session: flags})
}

// waiting is what to do about a data folder in which another process is at work: carried is its run, "" where nobody knows.
func waiting(carried string) string {
	if carried == "" {
		return "wait for the other evlab to end, or give another folder with --data"
	}
	return "it carries run " + carried + ": evlab watch " + carried + " follows it to its end; or give another folder with --data"
}

// carriedBeside is a run of the folder that a process carries, other than the given one; "" when there is none.
func carriedBeside(folder *artifacts.Folder, run string) string {
	ids, err := folder.RunIDs()
	if err != nil {
		return ""
	}
	for _, id := range ids {
		other, err := folder.OpenRun(id)
		if err != nil || id == run {
			continue
		}
		if held, err := runs.Held(other); held && err == nil {
			return id
		}
	}
	return ""
}

// sessionFailure says what a session could not be opened for, with the next command.
func sessionFailure(folder *artifacts.Folder, err error, run string) error {
	again := "then: evlab resume " + run
	var fault *sandbox.Fault
	switch {
	case errors.Is(err, context.Canceled):
		return &failure{Code: exitInterrupted, Msg: fmt.Sprintf("run %s is stopped before it began", run), Hint: "evlab resume " + run, Err: err}
	case errors.Is(err, engine.ErrInUse):
		return &failure{Code: exitPrecondition, Msg: err.Error(), Hint: waiting(carriedBeside(folder, run)) + "; " + again, Err: err}
	case errors.Is(err, engine.ErrPortTaken), errors.Is(err, engine.ErrDamaged), errors.Is(err, engine.ErrDiskFull), errors.Is(err, engine.ErrUnreachable):
		return precondition(again, "%v", err)
	case unwritable(err):
		return precondition(makeWritable+"; "+again, "%v", err)
	case artifacts.NoRoom(err):
		return precondition(makeRoom+"; "+again, "%v", err)
	case errors.As(err, &fault):
		return precondition("evlab doctor checks the sandbox; "+again, "%v", err)
	}
	return &failure{Code: exitUnexpected, Msg: err.Error(), Hint: "evlab resume " + run, Err: err}
}

// planningFailure says why a run can't be frozen; specFile is its experiment file, empty when it has none.
func planningFailure(err error, specFile string) error {
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, planning.ErrSelection):
		return &failure{Code: exitNothing, Msg: err.Error(), Err: err}
	case errors.Is(err, planning.ErrRepositories):
		hint := "--repos takes " + reposHelp
		if specFile != "" {
			hint = "cohort: {repos: ...} in " + specFile + " takes " + reposHelp
		}
		return usage(hint, "%v", err)
	case errors.Is(err, planning.ErrSandbox):
		return precondition("evlab doctor says what is missing", "%v", err)
	case artifacts.NoRoom(err):
		return precondition(makeRoom, "%v", err)
	case unmade(err):
		return precondition(makeWritable, "%v", err)
	}
	var wrong *datasets.WrongKindError
	if errors.As(err, &wrong) {
		return wrongKind(wrong.Path, wrong.Path, wrong.Is, wrong.Want)
	}
	f := &failure{Code: exitUsage, Msg: err.Error(), Err: err}
	if specFile != "" {
		f.Hint = "evlab config check " + specFile + " checks the experiment file itself"
	}
	return f
}

// unmade reports whether an error is that something could not be made, which planning does in the data folder alone. What it
// can't read is somebody's file.
func unmade(err error) bool {
	var path *fs.PathError
	return errors.Is(err, syscall.EROFS) || errors.As(err, &path) && path.Op == "mkdir" && errors.Is(err, fs.ErrPermission)
}

// printSummary prints the end of a run; cells without a verdict are exit code 3.
func (a *app) printSummary(s *report.Summary) error {
	if a.json {
		if err := a.printJSON(s); err != nil {
			return err
		}
	} else if err := report.Text(a.stdout, s, a.width(a.stdout)); err != nil {
		return err
	}
	if s.Cells.Complete() {
		return nil
	}
	lost := lostOf(s.Missing, func(m report.Missing) string { return m.Class })
	return undecided(s.RunID, "evlab run EXPERIMENT", lost, s.Cells.Infra+s.Cells.Pending-lost, "%d of %d cells have no verdict (%d infra, %d excluded, %d pending)",
		s.Cells.Planned-s.Cells.Done, s.Cells.Planned, s.Cells.Infra, s.Cells.Excluded, s.Cells.Pending)
}

// printVersionLine is the first line of every stream of JSON lines.
func (a *app) printVersionLine() error {
	if !a.json {
		return nil
	}
	return a.printJSON(currentVersion())
}

// confirm asks before anything is spent. Without a terminal there is nobody to ask.
func (a *app) confirm(question string) error {
	if !terminal.IsTerminal(raw(a.stderr)) || !isTerminalReader(a.stdin) {
		return usage("add --yes to start without being asked", "there is no terminal to ask on")
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	line, err := bufio.NewReader(io.LimitReader(a.stdin, 1024)).ReadString('\n')
	if err != nil && line == "" {
		return &failure{Code: exitInterrupted, Msg: "nothing was started"}
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return &failure{Code: exitInterrupted, Msg: "nothing was started"}
}

// newRunID names a run after its experiment and the time.
func newRunID(name string, now time.Time) string {
	return name + "-" + now.UTC().Format("20060102-150405")
}

// isTerminalReader tells a person at the other end from a pipe.
func isTerminalReader(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && terminal.IsTerminal(f)
}
