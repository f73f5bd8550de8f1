package datasets

import "fmt"

// ListedPrediction is a row of a predictions file without its patch.
type ListedPrediction struct {
	Task, Model string
	Place       string // file:line
}

// ListPredictions lists the rows of a predictions file of any model, in order, checked as ReadPredictions checks them.
func ListPredictions(file string) ([]ListedPrediction, error) {
	p := newPredictions(file, nil)
	if err := p.read(); err != nil {
		return nil, fmt.Errorf("reading predictions: %w", err)
	}
	if len(p.errs) == 0 && len(p.listed) == 0 {
		p.add(file, "it has no rows")
	}
	if err := p.err(); err != nil {
		return nil, fmt.Errorf("reading predictions: %w", err)
	}
	return p.listed, nil
}
