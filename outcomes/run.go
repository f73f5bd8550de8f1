package outcomes

import (
	"fmt"
	"math"

	"evlab/artifacts"
	"evlab/evaluation"
	"evlab/experiments"
	"evlab/report"
)

// Labels of a run's tasks.
var runLabels = []string{"repository", "episode"}

// FromRun reads the records of a run. Its metrics are experiments.Metrics and experiments.CostMetrics, its labels repository and
// episode. A cell without a record, or without a verdict, is missing. A run that grades predictions has one condition, which
// nobody wants to contrast: its models take the place of conditions, as in the rows that it prints.
func FromRun(run *artifacts.Run) (*Table, error) {
	contract, err := run.Contract()
	if err != nil {
		return nil, fmt.Errorf("reading the contract of run %s: %w", run.ID, err)
	}
	records, err := report.Records(run, contract)
	if err != nil {
		return nil, err
	}
	want := Wanted{Metrics: append(append([]string{}, experiments.Metrics...), experiments.CostMetrics...), Labels: runLabels}
	models := modelsOf(contract.Spec)
	if models != nil {
		want.Metrics = append(want.Metrics, "resolved")
	}
	t := newTable("run "+run.ID, want)
	i := 0
	for _, task := range contract.Tasks {
		for _, c := range contract.Cells(task.ID) {
			record := records[i]
			i++
			if models != nil {
				c.Condition, c.Executor = models[c.Executor], ""
			}
			at := row{t.tasks.number(c.Task), t.conditions.number(c.Condition), t.executors.number(c.Executor), t.replicates.number(fmt.Sprint(c.Replicate))}
			t.rows = append(t.rows, at)
			for k, name := range want.Metrics {
				x, ok := record.Metric(name)
				if name == "resolved" { // what the rows of an evaluation call it
					x, ok = record.Metric("strict")
				}
				if !ok {
					x = math.NaN()
				}
				t.values[k] = append(t.values[k], x)
			}
			for k, text := range []string{task.Repo, task.Episode} {
				if err := t.setLabel(runLabels[k], int(at.task), text); err != nil {
					return nil, fmt.Errorf("run %s: %w", run.ID, err)
				}
			}
		}
	}
	t.complete()
	return t, nil
}

// modelsOf are the names of what a run of predictions graded, by executor: the models, or the executors where one model is
// graded from several files. It is nil for other runs.
func modelsOf(s experiments.Spec) map[string]string {
	if !evaluation.Is(s) {
		return nil
	}
	models, executors := map[string]string{}, map[string]string{}
	seen := map[string]bool{}
	for _, e := range s.Executors {
		models[e.Name], executors[e.Name] = e.Model, e.Name
		seen[e.Model] = true
	}
	if len(seen) < len(s.Executors) {
		return executors
	}
	return models
}
