package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"evlab/configs"
	"evlab/datasets"
	"evlab/experiments"
	"evlab/experiments/specfile"
	"evlab/terminal"
)

// initOptions are the flags of init.
type initOptions struct {
	out, name              string
	tasks, repos, language string
	conditions             []string
	predictions, model     string
	force                  bool
	notes                  []string // what the files hold and the experiment will not have
	folder                 bool     // the tasks are a cohort folder
	named                  bool     // the file's name was chosen
	ownFlags               []string // flags that ask for an experiment of the user's own
}

func newInit(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a commented experiment file",
		Long: "Init writes an experiment file that is ready to run: the bundled demo, which needs no key and no network, or, with\n" +
			"--tasks, one for tasks of your own whose patches were made elsewhere: a file in SWE-bench's shape, or a cohort folder.\n" +
			"What it names has to be there. It never overwrites a file unless told to.",
		Example: "  evlab init -o demo.yaml\n" +
			"  evlab init --tasks tasks.jsonl --repos repos --language go --conditions bm25,none \\\n" +
			"      --predictions predictions.jsonl --model gold -o experiment.yaml\n" +
			"  evlab init -o - | less",
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{"tasks", "repos", "language", "conditions", "predictions", "model", "name"} {
				if cmd.Flags().Changed(name) {
					o.ownFlags = append(o.ownFlags, "--"+name)
				}
			}
			o.named = cmd.Flags().Changed("output")
			return a.runInit(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.out, "output", "o", "experiment.yaml", "file to write; - for stdout")
	flags.BoolVar(&o.force, "force", false, "overwrite the file")
	flags.StringVar(&o.name, "name", "", "name of the experiment (default: the file's name)")
	flags.StringVar(&o.tasks, "tasks", "", tasksHelp)
	flags.StringVar(&o.repos, "repos", "", "the tasks' repositories: "+reposHelp)
	flags.StringVar(&o.language, "language", "", "take only tasks of this language")
	flags.StringSliceVar(&o.conditions, "conditions", []string{experiments.BM25, experiments.NoEvidence},
		"evidence conditions; the first two are contrasted")
	flags.StringVar(&o.predictions, "predictions", "", "predictions file whose patches are replayed")
	flags.StringVar(&o.model, "model", "", "model_name_or_path of the predictions to replay, when there are several")
	return cmd
}

// written is init's JSON form.
type written struct {
	Type string `json:"type"` // init
	File string `json:"file"`
	Name string `json:"name"`
}

func (a *app) runInit(ctx context.Context, o initOptions) error {
	text, err := o.text()
	if err != nil {
		return err
	}
	target := o.out
	if target == "-" {
		target = "experiment.yaml" // where its relative paths start from
	}
	loaded, err := specfile.Parse(target, text, specfile.Overrides{Cohorts: bundledCohorts})
	if err != nil {
		f := specFailure(target, err)
		if own := (*failure)(nil); errors.As(f, &own) {
			own.Msg = "these flags make no experiment that can be used:"
		}
		return f
	}
	if err := o.there(ctx, loaded.Spec); err != nil {
		return err
	}
	for _, note := range o.notes {
		fmt.Fprintf(a.stderr, "note: %s\n", terminal.Safe(note))
	}
	if o.out == "-" {
		_, err := a.stdout.Write(text)
		return err
	}
	if err := writeFile(o.out, text, o.force); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return &failure{
				Code: exitUsage, Msg: o.out + " exists already", Hint: "choose another file with -o FILE, or overwrite it with --force", Err: err,
			}
		}
		return &failure{Code: exitUsage, Msg: fmt.Sprintf("writing %s: %v", o.out, reason(err)), Err: err}
	}
	if a.json {
		return a.printJSON(written{"init", loaded.File, loaded.Spec.Name})
	}
	fmt.Fprintf(a.stdout, "wrote %s (experiment %s)\n", terminal.Safe(o.out), loaded.Spec.Name)
	fmt.Fprintf(a.stderr, "next: evlab config check %s\n", terminal.Safe(o.out))
	return nil
}

// fileName is the experiment's name by its file's, or other where that can't name one.
func (o *initOptions) fileName(other string) string {
	base := filepath.Base(o.out)
	if name := strings.TrimSuffix(base, filepath.Ext(base)); experiments.CheckName("experiment", name) == nil {
		return name
	}
	return other
}

// demo is the bundled experiment, under the name of the file that was chosen for it.
func (o *initOptions) demo() []byte {
	if !o.named || o.out == "-" {
		return configs.Demo
	}
	return bytes.Replace(configs.Demo, []byte("\nname: demo\n"), []byte("\nname: "+o.fileName("demo")+"\n"), 1)
}

