package planning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evlab/artifacts"
	"evlab/cohorts"
	"evlab/datasets"
	"evlab/evidence"
	"evlab/executors"
	"evlab/experiments"
	"evlab/repos"
	"evlab/retrieval"
)

// Request is what a contract is frozen from.
type Request struct {
	RunID    string
	Created  time.Time
	SpecFile string
	Spec     experiments.Spec
	Fresh    bool
	Version  string                // evlab's own
	Progress func(done, total int) // tasks frozen; may be nil
}

// ErrSelection says that the spec selects no task, or names one that the cohort has not.
var ErrSelection = errors.New("nothing selected")

// ErrRepositories says that not one task's repository is where the spec has them.
var ErrRepositories = errors.New("no task's repository is there")

// ErrSandbox says that the sandbox that the spec asks for is not to be had here.
var ErrSandbox = errors.New("no sandbox")

// Freeze reads the cohort, puts everything that the run will need into the data folder, and returns the contract. It
// may be repeated: everything it stores is named by its content.
func Freeze(ctx context.Context, folder *artifacts.Folder, r Request) (*experiments.Contract, error) {
	cohort, err := readCohort(ctx, folder, r.Spec.Cohort)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(r.Spec.Executors, func(e experiments.ExecutorSpec) bool { return e.Kind == experiments.Base }) {
		for id := range cohort.Unmeasured { // this run measures them
			delete(cohort.Excluded, id)
		}
	}
	tasks, err := selectTasks(cohort, r.Spec.Tasks)
	if err != nil {
		return nil, err
	}
	if err := needRepositories(cohort, tasks, r.Spec.Cohort); err != nil {
		return nil, err
	}
	if err := needCertificates(cohort, tasks, r.Spec); err != nil {
		return nil, err
	}
	box, err := chooseSandbox(ctx, r.Spec.Sandbox, cohort.Trusted)
	if err != nil {
		return nil, err
	}
	c := &experiments.Contract{
		Schema: experiments.ContractSchema, RunID: r.RunID, Created: r.Created.UTC(), SpecFile: r.SpecFile, Spec: r.Spec, Fresh: r.Fresh,
		Cohort: experiments.FrozenCohort{
			Name: cohort.Name, Trusted: cohort.Trusted, ExcludeObserved: cohort.ExcludeObserved, Certified: cohort.Certified,
			PublicDigest: cohort.PublicDigest, PrivateDigest: cohort.PrivateDigest,
		},
		Sandbox: box,
		Procedure: map[string]string{
			"cell": experiments.ProcedureVersion, "segmentation": evidence.SegmentationVersion, "bm25": retrieval.BM25Version,
			"prompt": executors.PromptVersion, "tokenizer": evidence.TokenizerVersion,
		},
	}
	goVersion, err := toolchain(ctx)
	if err != nil {
		return nil, err
	}
	c.Versions = map[string]string{"evlab": r.Version, "go": goVersion}
	if c.SpecDigest, err = experiments.DigestJSON(r.Spec); err != nil {
		return nil, err
	}
	inputs, err := readInputs(ctx, folder, cohort, r.Spec)
	if err != nil {
		return nil, err
	}
	c.Environments = map[string]experiments.Environment{}
	settler := settler{contract: c, folder: folder}
	defer settler.close()
	for i, t := range tasks {
		frozen, err := freezeTask(ctx, folder, cohort, t, r.Spec)
		if err != nil {
			return nil, fmt.Errorf("freezing task %s: %w", t.ID, err)
		}
		private := cohort.Private[t.ID]
		if err := settler.settle(ctx, frozen, t.Language, cohort.Settings[t.ID], private.Tests.Patch, private.Reference); err != nil {
			return nil, fmt.Errorf("freezing task %s: %w", t.ID, err)
		}
		frozen.Executors = map[string]experiments.Digest{}
		for _, e := range r.Spec.Executors {
			if d, ok := inputs[e.Name][t.ID]; ok {
				frozen.Executors[e.Name] = d
			}
		}
		c.Tasks = append(c.Tasks, *frozen)
		if r.Progress != nil {
			r.Progress(i+1, len(tasks))
		}
	}
	c.Notes = append(settler.notes(), simulatedNotes(cohort, tasks, r.Spec)...)
	return c, nil
}

// ErrDrift says that a cohort is not what a contract froze.
var ErrDrift = errors.New("the cohort is not what it was when the run was made")

