package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"evlab/experiments"
)

// Cell carries one cell of the repair track (section F.5): rounds of retrieval and proposal, the patch, the hidden
// tests, the record. It ends with a verdict; an error means that not even a record could be written, or that the run
// was cancelled.
func Cell(ctx workflow.Context, in CellInput) (CellResult, error) {
	score := ScoreInput{RunID: in.RunID, Cell: in.Cell, Started: workflow.Now(ctx).UnixNano()}
	if err := repair(ctx, in, &score); err != nil {
		if ctx.Err() != nil || temporal.IsCanceledError(err) {
			return CellResult{Verdict: experiments.Pending}, err
		}
		score.Verdict, score.Class, score.Reason = fault(err)
	}
	var out CellResult
	err := workflow.ExecuteActivity(books(ctx, "score"), Score, score).Get(ctx, &out)
	return out, err
}

// repair fills in what a record is made of.
func repair(ctx workflow.Context, in CellInput, score *ScoreInput) error {
	handOut := in.HandOut
	if in.Plan.Of == "" {
		if err := deliberate(ctx, in, score); err != nil || score.Verdict != "" || score.Patch == "" {
			return err
		}
	} else if in.Plan.Of == experiments.Reference {
		handOut = in.Reference
	}
	var applied AppliedPatch
	err := workflow.ExecuteActivity(testing(ctx, in.System, "apply"), ApplyPatch,
		PatchInput{in.RunID, in.Cell, handOut, score.Patch, in.Plan.Of}).Get(ctx, &applied)
	if err != nil {
		return err
	}
	score.Applied = &applied
	if applied.Outcome != "applied" {
		return nil
	}
	test := TestInput{
		RunID: in.RunID, Cell: in.Cell, HandOut: in.HandOut, Image: in.Image, Tested: applied.Tested, Together: in.Plan.Together, Reference: in.Reference,
	}
	phases := []string{FailToPass, PassToPass}
	if in.Plan.Of != "" {
		phases = append(phases, Others)
		test.All, test.Repeat = true, in.Cell.Replicate
	}
	for _, test.Phase = range phases {
		var tested Tested
		err := workflow.ExecuteActivity(testing(ctx, in.System, test.Phase), RunTests, test).Get(ctx, &tested)
		if err != nil {
			return err
		}
		score.Phases = append(score.Phases, tested)
		// Pass-to-pass only after fail-to-pass held: the paper's rule, and a parameter.
		if test.Phase == FailToPass && !tested.Passed && in.Plan.PassToPass != experiments.PassToPassAlways {
			break
		}
	}
	return nil
}

// deliberate goes through the rounds until the executor proposes. No evidence means one round and no call.
func deliberate(ctx workflow.Context, in CellInput, score *ScoreInput) error {
	rounds := in.Plan.Rounds
	if in.Plan.NoEvidence {
		rounds = 1
	}
	var bundle experiments.Digest
	for r := 1; r <= rounds; r++ {
		round := RoundInput{RunID: in.RunID, Cell: in.Cell, Round: r, Past: score.Rounds, Bundle: bundle, Last: r == rounds}
		if !in.Plan.NoEvidence {
			queue, step := InferenceQueue, Retrieve
			if in.Plan.Diagnostic {
				queue, step = OrganizerQueue, BuildBundle
			}
			if err := workflow.ExecuteActivity(thinking(ctx, queue, "retrieve"), step, round).Get(ctx, &round.Shown); err != nil {
				return err
			}
			bundle, score.Report = round.Shown.Report, round.Shown.Report
		}
		var reply Proposal
		if err := workflow.ExecuteActivity(thinking(ctx, InferenceQueue, "propose"), Propose, round).Get(ctx, &reply); err != nil {
			return err
		}
		if reply.Excluded != "" {
			score.Verdict, score.Reason = experiments.Excluded, reply.Excluded
			return nil
		}
		score.Calls += reply.Calls
		score.Rounds = append(score.Rounds, reply.Round)
		if reply.Round.ReplyKind != "ask" {
			score.Patch = reply.Patch
			return nil
		}
	}
	return nil
}
