package evaluation

import (
	"cmp"
	"context"
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
	Apart       bool     // the same task and model may be in several files
	// Models names, file by file, the one model whose rows are taken; "" stands for the only one that the file has. Without
	// it all rows of all files are taken.
	Models     []string
	PassToPass string // experiments.PassToPassAlways or PassToPassAfterF2P
}

// Like is the request that grades other files of predictions by the rules of a spec.
func Like(s experiments.Spec, files []string) Request {
	return Request{
		Testing: experiments.Testing{
			Name: s.Name, Cohort: s.Cohort, Timeout: s.Limits.StepTimeout, Sandbox: s.Sandbox, Concurrency: s.Concurrency, Engine: s.Engine,
		},
		Predictions: files, Apart: true, PassToPass: s.Tracks.Repair.PassToPass,
	}
}

// Spec is the experiment that grades all predictions of the files: the tasks that have one, an executor for each model
// of each file. The error joins every fault of the files, each with its place: rows that can't be read, tasks that there are
// not, a task and model that are given twice.
func Spec(ctx context.Context, r Request) (experiments.Spec, error) {
	spec := r.Testing.Spec()
	spec.Tracks.Repair.PassToPass = r.PassToPass
	var errs []error
	var known []string
	if len(r.Predictions) > 0 {
		var err error
		if known, err = datasets.ListTasks(ctx, cmp.Or(r.Cohort.Tasks, r.Cohort.Path), r.Cohort.Language); err != nil {
			errs = append(errs, err) // of predictions for other tasks nothing can be said then
		}
	}
	type place struct{ task, model, file string }
	first := map[place]string{}
	tasks := map[string]bool{}
	for i, file := range r.Predictions {
		listed, err := datasets.ListPredictions(file, known)
		if err != nil {
			errs = append(errs, err)
		}
		if r.Models != nil {
			if listed, err = r.only(i, listed, err); err != nil {
				errs = append(errs, err)
			}
		}
		models := map[string]bool{}
		for _, p := range listed {
			at := place{task: p.Task, model: p.Model}
			if r.Apart {
				at.file = fmt.Sprint(i)
			}
			if other, twice := first[at]; twice {
				errs = append(errs, &datasets.Fault{Place: p.Place, Reason: fmt.Sprintf("task %q of model %q is given at %s already", p.Task, p.Model, other)})
				continue
			}
			first[at] = p.Place
			tasks[p.Task], models[p.Model] = true, true
		}
		for _, model := range slices.Sorted(maps.Keys(models)) {
			if r.Models != nil && slices.ContainsFunc(spec.Executors, func(e experiments.ExecutorSpec) bool { return e.Predictions == file && e.Model == model }) {
				errs = append(errs, fmt.Errorf("both sides are model %q of %s: a comparison needs two models, or two files", model, file))
			}
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

// only takes the rows of the one model that is taken of file i. faulty is what is wrong with the file already: then nothing more is said of it.
func (r *Request) only(i int, listed []datasets.ListedPrediction, faulty error) ([]datasets.ListedPrediction, error) {
	wanted := r.Models[i]
	models := datasets.ModelsOf(listed)
	switch {
	case faulty != nil:
		return listed, nil
	case wanted == "" && len(models) > 1:
		return nil, &ModelsError{File: r.Predictions[i], Index: i, Models: models}
	case wanted != "" && !slices.Contains(models, wanted):
		return nil, &ModelsError{File: r.Predictions[i], Index: i, Models: models, Wanted: wanted}
	case wanted == "":
		return listed, nil
	}
	return slices.DeleteFunc(listed, func(p datasets.ListedPrediction) bool { return p.Model != wanted }), nil
}

// ModelsError says that it is not clear which model of a file is compared, or that it has not the one that is wanted.
type ModelsError struct {
	File   string
	Index  int // of the file among those that are compared
	Models []string
	Wanted string
}

func (e *ModelsError) Error() string {
	const most = 12
	names := experiments.List(e.Models, most)
	if e.Wanted != "" {
		return fmt.Sprintf("%s has no predictions of model %q%s; there are those of %s", e.File, e.Wanted, experiments.Suggest(e.Wanted, e.Models), names)
	}
	return fmt.Sprintf("%s has predictions of %d models (%s), and one is compared", e.File, len(e.Models), names)
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