// Unchanged reads a contract's cohort anew; ErrDrift says that its tasks are others now.
func Unchanged(ctx context.Context, folder *artifacts.Folder, c *experiments.Contract) error {
	cohort, err := readCohort(ctx, folder, c.Spec.Cohort)
	if err != nil {
		return err
	}
	if cohort.PublicDigest != c.Cohort.PublicDigest || cohort.PrivateDigest != c.Cohort.PrivateDigest {
		return fmt.Errorf("%w: %s", ErrDrift, cmp.Or(c.Spec.Cohort.Tasks, c.Spec.Cohort.Path))
	}
	return nil
}

func readCohort(ctx context.Context, folder *artifacts.Folder, src experiments.CohortSource) (*datasets.Cohort, error) {
	scratch := filepath.Join(folder.Scratch(), "cohorts")
	where := datasets.Repositories{From: src.Repos, Store: folder.Fetched()}
	switch {
	case src.Name == "demo":
		sub, err := fs.Sub(cohorts.Demo, "demo")
		if err != nil {
			return nil, err
		}
		return datasets.ReadFolder(ctx, sub, "demo", scratch, true)
	case src.Name != "":
		return nil, fmt.Errorf("%w: no bundled cohort is called %q%s; a folder is given as {path: DIR}",
			ErrSelection, src.Name, experiments.Suggest(src.Name, []string{"demo"}))
	case src.Path != "" && src.Repos != "":
		return datasets.ReadImported(ctx, src.Path, where)
	case src.Path != "" && datasets.IsImported(src.Path):
		return nil, fmt.Errorf("%w: the cohort %s was imported, its repositories are elsewhere: give {path: DIR, repos: DIR}, or --repos to evaluate",
			ErrSelection, src.Path)
	case src.Path != "":
		// A folder can't declare itself trusted: only what is bundled with evlab is.
		return datasets.ReadFolder(ctx, os.DirFS(src.Path), src.Path, scratch, false)
	}
	return datasets.ReadSWEBench(ctx, src.Tasks, where, src.Language)
}

func selectTasks(c *datasets.Cohort, names []string) ([]experiments.Task, error) {
	if len(names) == 0 {
		if len(c.Tasks) == 0 {
			return nil, fmt.Errorf("%w: the cohort %s has no task", ErrSelection, c.Name)
		}
		return c.Tasks, nil
	}
	var ids []string
	for _, t := range c.Tasks {
		ids = append(ids, t.ID)
	}
	var tasks []experiments.Task
	var unknown []string
	for _, name := range names {
		if i := slices.Index(ids, name); i >= 0 {
			tasks = append(tasks, c.Tasks[i])
		} else {
			unknown = append(unknown, fmt.Sprintf("%q%s", name, experiments.Suggest(name, ids)))
		}
	}
	if n := len(unknown); n > 0 {
		if n > 20 {
			unknown = append(unknown[:20], fmt.Sprintf("and %d more", n-20))
		}
		return nil, fmt.Errorf("%w: the cohort %s has no task %s", ErrSelection, c.Name, strings.Join(unknown, ", "))
	}
	return tasks, nil
}

// needRepositories refuses a folder that holds the repository of no task: it is the wrong one. Where it has some, the others'
// tasks are set aside.
func needRepositories(c *datasets.Cohort, tasks []experiments.Task, source experiments.CohortSource) error {
	if slices.ContainsFunc(tasks, func(t experiments.Task) bool { return !c.Unfound[t.ID] }) {
		return nil
	}
	return fmt.Errorf("%w: of %d in %s, the first: %s", ErrRepositories, len(tasks), source.Repos, c.Excluded[tasks[0].ID])
}

// needCertificates refuses a diagnostic on tasks that have no certificate before anything is paid for.
func needCertificates(c *datasets.Cohort, tasks []experiments.Task, spec experiments.Spec) error {
	for _, cond := range spec.Conditions {
		if !cond.Diagnostic() {
			continue
		}
		for _, t := range tasks {
			if c.Private[t.ID].Certificate == nil && c.Excluded[t.ID] == "" {
				return fmt.Errorf("%w: condition %s needs certificates, and task %s of cohort %s has none; use bm25 or none",
					ErrSelection, cond.Name, t.ID, c.Name)
			}
		}
	}
	return nil
}

