package environments

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"evlab/configs"
	"evlab/experiments"
	"evlab/sandbox/testlog"
)

// recipes are the bundled ones by language.
var recipes = sync.OnceValues(func() (map[string]experiments.Environment, error) {
	return read(configs.Environments, "environments")
})

// Of gives the environment of a language's tests. Without one the tasks of the language can't be asked, which the error
// says in a sentence.
func Of(language string) (experiments.Environment, error) {
	all, err := recipes()
	if err != nil {
		return experiments.Environment{}, err
	}
	e, ok := all[language]
	if !ok {
		var known []string
		for name := range all {
			known = append(known, name)
		}
		slices.Sort(known)
		return e, fmt.Errorf("no environment: there is no recipe for tests in %.40q; there are recipes for %s", language, strings.Join(known, ", "))
	}
	return e, nil
}

// read reads the recipes of a folder, strictly; the error joins all faults.
func read(from fs.FS, dir string) (map[string]experiments.Environment, error) {
	names, err := fs.Glob(from, dir+"/*.yaml")
	if err != nil {
		return nil, err
	}
	all := map[string]experiments.Environment{}
	var errs []error
	for _, name := range names {
		data, err := fs.ReadFile(from, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		var e experiments.Environment
		dec := yaml.NewDecoder(bytes.NewReader(data))
		dec.KnownFields(true)
		if err := dec.Decode(&e); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		if err := errors.Join(fill(from, dir, e), check(e)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		if path.Base(name) != e.Name+".yaml" {
			errs = append(errs, fmt.Errorf("%s: the recipe's name is %q", name, e.Name))
		}
		for _, language := range e.Languages {
			if other, twice := all[language]; twice {
				errs = append(errs, fmt.Errorf("%s: language %q has the recipe %s already", name, language, other.Name))
			}
			all[language] = e
		}
	}
	return all, errors.Join(errs...)
}

// fill puts programs into the commands that prepare: an argument @FILE is the text of the file beside the recipe.
func fill(from fs.FS, dir string, e experiments.Environment) error {
	for _, command := range slices.Concat(e.Setup, e.Warm) {
		for i, arg := range command {
			file, is := strings.CutPrefix(arg, "@")
			if !is {
				continue
			}
			text, err := fs.ReadFile(from, path.Join(dir, file))
			if err != nil {
				return fmt.Errorf("%s: %w", arg, err)
			}
			command[i] = string(text)
		}
	}
	return nil
}

var packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]+$`)

func check(e experiments.Environment) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if e.Name == "" || len(e.Languages) == 0 {
		bad("name and languages are required")
	}
	if !slices.Contains(experiments.Selections, e.Select) {
		bad("select: expected one of %s, found %q", strings.Join(experiments.Selections, ", "), e.Select)
	}
	if _, err := testlog.Find(e.Report); err != nil {
		bad("report: %w", err)
	}
	lists := [][][]string{{e.Command}, e.Setup, e.Warm}
	if e.Wheels != nil {
		lists = append(lists, e.Wheels.Setup)
		if !slices.Contains(e.Packages, "python3") {
			bad("wheels: the recipe has no python3 among its packages")
		}
		if e.Wheels.Image != "" && !strings.Contains(e.Wheels.Image, "{python}") {
			bad("wheels: image: expected {python} in %q, where the version goes", e.Wheels.Image)
		}
	}
	names, variables := slices.Clone(e.Packages), slices.Clone(e.Env)
	for i, a := range e.Additions {
		where := fmt.Sprintf("additions: number %d", i+1)
		if len(a.Imports)+len(a.Uses)+len(a.Requires) == 0 {
			bad("%s: expected imports, uses or requires, by which a tree asks for it", where)
		}
		if len(a.Packages) == 0 {
			bad("%s: expected packages", where)
		}
		for _, word := range slices.Concat(a.Imports, a.Uses, a.Requires) {
			if word == "" || strings.ContainsAny(word, " \t\n\"`\x00") {
				bad("%s: %q is neither a path that sources of Go import or require, nor package.Name", where, word)
			}
		}
		for _, use := range a.Uses {
			if pkg, name, ok := strings.Cut(use, "."); !ok || pkg == "" || name == "" {
				bad("%s: uses: expected package.Name, found %q", where, use)
			}
		}
		lists, names, variables = append(lists, a.Setup), append(names, a.Packages...), append(variables, a.Env...)
	}
	if len(e.Additions) > 0 && (len(e.Packages) > 0 || e.Select != experiments.SelectGo) {
		bad("additions: they lie beside the machine's Go toolchain, and this recipe is of other packages (packages), or not of Go (select)")
	}
	if i := e.Imports; i != nil {
		if !slices.Contains(e.Packages, "python3") || strings.Count(i.Package, "{module}") != 1 || !strings.HasSuffix(i.Package, "{module}") {
			bad("imports: expected packages of which one is python3, and package with {module} at its end, found %q", i.Package)
		}
		names = slices.Concat(names, i.Without, slices.Collect(maps.Values(i.Named)), slices.Collect(maps.Values(i.Options)))
	}
	for _, commands := range lists {
		for _, c := range commands {
			if len(c) == 0 || c[0] == "" {
				bad("an empty command")
			}
		}
	}
	for _, p := range names {
		if !packageName.MatchString(p) {
			bad("packages: %q is not the name of a Debian package", p)
		}
	}
	for _, v := range variables {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
			bad("env: expected NAME=value, found %q", v)
		}
	}
	return errors.Join(errs...)
}
