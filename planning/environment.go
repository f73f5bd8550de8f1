package planning

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/environments"
	"evlab/experiments"
	"evlab/sandbox"
)

// settler decides where each task's tests run: in the image or what the Dockerfile makes that the task names, where
// that is to be had here, else by the recipe of its language. It is for one goroutine.
type settler struct {
	contract *experiments.Contract
	folder   *artifacts.Folder
	indexes  map[string]openedIndex // by the recipe's name, or the image's
	pinner   *sandbox.Pinner
	pinned   map[string]pin   // by the name of the image
	debian   map[string]error // packages that were asked for -> why they are not to be had
	instead  tasks            // that run by recipe although they name an image
	lean     tasks            // that run without the additions that they ask for
	bare     tasks            // that run without what they import
	names    map[string]bool  // of Debian's packages of modules
	namesErr error
}

// tasks are some that something is told of, and why, of the first of them.
type tasks struct {
	ids []string
	why string
}

func (t *tasks) add(id, why string) {
	if t.ids = append(t.ids, id); t.why == "" {
		t.why = why
	}
}

// text names the first one and counts the others.
func (t *tasks) text() string { return experiments.List(t.ids, 1) }

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
func (s *settler) notes() (notes []string) {
	if len(s.instead.ids) > 0 {
		notes = append(notes, fmt.Sprintf("Tests of %s run in evlab's own environment of the language, not in the image that the dataset names: %s.", s.instead.text(), s.instead.why))
	}
	if len(s.lean.ids) > 0 {
		notes = append(notes, fmt.Sprintf("Tests of %s run beside the toolchain alone, though their sources start programs or need C, or they have a command of their own: %s. A task can name an image instead (image or dockerfile).", s.lean.text(), s.lean.why))
	}
	if len(s.bare.ids) > 0 {
		notes = append(notes, fmt.Sprintf("Tests of %s run with Python and pytest alone, though their sources import more: %s. A task can name what it requires (requirements) or an image (image or dockerfile).", s.bare.text(), s.bare.why))
	}
	return notes
}

// settle gives a task its environment. A task without one is set aside; the others go on. patches are those of the hidden
// tests and of the task's own repair.
func (s *settler) settle(ctx context.Context, task *experiments.FrozenTask, language string, setting datasets.Setting, patches ...[]byte) error {
	if task.Excluded != "" {
		return nil
	}
	c := s.contract
	recipe, err := environments.Of(language)
	if err == nil && len(recipe.Packages) > 0 && c.Sandbox.Kind != "docker" {
		err = fmt.Errorf("no environment: tests in %s need Docker, and this run's sandbox is %s", language, c.Sandbox.Kind)
	}
	takes, additions, imports := recipe.Wheels, recipe.Additions, recipe.Imports
	recipe.Wheels, recipe.Additions, recipe.Imports = nil, nil, nil
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
			s.instead.add(task.ID, firstLine(gerr.Error()))
		}
	}
	if err == nil && !recipe.Given() {
		if err = s.wheels(ctx, task, &recipe, takes, setting); err != nil {
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
	ownCommand := !recipe.Given() && setting.Rule == datasets.RuleEvlab && setting.Grammar != "" && len(setting.Tests) > 0
	if len(additions) > 0 && !recipe.Given() {
		if err := s.addTo(ctx, task, &recipe, additions, ownCommand, patches); err != nil {
			return err
		}
	}
	packages := len(recipe.Packages)
	if imports != nil && !recipe.Given() && len(setting.Requirements) == 0 && recipe.Base == "" {
		if err := s.addImported(ctx, task, &recipe, *imports, patches); err != nil {
			return err
		}
	}
	changed := recipe.Wheels != nil || len(recipe.Beside) > 0 || len(recipe.Packages) > packages
	if ownCommand && (recipe.Base != "" || hasShell(recipe.Packages) || hasShell(recipe.Beside)) {
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

// hasShell reports whether packages bring one, in which commands of a task's own are run.
func hasShell(packages []string) bool { return slices.Contains(packages, "dash") }

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
	if e.Reader != nil {
		if e.Reader.Program, err = s.folder.HandOut.Put(ctx, []byte(setting.Parser)); err != nil {
			return e, err
		}
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

func (s *settler) openPinner() error {
	if s.pinner != nil {
		return nil
	}
	host, err := s.folder.HostID()
	if err == nil {
		s.pinner, err = sandbox.NewPinner(host)
	}
	if s.pinned == nil {
		s.pinned = map[string]pin{}
	}
	return err
}

// pin asks once for each name.
func (s *settler) pin(ctx context.Context, image string) (string, error) {
	p, ok := s.pinned[image]
	if !ok {
		if p.err = s.openPinner(); p.err != nil {
			return "", p.err
		}
		p.image, p.err = s.pinner.Pin(ctx, image)
		s.pinned[image] = p
	}
	return p.image, p.err
}
