package experiments

// CellState is what a plan wants done with a cell.
type CellState string

// The closed set of states.
const (
	ToRun    CellState = "run"      // no verdict yet: it will be run
	TakeOver CellState = "cached"   // a finished record with the same key exists
	Done     CellState = "done"     // this run has its record already
	Barred   CellState = "excluded" // it can't be asked; Reason says why
)

// PlannedCell is one cell of a plan with the reason for its state.
type PlannedCell struct {
	Cell
	Key    Key       `json:"key"`
	Inputs []Input   `json:"inputs"`
	State  CellState `json:"state"`
	Reason string    `json:"reason"`
}

// Plan is every cell of a run, in order: tasks in cohort order, then conditions, executors and replicates as declared.
type Plan struct {
	Schema string        `json:"schema"` // PlanSchema
	RunID  string        `json:"run_id,omitempty"`
	Cells  []PlannedCell `json:"cells"`
}

// PlanSchema is the wire form's name.
const PlanSchema = "evlab-plan-v1"

// Count is the number of cells in state s.
func (p *Plan) Count(s CellState) int {
	n := 0
	for i := range p.Cells {
		if p.Cells[i].State == s {
			n++
		}
	}
	return n
}