// simulatedNotes warns of a simulated executor on a cohort that nobody bundled: what it does is written in scripts.
func simulatedNotes(c *datasets.Cohort, tasks []experiments.Task, spec experiments.Spec) (notes []string) {
	if c.Trusted {
		return nil
	}
	without := 0
	for _, t := range tasks {
		if c.Simulated[t.ID] == nil {
			without++
		}
	}
	for _, e := range spec.Executors {
		if e.Kind != experiments.Simulated {
			continue
		}
		note := "Executor " + e.Name + " is simulated: a rule that plays the scripts of a cohort, and no model. Its figures say nothing about any model."
		switch {
		case without == len(tasks):
			note += " No task has a script, so every cell of it will be excluded; kind replay tests patches that were made elsewhere."
		case without > 0:
			note += fmt.Sprintf(" %d of the %d tasks have no script: their cells will be excluded.", without, len(tasks))
		}
		notes = append(notes, note)
	}
	return notes
}

// readInputs stores what each executor reads for each task.
func readInputs(ctx context.Context, folder *artifacts.Folder, c *datasets.Cohort, spec experiments.Spec) (map[string]map[string]experiments.Digest, error) {
	models := map[string][]string{} // predictions file -> models wanted of it
	for _, e := range spec.Executors {
		if e.Kind == experiments.Replay {
			models[e.Predictions] = append(models[e.Predictions], e.Model)
		}
	}
	read := map[string]map[string]map[string][]byte{}
	all := map[string]map[string]experiments.Digest{}
	for _, e := range spec.Executors {
		inputs := c.Simulated
		if e.Kind == experiments.Replay {
			if read[e.Predictions] == nil {
				patches, err := datasets.ReadModels(e.Predictions, models[e.Predictions])
				if err != nil {
					return nil, err
				}
				read[e.Predictions] = patches
			}
			inputs = read[e.Predictions][e.Model]
		}
		all[e.Name] = map[string]experiments.Digest{}
		for task, data := range inputs {
			d, err := folder.Public.Put(ctx, data)
			if err != nil {
				return nil, err
			}
			all[e.Name][task] = d
		}
	}
	return all, nil
}

// needsIssue reports whether an experiment asks anybody, or anything, with the words of an issue.
func needsIssue(spec experiments.Spec) bool {
	return slices.ContainsFunc(spec.Conditions, func(c experiments.ConditionSpec) bool { return c.Kind != experiments.NoEvidence }) ||
		slices.ContainsFunc(spec.Executors, func(e experiments.ExecutorSpec) bool { return e.Kind == experiments.Simulated })
}

func freezeTask(ctx context.Context, folder *artifacts.Folder, c *datasets.Cohort, t experiments.Task, spec experiments.Spec) (*experiments.FrozenTask, error) {
	frozen := &experiments.FrozenTask{ID: t.ID, Repo: t.Repo, Episode: t.Episode, BaseCommit: t.BaseCommit, Excluded: c.Excluded[t.ID]}
	if frozen.Excluded == "" && !t.State.Asks() && needsIssue(spec) {
		frozen.Excluded = "it has no issue, and evidence is searched by its words; condition none with patches that were made elsewhere goes without one"
	}
	private := c.Private[t.ID]
	var err error
	if frozen.Public, err = folder.Public.PutJSON(ctx, t); err != nil {
		return nil, err
	}
	if frozen.Private, err = folder.Private.PutJSON(ctx, private); err != nil {
		return nil, err
	}
	inputs := []struct {
		name  string
		value any
	}{
		{"task.public", t}, {"task.hidden_tests", private.Tests}, {"task.certificate", private.Certificate}, {"task.reference", private.Reference},
	}
	for _, in := range inputs {
		d, err := experiments.DigestJSON(in.value)
		if err != nil {
			return nil, err
		}
		frozen.Inputs = append(frozen.Inputs, experiments.Input{Name: in.name, Digest: d})
	}
	if frozen.Excluded != "" {
		return frozen, nil
	}
	mirror, err := repos.Snapshot(ctx, folder.Mirrors(), c.Sources[t.ID], t.BaseCommit)
	if err != nil {
		// One task's missing commit is that task's matter; the others go on.
		if ctx.Err() != nil {
			return nil, err
		}
		frozen.Excluded = "no snapshot: " + firstLine(err.Error())
		return frozen, nil
	}
	frozen.Mirror = filepath.Base(mirror.Dir())
	if frozen.BaseTree, err = mirror.Tree(ctx, t.BaseCommit); err != nil {
		return nil, err
	}
	units, err := Units(ctx, mirror, t.BaseCommit)
	if err != nil {
		return nil, err
	}
	if private.Certificate != nil {
		if err := private.Certificate.CheckUnits(units); err != nil {
			return nil, err
		}
	}
	frozen.Units, err = folder.Public.PutJSON(ctx, units)
	return frozen, err
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