// text is the demo, or a draft from the flags.
func (o *initOptions) text() ([]byte, error) {
	if len(o.ownFlags) == 0 {
		return o.demo(), nil
	}
	needed := map[string]string{"--tasks": o.tasks, "--repos": o.repos, "--predictions": o.predictions}
	kind := datasets.KindOf(o.tasks)
	switch {
	case kind == datasets.KindCohort && o.repos != "":
		return nil, usage("leave --repos out", "--tasks %s holds %s, so --repos has no meaning", o.tasks, kind)
	case kind == datasets.KindCohort:
		delete(needed, "--repos")
	}
	if o.folder = kind == datasets.KindCohort || kind == datasets.KindImported; o.folder && o.language != "" {
		return nil, usage("evlab import --language makes a cohort of one language", "--language chooses among the rows of a file, and --tasks %s is a cohort folder", o.tasks)
	}
	var missing []string
	for flag, value := range needed {
		if value == "" {
			missing = append(missing, flag)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		need := "need"
		if len(o.ownFlags) == 1 {
			need = "needs"
		}
		return nil, usage("evlab init without these flags writes the demo", "%s %s %s too: an experiment of your own has tasks, "+
			"their repositories, and predictions of one model", strings.Join(o.ownFlags, ", "), need, strings.Join(missing, ", "))
	}
	for _, c := range o.conditions {
		if !slices.Contains(experiments.ConditionKinds, c) {
			return nil, usage("", "--conditions: %q is not one of %s%s", c, strings.Join(experiments.ConditionKinds, ", "),
				experiments.Suggest(c, experiments.ConditionKinds))
		}
		if (experiments.ConditionSpec{Kind: c}).Diagnostic() {
			return nil, usage("take bm25 or none; the demo shows the diagnostics",
				"--conditions: %s reads certificates, and tasks of this form have none", c)
		}
	}
	if err := o.onlyModel(); err != nil {
		return nil, err
	}
	name := o.name
	if name == "" {
		name = o.fileName("experiment")
	}
	d := specfile.Draft{Name: name, Folder: o.folder, Language: o.language, Conditions: o.conditions, Model: o.model}
	for _, p := range []struct {
		from string
		to   *string
	}{{o.tasks, &d.Tasks}, {o.repos, &d.Repos}, {o.predictions, &d.Predictions}} {
		if p.from == "" || p.to == &d.Repos && (p.from == experiments.GitHub || experiments.IsURL(p.from)) {
			*p.to = p.from
			continue
		}
		path, err := fromFolderOf(o.out, p.from)
		if err != nil {
			return nil, err
		}
		*p.to = path
	}
	return d.Text(), nil
}

// onlyModel takes the one model that the predictions are of, where none is named.
func (o *initOptions) onlyModel() error {
	if o.model != "" {
		return nil
	}
	listed, err := datasets.ListPredictions(o.predictions, nil)
	if err != nil {
		return faultsOf("", "these flags make no experiment that can be used:", err)
	}
	models := datasets.ModelsOf(listed)
	if len(models) != 1 {
		return usage("--model MODEL says whose rows are replayed", "%s has predictions of %d models (%s), and one is replayed",
			o.predictions, len(models), experiments.List(models, 12))
	}
	o.model = models[0]
	return nil
}

// there checks that what the flags name is in the files: rows of the language, and predictions of the model for them. The demo has all.
func (o *initOptions) there(ctx context.Context, spec experiments.Spec) error {
	if len(o.ownFlags) == 0 {
		return nil
	}
	var faults []error
	tasks, err := datasets.ListTasks(ctx, cmp.Or(spec.Cohort.Tasks, spec.Cohort.Path), spec.Cohort.Language)
	if err != nil {
		faults = append(faults, err)
	}
	for _, e := range spec.Executors {
		patches, err := datasets.ReadPredictions(e.Predictions, e.Model)
		switch {
		case err != nil:
			faults = append(faults, err)
		case len(faults) == 0:
			note, err := answered(tasks, patches, e)
			if err != nil {
				faults = append(faults, err)
			}
			o.notes = append(o.notes, note...)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(faults) == 0 {
		return nil
	}
	return faultsOf("", "these flags make no experiment that can be used:", errors.Join(faults...))
}

// answered holds predictions against the tasks: none for any of them is a mistake, some for others is worth a note.
func answered(tasks []string, patches map[string][]byte, e experiments.ExecutorSpec) (notes []string, err error) {
	known := map[string]bool{}
	for _, id := range tasks {
		known[id] = true
	}
	var others []string
	for id := range patches {
		if !known[id] {
			others = append(others, id)
		}
	}
	if len(others) == 0 {
		return nil, nil
	}
	slices.Sort(others)
	of := fmt.Sprintf("the predictions of %q in %s", e.Model, e.Predictions)
	if len(others) == len(patches) {
		return nil, fmt.Errorf("none of %s is of a task that there is: they are of %s%s; the tasks are %s",
			of, experiments.List(others, 3), experiments.Suggest(others[0], tasks), experiments.List(tasks, 3))
	}
	return []string{fmt.Sprintf("%d of %s are of tasks that there are not, and are left out: %s%s",
		len(others), of, experiments.List(others, 3), experiments.Suggest(others[0], tasks))}, nil
}

// fromFolderOf is path as seen from the folder of file, absolute when there is no way from one to the other.
func fromFolderOf(file, path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", usage("", "%s: %v", path, err)
	}
	dir := "."
	if file != "-" {
		dir = filepath.Dir(file)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", usage("", "%s: %v", file, err)
	}
	relative, err := filepath.Rel(dir, abs)
	if err != nil { // another drive
		return abs, nil
	}
	return filepath.ToSlash(relative), nil
}

// writeFile writes a file whole or not at all. Without force a file that exists, even since a moment ago, is left alone
// and the error is fs.ErrExist.
func writeFile(path string, text []byte, force bool) (err error) {
	if info, err := os.Lstat(path); err == nil {
		switch {
		case info.IsDir():
			return errors.New("it is a folder")
		case !force:
			return fs.ErrExist
		}
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".evlab-init-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	if force {
		err = os.Rename(f.Name(), path)
	} else if err = os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) { // no hard links here
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return err
	}
	if d, err := os.Open(dir); err == nil { // the name is as durable as the content; not every system can say so
		d.Sync()
		d.Close()
	}
	return nil
}
