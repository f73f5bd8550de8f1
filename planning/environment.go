package planning

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/environments"
	"evlab/experiments"
	"evlab/sandbox"
	"evlab/sandbox/testlog"
)

// settler decides where each task's tests run: in the image or what the Dockerfile makes that the task names, where
// that is to be had here, else by the recipe of its language. It is for one goroutine.
type settler struct {
	contract *experiments.Contract
	folder   *artifacts.Folder
	indexes  map[string]openedIndex // by the recipe's name
	pinner   *sandbox.Pinner
	pinned   map[string]pin // by the name of the image
	instead  []string       // tasks that run by recipe although they name an image
	why      string         // of the first of them
}

type pin struct {
	image string
	err   error
}

func (s *settler) close() {
	if s.pinner != nil {
		s.pinner.Close()
	}
	for _, o := range s.indexes {
		if o.index != nil {
			o.index.Close()
		}
	}
}

// notes are sentences about all tasks.
func (s *settler) notes() []string {
	if len(s.instead) == 0 {
		return nil
	}
	which := s.instead[0]
	if n := len(s.instead); n > 1 {
		which += fmt.Sprintf(" and %d more", n-1)
	}
	return []string{fmt.Sprintf("Tests of %s run in evlab's own environment of the language, not in the image that the dataset names: %s.", which, s.why)}
}

// settle gives a task its environment. A task without one is set aside; the others go on.
func (s *settler) settle(ctx context.Context, task *experiments.FrozenTask, language string, setting datasets.Setting) error {
	if task.Excluded != "" {
		return nil
	}
	c := s.contract
	recipe, err := environments.Of(language)
	if err == nil && len(recipe.Packages) > 0 && c.Sandbox.Kind != "docker" {
		err = fmt.Errorf("no environment: tests in %s need Docker, and this run's sandbox is %s", language, c.Sandbox.Kind)
	}
	takes := recipe.Wheels
	recipe.Wheels = nil
	var known *experiments.Environment
	if err == nil {
		known = &recipe
	}
	if setting.Image != "" || setting.Dockerfile != "" {
		given, gerr := s.given(ctx, setting, known)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case gerr == nil:
			recipe, err = given, nil
		case known == nil || setting.Dockerfile != "": // who writes a Dockerfile wants it
			err = fmt.Errorf("no environment: %w", gerr)
		default:
			if s.instead = append(s.instead, task.ID); s.why == "" {
				s.why = firstLine(gerr.Error())
			}
		}
	}
	if err == nil && !recipe.Given() {
		if recipe.Wheels, err = s.wheels(ctx, task, recipe, takes, setting); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			err = fmt.Errorf("no environment: %w", err)
		}
	}
	if err != nil {
		task.Excluded = firstLine(err.Error())
		return nil
	}
	changed := recipe.Wheels != nil
	if !recipe.Given() && setting.Rule == datasets.RuleEvlab && setting.Grammar != "" && len(setting.Tests) > 0 && slices.Contains(recipe.Packages, "dash") {
		own, err := testsIn(setting, known)
		if err != nil {
			return err
		}
		recipe.Command, recipe.Select, recipe.Report = own.Command, own.Select, own.Report
		changed = true
	}
	if changed {
		d, err := experiments.DigestJSON(recipe)
		if err != nil {
			return err
		}
		recipe.Name += "-" + d.Short()
	}
	c.Environments[recipe.Name], task.Recipe = recipe, recipe.Name
	parts := map[string]any{
		"sandbox": c.Sandbox.Kind, "version": sandbox.RecipeVersion, "system": "linux", "arch": runtime.GOARCH, "recipe": recipe,
	}
	if recipe.OnToolchain() {
		parts["go"] = c.Versions["go"]
	}
	if task.Environment, err = experiments.DigestJSON(parts); err != nil {
		return err
	}
	task.Inputs = append(task.Inputs, experiments.Input{Name: "task.environment", Digest: task.Environment})
	return nil
}

