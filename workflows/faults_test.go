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

// TestDeathsOverAStepAreNotCounted: however many processes died over a step, the next one may end it.
func TestDeathsOverAStepAreNotCounted(t *testing.T) {
	s := &script{kinds: []string{"patch"}, applied: applied, f2p: true, p2p: true, deaths: 25}
	s.run(t, workflows.CellPlan{Rounds: 1})
	if s.scored.Verdict != "" || len(s.scored.Phases) != 2 || !s.scored.Phases[1].Passed {
		t.Errorf("scored %+v", s.scored)
	}
}

// TestLostTasksAreSetAsideAtOnce: a task whose hidden tests the data folder has no more is not tried.
func TestLostTasksAreSetAsideAtOnce(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	workflows.Register(env)
	on := func(name string, f any) { env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name}) }
	cell := experiments.Cell{Task: "t", Condition: "c", Executor: "e", Replicate: 1}
	on(workflows.OpenTask, func(context.Context, workflows.SandboxInput) (workflows.OpenedTask, error) {
		return workflows.OpenedTask{Cells: []workflows.OpenedCell{{Cell: cell}}, Lost: "they are gone"}, nil
	})
	on(workflows.Prepare, func(context.Context, workflows.SandboxInput) (workflows.Prepared, error) {
		t.Error("an image was made")
		return workflows.Prepared{}, temporal.NewNonRetryableApplicationError("x", "", nil)
	})
	var given workflows.GiveUpInput
	on(workflows.GiveUp, func(_ context.Context, in workflows.GiveUpInput) error { given = in; return nil })
	env.ExecuteWorkflow(workflows.TaskType, workflows.TaskInput{RunID: "r", Task: "t", System: "linux-amd64", Window: 1})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if len(given.Cells) != 1 || given.Verdict != experiments.Infra || given.Class != experiments.ClassLost || given.Reason != "they are gone" {
		t.Errorf("given up: %+v", given)
	}
}
