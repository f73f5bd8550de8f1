package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/engine"
	"evlab/experiments"
	"evlab/planning"
	"evlab/runs"
	"evlab/terminal"
)

func newRun(a *app) *cobra.Command {
	var machine machineFlags
	var session sessionFlags
	var yes, fresh bool
	var id string
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Plan an experiment, ask, and carry it to its tables",
		Long: "Run freezes what the experiment file says, shows the plan, and carries the run to its end in this process. A run that\n" +
			"dies or is interrupted loses nothing: resume takes it up. A cell that an earlier run finished with the same inputs is\n" +
			"taken over (cached in JSON) and not run again, unless --fresh is given. Executor calls are requests to an executor, one\n" +
			"a round at most, which cost money where it is a model; the calls of the table are retrieval calls, by which a cell was\n" +
			"shown evidence.",
		Example: "  evlab run configs/demo.yaml --yes\n" +
			"  evlab run exp.yaml --run-id pilot-1 --json --yes\n" +
			"  evlab run exp.yaml --fresh",
		Args:        exactArgs("an experiment file"),
		Annotations: map[string]string{exitNote: "3,4,5"},
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := a.readSpec(args[0], &machine)
			if f := (*failure)(nil); errors.As(err, &f) && (args[0] == "list" || args[0] == "cancel") {
				f.Hint = "evlab runs " + args[0] + " is another command"
			}
			if err != nil {
				return err
			}
			folder, err := a.openFolder()
			if err != nil {
				return err
			}
			defer folder.Close()
			h := newHeader(id, loaded.Spec, fresh)
			h.SpecFile = loaded.File
			return a.launch(cmd.Context(), folder, &h, session, func(contract *experiments.Contract, plan *experiments.Plan) error {
				if yes {
					return nil
				}
				if err := a.showPlan(folder, contract, plan, loaded.Spec.Concurrency.Steps); err != nil {
					return err
				}
				n := plan.Count(experiments.ToRun)
				if n == 0 { // nothing is begun, so there is nothing to ask
					return nil
				}
				return a.confirm(fmt.Sprintf("Start %s?", plural(n, "cell")))
			})
		},
	}
	machine.bind(cmd)
	session.bind(cmd)
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "start without being asked")
	cmd.Flags().BoolVar(&fresh, "fresh", false, "do every cell anew, whatever finished before")
	cmd.Flags().StringVar(&id, "run-id", "", "name of the run (default NAME-DATE-TIME, with a number where that is taken)")
	return cmd
}

// newHeader is a new run's; without an id the run is named when its folder is made.
func newHeader(id string, spec experiments.Spec, fresh bool) artifacts.Header {
	return artifacts.Header{RunID: id, Created: time.Now().UTC(), Spec: spec, Fresh: fresh}
}

// createRun makes the folder of a new run. A run without a name gets that of its experiment with the time, and a number
// when another start in the same second was first.
func createRun(folder *artifacts.Folder, h *artifacts.Header) (*artifacts.Run, error) {
	if h.RunID != "" {
		if err := experiments.CheckName("run", h.RunID); err != nil {
			return nil, usage("", "--run-id: %v", err)
		}
		run, err := folder.CreateRun(*h)
		if errors.Is(err, artifacts.ErrRunExists) {
			return nil, usage("evlab resume "+h.RunID+" goes on with it; another --run-id starts a new one", "%v", err)
		}
		return run, err
	}
	const most = 1000
	name := newRunID(h.Spec.Name, h.Created)
	for n := 1; ; n++ {
		h.RunID = name
		if n > 1 {
			h.RunID = fmt.Sprintf("%s-%d", name, n)
		}
		run, err := folder.CreateRun(*h)
		if !errors.Is(err, artifacts.ErrRunExists) || n == most {
			return run, err
		}
	}
}

