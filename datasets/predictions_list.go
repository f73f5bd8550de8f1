package datasets

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"evlab/experiments"
)

// ListedPrediction is a row of a predictions file without its patch.
type ListedPrediction struct {
	Task, Model string
	Place       string // file:line
}

// ListPredictions lists the rows of a predictions file of any model, in order, checked as ReadPredictions checks them. Where
// tasks is not nil, a row whose task is not in it is a fault like any other. The error joins the faults, in the file's order.
func ListPredictions(file string, tasks []string) ([]ListedPrediction, error) {
	p := newPredictions(file, nil)
	if tasks != nil {
		p.strangers = &strangers{tasks: tasks, known: map[string]bool{}}
		for _, id := range tasks {
			p.strangers.known[id] = true
		}
	}
	if err := p.read(); err != nil {
		return nil, err
	}
	if p.strangers != nil {
		p.strangers.sumUp(p)
	}
	if len(p.errs) == 0 && len(p.listed) == 0 {
		p.add(file, "it has no rows")
	}
	return p.listed, p.err()
}

// ModelsOf are the models that have rows, in the order of their names.
func ModelsOf(listed []ListedPrediction) []string {
	models := map[string]bool{}
	for _, p := range listed {
		models[p.Model] = true
	}
	return slices.Sorted(maps.Keys(models))
}

// strangers are the rows of a file whose tasks there are not.
type strangers struct {
	tasks  []string
	known  map[string]bool
	rows   int // that could be read
	count  int
	beyond int // of count, those that are not among the file's faults any more
}

// errStranger says that a row is of a task that there is not.
var errStranger = errors.New("no such task")

// note tells a row of a task that there is not.
func (s *strangers) note(p *predictions, at, id string) {
	s.rows++
	if s.known[id] {
		return
	}
	s.count++
	if len(p.errs) >= maxFaults {
		s.beyond++
	}
	const few = 2000 // more are too many to be compared with every row
	meant := ""
	if len(s.tasks) <= few {
		meant = experiments.Suggest(id, s.tasks)
	}
	p.join(&Fault{Place: at, Reason: fmt.Sprintf("the tasks have no %q%s", id, meant), err: errStranger})
}

// sumUp puts one fault in the place of as many as there are rows: the file is of other tasks.
func (s *strangers) sumUp(p *predictions) {
	if s.count < s.rows || s.count < 2 || len(s.tasks) == 0 {
		return
	}
	at := slices.IndexFunc(p.errs, func(err error) bool { return errors.Is(err, errStranger) })
	if at < 0 {
		return
	}
	var first Fault
	if f := (*Fault)(nil); errors.As(p.errs[at], &f) {
		first = *f
	}
	first.Reason += fmt.Sprintf("; nor have they that of any other of the %d rows: they are such as %q. Is it the file that is meant?", s.count, s.tasks[0])
	p.errs = slices.DeleteFunc(p.errs, func(err error) bool { return errors.Is(err, errStranger) })
	p.more -= s.beyond
	p.join(&first)
}
