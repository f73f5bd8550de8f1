package statefile

import (
	"errors"
	"math"

	"evlab/scores"
	"evlab/tabular"
)

// WritePerState writes one row for each state and method: what a table of outcomes needs (task is the state, condition
// the method), the state's strata, and every score at every cutoff, as complete@5 or tokens@4096tokens. The file's ending
// tells the format. A method's row for a state that it has no prediction for is there, with zeroes, and says missing.
func WritePerState(file string, r *scores.Result) (err error) {
	columns := []tabular.Column{
		{Name: "task", Type: tabular.Texts}, {Name: "condition", Type: tabular.Texts},
		{Name: "repository", Type: tabular.Texts}, {Name: "instance", Type: tabular.Texts}, {Name: "language", Type: tabular.Texts},
		{Name: "boundary", Type: tabular.Texts}, {Name: "groups", Type: tabular.Texts}, {Name: "overlap", Type: tabular.Texts},
		{Name: "coverable", Type: tabular.Texts}, {Name: "missing", Type: tabular.Bools},
	}
	for _, c := range r.Cutoffs {
		for _, metric := range []string{"complete", "group_recall", "necessity_recall", "ndcg"} {
			columns = append(columns, tabular.Column{Name: metric + "@" + c.String(), Type: tabular.Numbers})
		}
		columns = append(columns, tabular.Column{Name: "items@" + c.String(), Type: tabular.Ints}, tabular.Column{Name: "tokens@" + c.String(), Type: tabular.Ints})
	}
	w, err := tabular.Create(file, columns...)
	if err != nil {
		return err
	}
	cells := make([]any, 0, len(columns))
	for m, method := range r.Methods {
		for i := range r.States {
			cells = row(cells[:0], r, m, i, method.Method)
			if err := w.Append(cells...); err != nil {
				return errors.Join(err, w.Abort())
			}
		}
	}
	return w.Commit()
}

func row(cells []any, r *scores.Result, m, i int, method string) []any {
	s := r.Cohort().State(i)
	cells = append(cells, s.ID, method, orNil(s.Repository), orNil(s.Instance), orNil(s.Language), orNil(s.Boundary))
	for _, by := range []string{"groups", "overlap", "coverable"} {
		name := r.Cohort().Stratum(by, i)
		if name == scores.NoValue {
			name = ""
		}
		cells = append(cells, orNil(name))
	}
	cells = append(cells, !r.Ranking(m, i).Given())
	for k := range r.Cutoffs {
		p := r.Point(m, i, k)
		cells = append(cells, p.Complete, p.GroupRecall, p.NecessityRecall, known(p.NDCG), p.Items)
		if p.Tokens == scores.Unknown {
			cells = append(cells, nil)
		} else {
			cells = append(cells, p.Tokens)
		}
	}
	return cells
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func known(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}
