package activities

import (
	"context"
	"slices"
	"time"

	"evlab/artifacts"
	"evlab/evidence"
	"evlab/experiments"
	"evlab/organizer"
	"evlab/repos"
	"evlab/workflows"
)

// record makes a cell's record from what its steps left.
func (o *Organizer) record(ctx context.Context, run *artifacts.Run, contract *experiments.Contract, in workflows.ScoreInput) (*experiments.Record, error) {
	inputs, err := contract.Inputs(in.Cell)
	if err != nil {
		return nil, err
	}
	task, _ := contract.Task(in.Cell.Task)
	cond, _ := contract.Condition(in.Cell.Condition)
	exec, _ := contract.Executor(in.Cell.Executor)
	rec := &experiments.Record{
		RunID: run.ID, Cell: in.Cell, Key: experiments.KeyOf(inputs), Inputs: inputs,
		LabelsReadAtInference: cond.Diagnostic() || exec.Kind == experiments.Reference, Simulated: exec.Kind == experiments.Simulated,
		Repository: task.Repo, Episode: task.Episode,
		Rounds: in.Rounds, Patch: in.Patch, Versions: versions(contract),
		Started: time.Unix(0, in.Started).UTC(), Finished: time.Now().UTC(),
	}
	if in.Started == 0 {
		rec.Started = rec.Finished
	}
	if rec.Attempts, err = tries(run, in.Cell); err != nil {
		return nil, err
	}
	for _, r := range in.Rounds {
		rec.Scores.Tokens += r.PromptTokens + r.ReplyTokens
		if r.Called {
			rec.Scores.Calls++
		}
	}
	rec.Effects.ExecutorCalls = in.Calls
	for _, p := range in.Phases {
		rec.Commands = append(rec.Commands, p.Command)
		rec.Effects.ContainerStarts += p.Starts
		if p.Results == "" {
			continue
		}
		var results []experiments.TestResult
		if err := o.Folder.Public.GetJSON(ctx, p.Results, &results); err != nil {
			return nil, err
		}
		rec.Tests = append(rec.Tests, results...)
	}
	if in.Report != "" {
		rec.Bundle = new(experiments.BundleReport)
		if err := o.Folder.Public.GetJSON(ctx, in.Report, rec.Bundle); err != nil {
			return nil, err
		}
	}
	if in.Verdict != "" {
		rec.Verdict, rec.Class, rec.Reason = in.Verdict, in.Class, in.Reason
		return rec, nil
	}
	var private organizer.Private
	if err := o.Folder.Private.GetJSON(ctx, task.Private, &private); err != nil {
		return nil, err
	}
	o.decide(rec, in, private.Tests.PassToPassComplete)
	if err := o.scoreEvidence(rec, &private); err != nil {
		return nil, err
	}
	return rec, o.scoreTargets(ctx, rec, &private)
}

// decide gives the verdict. strict asks for both phases and for a complete pass-to-pass environment (table 24).
func (o *Organizer) decide(rec *experiments.Record, in workflows.ScoreInput, complete bool) {
	if in.Applied == nil {
		rec.Verdict, rec.Reason = experiments.Empty, "the executor proposed no patch"
		return
	}
	rec.Tree, rec.Flags = in.Applied.Tree, in.Applied.Flags
	switch in.Applied.Outcome {
	case "empty":
		rec.Verdict, rec.Reason = experiments.Empty, in.Applied.Reason
		return
	case "applied":
	default:
		rec.Verdict, rec.Reason = experiments.ApplyFailed, in.Applied.Reason
		return
	}
	rec.Verdict = experiments.Unresolved
	for i, p := range in.Phases {
		switch i {
		case 0:
			rec.Scores.FailToPass = p.Passed
		case 1:
			rec.Scores.PassToPass = p.Passed
		}
		if i < 2 && !p.Passed && rec.Reason == "" {
			rec.Reason = p.Reason
		}
	}
	switch s := &rec.Scores; {
	case !s.FailToPass || !s.PassToPass:
	case in.Applied.ConfigOnly:
		rec.Reason = "the patch changes nothing but the configuration of the tests' runner"
	case !complete:
		rec.Reason = "the task's pass-to-pass environment is incomplete, so no repair of it counts as strict"
	default:
		s.Strict, rec.Verdict = true, experiments.Resolved
	}
}

// scoreEvidence scores what the whole cell was shown against the certificate (section 3): not measured, which is not
// zero, when the task has none.
func (o *Organizer) scoreEvidence(rec *experiments.Record, private *organizer.Private) error {
	if private.Certificate == nil {
		return nil
	}
	var shown []string
	for _, r := range rec.Rounds {
		shown = append(shown, r.Evidence...)
	}
	complete, recall := 0.0, private.Certificate.GroupRecall(shown)
	if private.Certificate.Complete(shown) {
		complete = 1
	}
	rec.Scores.CompleteMSS, rec.Scores.GroupRecall = &complete, &recall
	return nil
}

// scoreTargets tells whether the attempted patch, applied or not, edits a file that the reference edits.
func (o *Organizer) scoreTargets(ctx context.Context, rec *experiments.Record, private *organizer.Private) error {
	if rec.Patch == "" {
		return nil
	}
	patch, err := o.Folder.Public.Get(ctx, rec.Patch)
	if err != nil {
		return err
	}
	targets := organizer.TargetFiles(private.Reference)
	rec.Scores.TargetFileHit = slices.ContainsFunc(repos.PatchPaths(patch), func(p string) bool {
		return !evidence.IsTestPath(p) && slices.Contains(targets, p)
	})
	return nil
}

func versions(c *experiments.Contract) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{c.Versions, c.Procedure} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// tries reads from the ledger how often each step of a cell was begun; only those begun more than once are listed.
func tries(run *artifacts.Run, cell experiments.Cell) (map[string]int, error) {
	events, _, err := run.Events(cell.Task)
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, e := range events {
		if e.Cell == cell.ID() && e.What == "started" {
			count[e.Step]++
		}
	}
	for step, n := range count {
		if n < 2 {
			delete(count, step)
		}
	}
	return count, nil
}
