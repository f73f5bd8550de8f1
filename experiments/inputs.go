package experiments

import "fmt"

// Cells lists a task's cells in order: conditions, then executors, then replicates, as declared, without those of
// executors that leave out what they have no prediction for.
func (c *Contract) Cells(task string) []Cell {
	var cells []Cell
	frozen, found := c.Task(task)
	for _, cond := range c.Spec.Conditions {
		for _, exec := range c.Spec.Executors {
			if exec.Missing == MissingLeftOut && found && frozen.Executors[exec.Name] == "" {
				continue
			}
			replicates := c.Spec.Replicates
			if exec.Replicates > 0 {
				replicates = exec.Replicates
			}
			for n := 1; n <= replicates; n++ {
				cells = append(cells, Cell{Task: task, Condition: cond.Name, Executor: exec.Name, Replicate: n})
			}
		}
	}
	return cells
}

// Inputs lists everything that could change the cell's result, in key order: what its task's cells share, then its
// condition, its executor with what that reads for this task, replicate, limits, track and procedure. A name that only
// labels (of a condition, of an executor) is no input, nor is the path of a
// predictions file or the model that the file names.
func (c *Contract) Inputs(cell Cell) ([]Input, error) {
	task, ok := c.Task(cell.Task)
	if !ok {
		return nil, fmt.Errorf("the contract of %s has no task %q", c.RunID, cell.Task)
	}
	cond, ok := c.Condition(cell.Condition)
	if !ok {
		return nil, fmt.Errorf("the contract of %s has no condition %q", c.RunID, cell.Condition)
	}
	exec, ok := c.Executor(cell.Executor)
	if !ok {
		return nil, fmt.Errorf("the contract of %s has no executor %q", c.RunID, cell.Executor)
	}
	input := task.Executors[exec.Name]
	cond.Name, exec.Name, exec.Predictions, exec.Missing, exec.Replicates = "", "", "", "", 0
	if exec.Kind == Replay || exec.Kind == Reference {
		exec.Model = "" // whose patch it is: the patch itself is an input
	}
	inputs := append([]Input(nil), task.Inputs...)
	for _, in := range []struct {
		name  string
		value any
	}{
		{"condition", cond},
		{"executor", struct {
			Executor ExecutorSpec `json:"executor"`
			Input    Digest       `json:"input"`
		}{exec, input}},
		{"replicate", cell.Replicate},
		{"limits", c.Spec.Limits},
		{"track", c.Spec.Tracks.Repair},
		{"procedure", c.Procedure},
	} {
		d, err := DigestJSON(in.value)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, Input{in.name, d})
	}
	return inputs, nil
}
