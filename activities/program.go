package activities

import (
	"context"

	"evlab/experiments"
	"evlab/repos"
)

// program says what the code under test, by its sources, does that its tests can say nothing of; "" where that is nothing.
// Of a preflight's, where nobody's candidate is, only an early end is told.
func (t trial) program(ctx context.Context, mirror *repos.Mirror, e experiments.Environment, delta repos.Delta, stderr string) (string, error) {
	if e.Report == ctestReport {
		if problem, err := earlyEnd(ctx, mirror, t.base, delta, stderr); problem != "" || err != nil {
			return problem, err
		}
	}
	if t.cell == "" {
		return "", nil
	}
	if !t.asks {
		file, err := asks(ctx, mirror, t.base, delta)
		if file == "" && err == nil {
			file, err = asksOfPython(ctx, mirror, t.base, delta, t.brought)
		}
		if file != "" || err != nil {
			return "the program asks in " + file + " whether it is being tested, so that its tests say nothing of it", err
		}
	}
	if file, err := meddles(ctx, mirror, t.base, delta); file != "" || err != nil {
		return "the program sets in " + file + " what its tests decide by", err
	}
	if problem, err := leans(ctx, mirror, t.base, t.tree, delta, e.Cgo()); problem != "" || err != nil {
		return problem, err
	}
	if e.Select == experiments.SelectGo {
		if module, err := unsummed(ctx, mirror, t.base, t.tree, delta); module != "" || err != nil {
			return "the module does not build for others: go.sum lacks the sum of " + module + ", which it had", err
		}
	}
	return "", nil
}
