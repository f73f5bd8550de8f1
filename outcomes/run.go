package outcomes

import (
	"fmt"
	"math"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/report"
)

// Labels of a run's tasks.
var runLabels = []string{"repository", "episode"}

// FromRun reads the records of a run. Its metrics are experiments.Metrics and experiments.CostMetrics, its labels repository and
// episode. A cell without a record, or without a verdict, is missing.
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
	t := newTable("run "+run.ID, want)
	i := 0
	for _, task := range contract.Tasks {
		for _, c := range contract.Cells(task.ID) {
			record := records[i]
			i++
			at := row{t.tasks.number(c.Task), t.conditions.number(c.Condition), t.executors.number(c.Executor), t.replicates.number(fmt.Sprint(c.Replicate))}
			t.rows = append(t.rows, at)
			for k, name := range want.Metrics {
				x, ok := record.Metric(name)
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
