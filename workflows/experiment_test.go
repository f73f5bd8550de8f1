package workflows_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"evlab/workflows"
)

// TestWindowBoundsOpenTasks: a run of many tasks, in pages, never has more tasks open than its window, and every task
// is started once.
func TestWindowBoundsOpenTasks(t *testing.T) {
	const tasks, page, width = 700, 200, 5
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	open, most := 0, 0
	seen := map[string]int{}
	env.RegisterWorkflowWithOptions(workflows.Experiment, workflow.RegisterOptions{Name: workflows.ExperimentType})
	env.RegisterWorkflowWithOptions(func(ctx workflow.Context, in workflows.TaskInput) (workflows.TaskResult, error) {
		open++
		most = max(most, open)
		seen[in.Task]++
		err := workflow.Sleep(ctx, time.Minute)
		open--
		return workflows.TaskResult{Cells: 1}, err
	}, workflow.RegisterOptions{Name: workflows.TaskType})
	env.RegisterActivityWithOptions(func(_ context.Context, in workflows.ListTasksInput) (workflows.TaskPage, error) {
		var p workflows.TaskPage
		for i := in.Cursor; i < tasks && len(p.Tasks) < page; i++ {
			p.Tasks = append(p.Tasks, fmt.Sprintf("t%03d", i))
		}
		if next := in.Cursor + page; next < tasks {
			p.Next = next
		}
		return p, nil
	}, activity.RegisterOptions{Name: workflows.ListTasks})
	env.RegisterActivityWithOptions(func(context.Context, workflows.AggregateInput) (workflows.Aggregated, error) {
		return workflows.Aggregated{Summary: "s"}, nil
	}, activity.RegisterOptions{Name: workflows.Aggregate})

	env.ExecuteWorkflow(workflows.ExperimentType, workflows.ExperimentInput{RunID: "r", System: "linux-amd64", Window: width, Cells: 1})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	var out workflows.ExperimentResult
	if err := env.GetWorkflowResult(&out); err != nil {
		t.Fatal(err)
	}
	if out.Tasks != tasks || len(seen) != tasks || out.Summary != "s" {
		t.Errorf("%d tasks done, %d seen, want %d", out.Tasks, len(seen), tasks)
	}
	for task, n := range seen {
		if n != 1 {
			t.Errorf("task %s was started %d times", task, n)
		}
	}
	if most != width {
		t.Errorf("%d tasks were open at once, want %d", most, width)
	}
}
