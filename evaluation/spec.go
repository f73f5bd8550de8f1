package evaluation

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evlab/datasets"
	"evlab/experiments"
)

// Request is what shall be graded, and by which rules.
type Request struct {
	experiments.Testing
	Predictions []string // files, absolute
	Gold        bool     // grade the tasks' own reference repairs too, all of them
	Apart       bool     // the files are compared: one model each, and the same task and model may be in several
	PassToPass  string   // experiments.PassToPassAlways or PassToPassAfterF2P
}

// Spec is the experiment that grades all predictions of the files: the tasks that have one, an executor for each model
// of each file. The error joins every fault of the files, among them a task and model that are given twice.
func Spec(r Request) (experiments.Spec, error) {
	spec := r.Testing.Spec()
	spec.Tracks.Repair.PassToPass = r.PassToPass
	type place struct{ task, model, file string }
	first := map[place]string{}
	tasks := map[string]bool{}
	var errs []error
	for _, file := range r.Predictions {
		listed, err := datasets.ListPredictions(file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		models := map[string]bool{}
		for _, p := range listed {
			at := place{task: p.Task, model: p.Model}
			if r.Apart {
				at.file = file
			}
			if other, twice := first[at]; twice {
				errs = append(errs, fmt.Errorf("%s: task %q of model %q is given at %s already", p.Place, p.Task, p.Model, other))
				continue
			}
			first[at] = p.Place
			tasks[p.Task], models[p.Model] = true, true
		}
		if r.Apart && len(models) > 1 {
			errs = append(errs, fmt.Errorf("%s has predictions of %d models; compare takes one model a file", file, len(models)))
		}
		for _, model := range slices.Sorted(maps.Keys(models)) {
			spec.Executors = append(spec.Executors, experiments.ExecutorSpec{
				Name: executorName(model, spec.Executors), Kind: experiments.Replay, Predictions: file, Model: model,
				Missing: experiments.MissingLeftOut,
			})
		}
	}
	spec.Tasks = slices.Sorted(maps.Keys(tasks))
	if r.Gold {
		spec.Tasks = nil // all
		spec.Executors = append(spec.Executors, experiments.ExecutorSpec{
			Name: executorName(GoldModel, spec.Executors), Kind: experiments.Reference, Model: GoldModel,
		})
	}
	return spec, errors.Join(errs...)
}

// GoldModel is the model's name of the tasks' own reference repairs.
const GoldModel = "gold"

// Is reports whether the experiment grades predictions, so that its outcome is told by prediction.
func Is(s experiments.Spec) bool {
	return len(s.Conditions) == 1 && s.Conditions[0].Kind == experiments.NoEvidence && len(s.Executors) > 0 &&
		!slices.ContainsFunc(s.Executors, func(e experiments.ExecutorSpec) bool {
			return e.Missing != experiments.MissingLeftOut && (e.Kind != experiments.Reference || e.Model == "")
		})
}

// executorName is a model's name as a name of evlab's: what names may not hold is replaced, and a name that would be
// taken twice, or was changed, gets a piece of the model's digest.
func executorName(model string, others []experiments.ExecutorSpec) string {
	name := strings.Map(func(r rune) rune {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._+@=-", r)) {
			return r
		}
		return '-'
	}, model)
	name = strings.TrimLeft(name[:min(len(name), 60)], "._+@=-")
	taken := func(n string) bool {
		return experiments.CheckName("executor", n) != nil ||
			slices.ContainsFunc(others, func(e experiments.ExecutorSpec) bool { return strings.EqualFold(e.Name, n) })
	}
	if name == model && !taken(name) {
		return name
	}
	sum := sha256.Sum256([]byte(model))
	base := strings.Trim(name+fmt.Sprintf("-%x", sum[:4]), "-")
	name = base
	for i := 2; taken(name); i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	return name
}