// launch makes a run, freezes it, and carries it to its end once ask has agreed. The run's id is in h afterwards.
func (a *app) launch(ctx context.Context, folder *artifacts.Folder, h *artifacts.Header, session sessionFlags,
	ask func(*experiments.Contract, *experiments.Plan) error) error {
	if err := session.check(); err != nil {
		return err
	}
	run, err := createRun(folder, h)
	if err != nil {
		return err
	}
	defer a.hold(run)()
	if err := a.printVersionLine(); err != nil {
		return err
	}
	if a.json {
		if err := a.printJSON(map[string]string{"type": "run", "run_id": run.ID, "folder": run.Dir}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.stderr, "run %s\n", run.ID)
	}
	progress := a.newProgress()
	defer progress.Close()
	contract, err := a.freeze(ctx, folder, run, progress)
	if err != nil {
		if ctx.Err() != nil {
			return &failure{Code: exitInterrupted, Msg: fmt.Sprintf("run %s is stopped before it was planned", run.ID), Hint: "evlab resume " + run.ID, Err: err}
		}
		// What can't be frozen can't be resumed either: the run never was.
		return planningFailure(errors.Join(err, os.RemoveAll(run.Dir)), h.SpecFile)
	}
	plan, err := run.Plan()
	if err != nil {
		return err
	}
	if err := ask(contract, plan); err != nil {
		return errors.Join(err, os.RemoveAll(run.Dir))
	}
	err = a.carry(ctx, folder, run, contract, progress, "", session)
	if errors.Is(err, engine.ErrInUse) { // it was refused before it began: nothing of it shall be left
		err = errors.Join(precondition(waiting(carriedBeside(folder, run.ID)), "run %s was not begun: %v", run.ID, err), os.RemoveAll(run.Dir))
	}
	return err
}

// freeze reads the run's contract or freezes it now, and says how far it is.
func (a *app) freeze(ctx context.Context, folder *artifacts.Folder, run *artifacts.Run, progress *terminal.Progress) (*experiments.Contract, error) {
	defer progress.Phase("", 0, 0)
	progress.Phase("reading the cohort", 0, 0)
	return runs.Contract(ctx, folder, run, currentVersion().Version, func(done, total int) { progress.Phase("freezing tasks", done, total) })
}

// hold marks the run as carried by this process, for those who ask for its status. Where that can't be done nobody can
// tell, and the run goes on. From here on the process outlives those who read what it writes.
func (a *app) hold(run *artifacts.Run) (release func()) {
	outlivesReaders()
	a.again = "evlab resume " + run.ID + " goes on with it, and shows the result once more"
	release, err := runs.Hold(run)
	if err != nil {
		return func() {}
	}
	return release
}

func newResume(a *app) *cobra.Command {
	var session sessionFlags
	var address string
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was stopped, died, or has cells without a verdict",
		Long: "Resume goes by what the run froze, not by the experiment file. Cells with a verdict are kept, cells without one are\n" +
			"done again, steps that were paid for are not paid again. It ends as the command that made the run: with the contrast\n" +
			"of a comparison, the report of an evaluation, the folder of a validation. A finished run's results are shown once more.",
		Example:           "  evlab resume demo-20261201-101500\n  evlab resume demo --json",
		Args:              exactArgs("a run"),
		ValidArgsFunction: a.completeRuns,
		Annotations:       map[string]string{exitNote: "3,4,6"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := session.check(); err != nil {
				return err
			}
			folder, run, err := a.openNamed(args[0])
			if err != nil {
				return err
			}
			defer folder.Close()
			return a.resume(cmd.Context(), folder, run, address, session)
		},
	}
	session.bind(cmd)
	cmd.Flags().StringVar(&address, "engine", "", "host:port of a Temporal server (default what the run was launched with)")
	return cmd
}

// resume carries a run from where it is to its end, and shows its results.
func (a *app) resume(ctx context.Context, folder *artifacts.Folder, run *artifacts.Run, address string, session sessionFlags) error {
	end, header, err := endingOf(run)
	if err != nil {
		return err
	}
	if err := run.CheckFolder(); err != nil {
		return precondition("then: evlab resume "+run.ID, "%v", err)
	}
	if err := runs.Sweep(run); err != nil {
		return err
	}
	defer a.hold(run)()
	if err := a.printVersionLine(); err != nil {
		return err
	}
	progress := a.newProgress()
	defer progress.Close()
	contract, err := a.freeze(ctx, folder, run, progress)
	if errors.Is(err, artifacts.ErrDamaged) {
		return &failure{Code: exitDrift, Msg: err.Error(), Err: err, Hint: "evlab run starts a new run, which takes over every finished cell"}
	}
	if err != nil {
		return planningFailure(err, header.SpecFile)
	}
	if err := run.CheckPlaces(contract); err != nil {
		return precondition("remove it, then: evlab resume "+run.ID, "%v", err)
	}
	finished, err := runs.Finished(run)
	if err != nil {
		return err
	}
	if !finished {
		return a.carry(ctx, folder, run, contract, progress, address, session)
	}
	summary, err := runs.Summary(run, contract)
	if err != nil {
		return err
	}
	progress.Close()
	return a.printOutcome(ctx, &ended{folder: folder, run: run, contract: contract, summary: summary, ending: end, fresh: header.Fresh, session: session})
}

// completeRuns completes run ids.
func (a *app) completeRuns(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	folder, err := a.openRuns()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	defer folder.Close()
	listed, err := planning.Runs(folder)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, l := range listed {
		ids = append(ids, l.Run.ID)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
