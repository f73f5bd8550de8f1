package requirements

import (
	"fmt"
	"path"
	"strings"

	"evlab/sandbox/wheel"
)

type poetryPackage struct {
	Name, Version string
	Python        string   `toml:"python-versions"`
	Groups        []string // of newer files, whose markers say all
	Markers       any
	Source        struct{ Type string }
	Needs         map[string]any `toml:"dependencies"`
	Files         []struct{ Hash string }
}

// poetry reads poetry.lock. Newer files say of each package where it is needed. In older ones that follows from what
// needs it: its pyproject.toml, which has to be beside it, or another package.
func (r *reader) poetry(file string, text []byte) (entries []entry, err error) {
	var lock struct {
		Package  []poetryPackage
		Metadata struct {
			Files map[string][]struct{ Hash string } // of the oldest files
		}
	}
	if err := unmarshalTOML(file, text, &lock); err != nil {
		return nil, err
	}
	asked := r.situation()
	asked.anyExtra = true // what the file names for the sake of an extra, somebody asked for
	byName := map[string][]poetryPackage{}
	older := false
	for _, p := range lock.Package {
		byName[wheel.Normal(p.Name)] = append(byName[wheel.Normal(p.Name)], p)
		older = older || p.Groups == nil
	}
	var needed map[string]bool
	if older {
		if needed, err = r.poetryNeeds(file, asked, byName); err != nil {
			return nil, err
		}
	}
	for _, p := range lock.Package {
		yes := !older || needed[wheel.Normal(p.Name)]
		if markers := texts(p.Markers); len(markers) > 0 { // one for all groups, or one for each
			some := false
			for _, marker := range markers {
				holds, err := asked.holds(marker)
				if err != nil {
					return nil, fmt.Errorf("%s: %.60s: %w", file, p.Name, err)
				}
				some = some || holds
			}
			yes = yes && some
		}
		if !yes || !r.target.permits(p.Python) {
			continue
		}
		switch p.Source.Type {
		case "", "legacy": // an index, of whatever name: its files are told by their hashes
		default:
			return nil, notIndexed(file, p.Name)
		}
		e := entry{name: p.Name, version: p.Version}
		for _, f := range append(p.Files, lock.Metadata.Files[p.Name]...) {
			e.hashes = append(e.hashes, f.Hash)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// poetryNeeds follows who needs what from the repository's own needs on, by normal name.
func (r *reader) poetryNeeds(file string, asked situation, byName map[string][]poetryPackage) (map[string]bool, error) {
	beside := path.Join(path.Dir(file), "pyproject.toml")
	text, err := r.file(beside)
	if err != nil {
		return nil, fmt.Errorf("%s: what is needed of it, its pyproject.toml says: %w", file, err)
	}
	roots, err := r.projectNeeds(beside, text, asked)
	if err != nil {
		return nil, err
	}
	needed := map[string]bool{}
	open := roots
	for len(open) > 0 {
		name := wheel.Normal(open[len(open)-1])
		open = open[:len(open)-1]
		if needed[name] {
			continue
		}
		needed[name] = true
		for _, p := range byName[name] {
			if !r.target.permits(p.Python) {
				continue
			}
			more, err := poetryTable(p.Needs, asked)
			if err != nil {
				return nil, fmt.Errorf("%s: %.60s: %w", file, p.Name, err)
			}
			open = append(open, more...)
		}
	}
	return needed, nil
}

// projectNeeds are the names that a pyproject.toml says the program and its tests need.
func (r *reader) projectNeeds(file string, text []byte, asked situation) (names []string, err error) {
	var project struct {
		Project struct {
			Dependencies []string
			Optional     map[string][]string `toml:"optional-dependencies"`
		}
		Groups map[string][]any `toml:"dependency-groups"`
		Tool   struct {
			Poetry struct {
				Dependencies map[string]any
				Dev          map[string]any `toml:"dev-dependencies"`
				Group        map[string]struct{ Dependencies map[string]any }
			}
		}
	}
	if err := unmarshalTOML(file, text, &project); err != nil {
		return nil, err
	}
	p := project.Tool.Poetry
	tables := []map[string]any{p.Dependencies, p.Dev}
	for _, group := range p.Group {
		tables = append(tables, group.Dependencies)
	}
	for _, table := range tables {
		more, err := poetryTable(table, asked)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		names = append(names, more...)
	}
	lines := project.Project.Dependencies
	for _, extra := range testExtras {
		lines = append(lines, project.Project.Optional[extra]...)
	}
	for _, group := range project.Groups {
		lines = append(lines, texts(group)...)
	}
	for _, line := range lines {
		name := line
		if i := strings.IndexAny(line, " [(<>=!~;@"); i >= 0 {
			name = line[:i]
		}
		_, marker, _ := strings.Cut(line, ";")
		yes, err := asked.holds(marker)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if yes {
			names = append(names, name)
		}
	}
	return names, nil
}

// poetryTable are the names in a table of needs that are needed here: a version, a table that may have markers, or a list
// of such.
func poetryTable(table map[string]any, asked situation) (names []string, err error) {
	for name, v := range table {
		needs, is := v.([]any)
		if !is {
			needs = []any{v}
		}
		for _, need := range needs {
			yes := true
			if t, is := need.(map[string]any); is {
				marker, _ := t["markers"].(string)
				if yes, err = asked.holds(marker); err != nil {
					return nil, fmt.Errorf("%.60s: %w", name, err)
				}
				if python, _ := t["python"].(string); python != "" {
					yes = yes && asked.permits(python)
				}
			}
			if yes {
				names = append(names, name)
				break
			}
		}
	}
	return names, nil
}
