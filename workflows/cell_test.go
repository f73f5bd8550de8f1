package workflows_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"evlab/experiments"
	"evlab/workflows"
)

// script is a cell's surroundings: what each step answers, and what was asked in which order.
type script struct {
	asked    []string
	kinds    []string // the executor's reply in each round
	applied  workflows.AppliedPatch
	f2p, p2p bool
	testErr  error
	deaths   int // of processes over the first test step
	scored   workflows.ScoreInput
}

func (s *script) note(step string) { s.asked = append(s.asked, step) }

func (s *script) environment(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	workflows.Register(env)
	on := func(name string, f any) { env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name}) }
	retrieve := func(step string) func(context.Context, workflows.RoundInput) (workflows.Evidence, error) {
		return func(_ context.Context, in workflows.RoundInput) (workflows.Evidence, error) {
			s.note(step)
			return workflows.Evidence{Called: true, IDs: []string{"a#b"}}, nil
		}
	}
	on(workflows.Retrieve, retrieve("retrieve"))
	on(workflows.BuildBundle, retrieve("bundle"))
	on(workflows.Propose, func(_ context.Context, in workflows.RoundInput) (workflows.Proposal, error) {
		s.note("propose")
		p := workflows.Proposal{Calls: 1, Round: experiments.Round{Number: in.Round, ReplyKind: s.kinds[in.Round-1]}}
		if p.Round.ReplyKind == "patch" {
			p.Patch = experiments.DigestBytes([]byte("patch"))
		}
		return p, nil
	})
	on(workflows.ApplyPatch, func(context.Context, workflows.PatchInput) (workflows.AppliedPatch, error) {
		s.note("apply")
		return s.applied, nil
	})
	on(workflows.RunTests, func(_ context.Context, in workflows.TestInput) (workflows.Tested, error) {
		if s.deaths--; s.deaths >= 0 {
			return workflows.Tested{}, temporal.NewApplicationError("worker died", "WorkerLost")
		}
		s.note(in.Phase)
		if s.testErr != nil {
			return workflows.Tested{}, s.testErr
		}
		return workflows.Tested{Passed: in.Phase == workflows.FailToPass && s.f2p || in.Phase == workflows.PassToPass && s.p2p}, nil
	})
	on(workflows.Score, func(_ context.Context, in workflows.ScoreInput) (workflows.CellResult, error) {
		s.note("score")
		s.scored = in
		return workflows.CellResult{Verdict: experiments.Unresolved}, nil
	})
	return env
}

func (s *script) run(t *testing.T, plan workflows.CellPlan) {
	t.Helper()
	env := s.environment(t)
	cell := experiments.Cell{Task: "t", Condition: "c", Executor: "e", Replicate: 1}
	env.ExecuteWorkflow(workflows.CellType, workflows.CellInput{RunID: "r", Cell: cell, System: "linux-amd64", Plan: plan})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatalf("the cell ended with an error: %v", err)
	}
}

func (s *script) wantAsked(t *testing.T, want ...string) {
	t.Helper()
	if len(s.asked) != len(want) {
		t.Fatalf("asked %q, want %q", s.asked, want)
	}
	for i := range want {
		if s.asked[i] != want[i] {
			t.Fatalf("asked %q, want %q", s.asked, want)
		}
	}
}

var applied = workflows.AppliedPatch{Outcome: "applied", Tree: "t1", Tested: "t2"}

func TestPassToPassOnlyAfterFailToPass(t *testing.T) {
	s := &script{kinds: []string{"patch"}, applied: applied}
	s.run(t, workflows.CellPlan{Rounds: 3, PassToPass: experiments.PassToPassAfterF2P})
	s.wantAsked(t, "retrieve", "propose", "apply", workflows.FailToPass, "score")

	s = &script{kinds: []string{"patch"}, applied: applied}
	s.run(t, workflows.CellPlan{Rounds: 3, PassToPass: experiments.PassToPassAlways})
	s.wantAsked(t, "retrieve", "propose", "apply", workflows.FailToPass, workflows.PassToPass, "score")

	s = &script{kinds: []string{"patch"}, applied: applied, f2p: true}
	s.run(t, workflows.CellPlan{Rounds: 3, PassToPass: experiments.PassToPassAfterF2P})
	s.wantAsked(t, "retrieve", "propose", "apply", workflows.FailToPass, workflows.PassToPass, "score")
}

func TestRoundsEndWithAProposal(t *testing.T) {
	s := &script{kinds: []string{"ask", "ask", "patch"}, applied: applied, f2p: true}
	s.run(t, workflows.CellPlan{Rounds: 3, Diagnostic: true})
	s.wantAsked(t, "bundle", "propose", "bundle", "propose", "bundle", "propose", "apply", workflows.FailToPass, workflows.PassToPass, "score")
	if len(s.scored.Rounds) != 3 || s.scored.Calls != 3 {
		t.Errorf("scored %d rounds and %d calls, want 3 and 3", len(s.scored.Rounds), s.scored.Calls)
	}
}

func TestNoEvidenceIsOneRoundWithoutACall(t *testing.T) {
	s := &script{kinds: []string{"nothing"}}
	s.run(t, workflows.CellPlan{Rounds: 3, NoEvidence: true})
	s.wantAsked(t, "propose", "score")
	if s.scored.Patch != "" {
		t.Errorf("scored the patch %q of an executor that proposed nothing", s.scored.Patch)
	}
}

func TestAPatchThatDoesNotApplyIsNotTested(t *testing.T) {
	s := &script{kinds: []string{"patch"}, applied: workflows.AppliedPatch{Outcome: "apply-failed", Reason: "x"}}
	s.run(t, workflows.CellPlan{Rounds: 1})
	s.wantAsked(t, "retrieve", "propose", "apply", "score")
}

func TestFaultsAreNoVerdicts(t *testing.T) {
	s := &script{kinds: []string{"patch"}, applied: applied, testErr: temporal.NewApplicationErrorWithOptions("the engine went away",
		workflows.FaultType, temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{"engine-lost"}})}
	s.run(t, workflows.CellPlan{Rounds: 1})
	if s.scored.Verdict != experiments.Infra || s.scored.Class != "engine-lost" {
		t.Errorf("scored %s (%s), want infra (engine-lost)", s.scored.Verdict, s.scored.Class)
	}
	s = &script{kinds: []string{"patch"}, applied: applied, testErr: temporal.NewNonRetryableApplicationError("no such test", workflows.TaskFaultType, nil)}
	s.run(t, workflows.CellPlan{Rounds: 1})
	if s.scored.Verdict != experiments.Excluded || s.scored.Reason != "no such test" {
		t.Errorf("scored %s (%s), want excluded (no such test)", s.scored.Verdict, s.scored.Reason)
	}
}
