package statefile

import (
	"errors"
	"fmt"
	"slices"

	"evlab/experiments"
	"evlab/scores"
	"evlab/tabular"
)

// Fields of a row of predictions.
var (
	methodField  = field{"method_id", "method"}
	rankingField = field{"evidence_ids", "ranked_evidence_ids"}
)

// Predictions are the rankings that were read.
type Predictions struct {
	Methods []scores.Method // in the order in which the files name them
	// Notices are what counts against a method without being a fault: rows that return nothing, and states that it has
	// no row for. Both count zero and stay in.
	Notices tabular.Faults
	Rows    int
}

// predictionReader reads rows against a cohort.
type predictionReader struct {
	cohort *Cohort
	faults *tabular.Faults
	ranker *scores.Ranker
	out    *Predictions
	index  map[string]int      // of methods
	places map[[2]int]string   // method and state -> the row that was first
	files  map[string][]string // per method: the files that name it
}

// ReadPredictions reads rows {state_id, method_id, evidence_ids} from the files, for the states of the cohort. Every row
// is checked, and all faults go to faults: a state or unit that is unknown, a unit outside the state's pool, one that is
// returned twice, a row that is given twice, a field that is missing or of another type.
func ReadPredictions(files []string, c *Cohort, faults *tabular.Faults) (*Predictions, error) {
	r := &predictionReader{cohort: c, faults: faults, out: &Predictions{}, index: map[string]int{}, places: map[[2]int]string{}, files: map[string][]string{}}
	if c.Cohort != nil {
		r.ranker = scores.NewRanker(c.Cohort)
	}
	var errs []error
	for _, file := range files {
		errs = append(errs, r.file(file))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if r.out.Rows == 0 && faults.Len() == 0 {
		for _, file := range files {
			faults.Addf(file, "it has no rows")
		}
	}
	r.missing()
	return r.out, nil
}

func (r *predictionReader) file(file string) error {
	t, closeFile, err := open(file, r.faults)
	if err != nil {
		return err
	}
	defer closeFile() // read only: a failing close loses nothing
	for row := range t.RowsWith(tabular.Field(stateField), tabular.Field(methodField), tabular.Field(rankingField)) {
		r.out.Rows++
		r.row(file, row)
	}
	return t.Err()
}

// row checks one row and keeps its ranking.
func (r *predictionReader) row(file string, row *tabular.Row) {
	before := r.faults.Len()
	note := func(name string, err error) {
		if err != nil {
			r.faults.Add(row.Fault(name, err))
		}
	}
	id, name, err := stateField.text(row)
	note(name, err)
	state, readable := -1, false
	if err == nil {
		if r.cohort.Cohort != nil {
			if state, readable = r.cohort.Find(id); !readable {
				state = -1
			}
		}
		if _, met := r.cohort.seen[id]; !met {
			note(name, fmt.Errorf("there is no state %.120q in %s%s", id, r.cohort.Files.Name(), r.suggest(id)))
		}
	}
	method, name, err := methodField.text(row)
	note(name, err)
	literal, name, err := rankingField.list(row)
	note(name, err)
	if err != nil {
		return
	}
	faulty := false
	ids := texts(literal, func(_ int, err error) { faulty = true; note(name, err) })
	if !readable { // its texts are checked all the same
		for range ids {
		}
		return
	}
	ranking, errs := r.ranker.Rank(state, ids)
	for _, err := range errs {
		note(name, err)
	}
	if faulty || r.faults.Len() > before {
		r.place(file, method, state, row) // a second row for it is a fault, too
		return
	}
	if m, first := r.place(file, method, state, row); first {
		r.out.Methods[m].Rankings[state] = ranking
		if ranking.Len() == 0 {
			r.out.Notices.Add(row.Fault(name, fmt.Errorf("the list is empty: state %.120q counts zero for %.120q", id, method)))
		}
	}
}

// place notes a row of a method for a state. first is false when there was one before, which is a fault.
func (r *predictionReader) place(file, method string, state int, row *tabular.Row) (m int, first bool) {
	if method == "" {
		return 0, false
	}
	m, known := r.index[method]
	if !known {
		m = len(r.out.Methods)
		r.index[method] = m
		r.out.Methods = append(r.out.Methods, scores.Method{Name: method, Rankings: make([]scores.Ranking, r.cohort.Len())})
	}
	if named := r.files[method]; len(named) == 0 || named[len(named)-1] != file {
		r.files[method] = append(named, file)
	}
	key := [2]int{m, state}
	if at, twice := r.places[key]; twice {
		r.faults.Add(row.Fault("", fmt.Errorf("method %.120q has a row for state %.120q at %s already", method, r.cohort.State(state).ID, at)))
		return m, false
	}
	r.places[key] = row.Place()
	return m, true
}

// missing notes the states that a method has no row for.
func (r *predictionReader) missing() {
	for _, m := range r.out.Methods {
		file := r.files[m.Name][0]
		for i, ranking := range m.Rankings {
			if _, met := r.places[[2]int{r.index[m.Name], i}]; !met && !ranking.Given() {
				r.out.Notices.Addf(file, "method %.120q has no row for state %.120q: it counts zero", m.Name, r.cohort.State(i).ID)
			}
		}
	}
}

// suggest finds the state that was meant. It is left out in large cohorts, where every fault would cost.
func (r *predictionReader) suggest(id string) string {
	if r.cohort.Cohort == nil || r.cohort.Len() > 200 {
		return ""
	}
	var ids []string
	for i := range r.cohort.Len() {
		ids = append(ids, r.cohort.State(i).ID)
	}
	slices.Sort(ids)
	return experiments.Suggest(id, ids)
}