// given is the environment in the image or Dockerfile that a task names; known is the recipe of its language, if any.
func (s *settler) given(ctx context.Context, setting datasets.Setting, known *experiments.Environment) (experiments.Environment, error) {
	if s.contract.Sandbox.Kind != "docker" {
		return experiments.Environment{}, fmt.Errorf("images need Docker, and this run's sandbox is %s", s.contract.Sandbox.Kind)
	}
	if os, _, _ := strings.Cut(setting.Platform, "/"); os != "" && os != "linux" {
		return experiments.Environment{}, fmt.Errorf("its image is for %s, and only linux images are run here", setting.Platform)
	}
	e, err := testsIn(setting, known)
	if err != nil {
		return e, err
	}
	e.Dockerfile, e.Workdir = setting.Dockerfile, setting.Workdir
	if e.Dockerfile == "" {
		if e.Image, err = s.pin(ctx, setting.Image); err != nil {
			return e, err
		}
	}
	d, err := experiments.DigestJSON(e)
	e.Name = "given-" + d.Short()
	return e, err
}

// pin asks once for each name.
func (s *settler) pin(ctx context.Context, image string) (string, error) {
	p, ok := s.pinned[image]
	if !ok {
		if s.pinner == nil {
			if s.pinner, p.err = sandbox.NewPinner(); p.err != nil {
				return "", p.err
			}
			s.pinned = map[string]pin{}
		}
		p.image, p.err = s.pinner.Pin(ctx, image)
		s.pinned[image] = p
	}
	return p.image, p.err
}

// testsIn is how a task's tests are run where it says so itself, and how their report is read; known is the recipe of its
// language, whose command is run when it does not.
func testsIn(setting datasets.Setting, known *experiments.Environment) (experiments.Environment, error) {
	prepare := slices.Clone(setting.Prepare)
	if len(setting.Tests) == 0 {
		switch {
		case setting.Script != "":
			return experiments.Environment{}, errors.New("its tests are run by a script of its dataset's, which needs the repository's history and is not run here")
		case known == nil:
			return experiments.Environment{}, errors.New("nothing says how its tests are run in its image")
		case setting.Grammar != "" && !reads(setting.Grammar, known.Report):
			return experiments.Environment{}, fmt.Errorf("its tests are run by a command that only its dataset's harness knows (its report is read by %s)", setting.Grammar)
		}
		if setting.Rule == datasets.RuleSWEBench || setting.Rule == datasets.RuleSmith {
			prepare = append([]string{". /opt/miniconda3/bin/activate", "conda activate testbed"}, prepare...)
		}
		e := *known // its variables too: they keep old bytecode and short lines away
		e.Languages, e.Packages, e.Setup, e.Warm = nil, nil, nil, nil
		if len(prepare) > 0 {
			e.Command = append([]string{"bash", "-c", strings.Join(append(prepare, `exec "$@"`), "\n"), "bash"}, e.Command...)
		}
		return e, nil
	}
	if setting.Parser != "" {
		return experiments.Environment{}, errors.New("its report is read by a program of its dataset's, which is not run here")
	}
	if setting.Grammar == "" && setting.Rule == datasets.RuleMulti {
		return experiments.Environment{}, errors.New("its report is read by a program that Multi-SWE-bench has for its repository alone, and that evlab has none for")
	}
	if setting.Grammar == "" {
		return experiments.Environment{}, errors.New("nothing says how the report of its test command is to be read (field report)")
	}
	if _, err := testlog.Find(setting.Grammar); err != nil {
		return experiments.Environment{}, err
	}
	lines := slices.Concat(prepare, setting.Tests)
	if len(setting.Print) > 0 { // the report is printed after the tests, whose status counts
		lines = slices.Concat(lines, []string{"evlab_status=$?"}, setting.Print, []string{"exit $evlab_status"})
	}
	shell := "bash"
	if setting.Rule == datasets.RuleEvlab {
		shell = "sh"
	}
	return experiments.Environment{Command: []string{shell, "-c", strings.Join(lines, "\n")}, Select: experiments.SelectAll, Report: setting.Grammar}, nil
}

// reads reports whether a dataset's parser is one of the reports that a recipe's runner writes.
func reads(grammar, report string) bool {
	return grammar == report || report == testlog.Pytest && strings.HasPrefix(grammar, "parse_log_pytest")
}
