package requirements

import (
	"fmt"
	"slices"

	"evlab/sandbox/wheel"
)

type uvEdge struct {
	Name, Version, Marker string
	Extra                 []string
}

type uvPackage struct {
	Name, Version string
	Source        struct{ Registry, Git, URL, Path, Directory, Editable, Virtual string }
	Markers       []string            `toml:"resolution-markers"`
	Needs         []uvEdge            `toml:"dependencies"`
	Extras        map[string][]uvEdge `toml:"optional-dependencies"`
	Groups        map[string][]uvEdge `toml:"dev-dependencies"`
	Sdist         struct{ Hash string }
	Wheels        []struct{ Hash string }
}

// own says whether a package is of the repository.
func (p *uvPackage) own() bool { return p.Source.Virtual+p.Source.Editable != "" }

// uv reads uv.lock: what the repository's own packages need, with all dependency groups and the extras for tests.
func (r *reader) uv(file string, text []byte) (entries []entry, err error) {
	var lock struct{ Package []uvPackage }
	if err := unmarshalTOML(file, text, &lock); err != nil {
		return nil, err
	}
	byName := map[string][]*uvPackage{}
	for i := range lock.Package {
		p := &lock.Package[i]
		byName[wheel.Normal(p.Name)] = append(byName[wheel.Normal(p.Name)], p)
	}
	asked := r.situation()
	// find is the package that an edge leads to.
	find := func(e uvEdge) (*uvPackage, error) {
		var found []*uvPackage
		for _, p := range byName[wheel.Normal(e.Name)] {
			fits, err := len(p.Markers) == 0, error(nil)
			for i := 0; i < len(p.Markers) && !fits && err == nil; i++ {
				fits, err = asked.holds(p.Markers[i])
			}
			if err != nil {
				return nil, err
			}
			if e.Version != "" && e.Version == p.Version || e.Version == "" && fits {
				found = append(found, p)
			}
		}
		if len(found) != 1 {
			return nil, fmt.Errorf("%.60q leads to %d packages of the file, expected one", e.Name, len(found))
		}
		return found[0], nil
	}
	taken := map[*uvPackage]map[string]bool{} // with the extras
	type visit struct {
		p     *uvPackage
		extra string
	}
	var open []visit
	want := func(p *uvPackage, extras ...string) {
		if taken[p] == nil {
			taken[p] = map[string]bool{}
		}
		for _, extra := range append(extras, "") {
			if !taken[p][extra] {
				taken[p][extra] = true
				open = append(open, visit{p, extra})
			}
		}
	}
	for i := range lock.Package {
		if p := &lock.Package[i]; p.own() {
			want(p, testExtras...)
		}
	}
	if len(open) == 0 {
		return nil, fmt.Errorf("%s: none of its packages is the repository itself (source virtual or editable)", file)
	}
	for len(open) > 0 {
		v := open[len(open)-1]
		open = open[:len(open)-1]
		edges := v.p.Needs
		if v.extra != "" {
			edges = v.p.Extras[v.extra]
		} else if v.p.own() {
			for _, group := range v.p.Groups {
				edges = append(slices.Clip(edges), group...)
			}
		}
		for _, e := range edges {
			yes, err := asked.holds(e.Marker)
			if err == nil && yes {
				var p *uvPackage
				if p, err = find(e); err == nil {
					want(p, e.Extra...)
				}
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %.60s: %w", file, v.p.Name, err)
			}
		}
	}
	for p := range taken {
		if p.own() {
			continue
		}
		if p.Source.Registry == "" {
			return nil, notIndexed(file, p.Name)
		}
		e := entry{name: p.Name, version: p.Version}
		for _, h := range append([]struct{ Hash string }{p.Sdist}, p.Wheels...) {
			if h.Hash != "" {
				e.hashes = append(e.hashes, h.Hash)
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}
