package requirements

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// maxNesting bounds brackets in one another, which a reader of TOML follows by calling itself.
const maxNesting = 1000

// unmarshalTOML reads TOML of which nothing is known.
func unmarshalTOML(file string, text []byte, into any) error {
	depth := 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxNesting {
			return fmt.Errorf("%s: more than %d brackets in one another", file, maxNesting)
		}
	}
	err := toml.Unmarshal(text, into)
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, _ := at.Position()
		return fmt.Errorf("%s:%d: %w", file, row, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// texts are the texts in v: itself, or those of a list or of a table's values.
func texts(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			if text, is := one.(string); is {
				all = append(all, text)
			}
		}
	case map[string]any:
		for _, one := range v {
			if text, is := one.(string); is {
				all = append(all, text)
			}
		}
	}
	return all
}

// pipfile reads Pipfile.lock, which is JSON: what the program needs and what its tests need.
func (r *reader) pipfile(file string, text []byte) (entries []entry, err error) {
	type locked struct {
		Version, Markers, Git, Path, File string
		Hashes                            []string
	}
	var lock struct{ Default, Develop map[string]locked }
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, group := range []map[string]locked{lock.Default, lock.Develop} {
		for name, p := range group {
			if p.Git+p.Path+p.File != "" {
				return nil, notIndexed(file, name)
			}
			yes, err := r.situation().holds(p.Markers)
			if err != nil {
				return nil, fmt.Errorf("%s: %.60s: %w", file, name, err)
			}
			if !yes {
				continue
			}
			if len(p.Version) < 3 || p.Version[:2] != "==" {
				return nil, fmt.Errorf("%s: %.60s: expected a version such as ==1.2, found %.60q", file, name, p.Version)
			}
			entries = append(entries, entry{name, p.Version[2:], p.Hashes})
		}
	}
	return entries, nil
}

func notIndexed(file, name string) error {
	return fmt.Errorf("%s: %.60q is of a path, a URL or a repository, and only packages of an index are fetched; %s", file, name, wayOut)
}

// testExtras are the extras of the repository itself whose packages are fetched.
var testExtras = []string{"test", "tests", "testing", "dev"}

// pylock reads pylock.toml (PEP 751): with all dependency groups, and the extras for tests.
func (r *reader) pylock(file string, text []byte) (entries []entry, err error) {
	type source struct {
		Name   string
		URL    string
		Path   string
		Hashes map[string]string
	}
	var lock struct {
		Groups   []string `toml:"dependency-groups"`
		Defaults []string `toml:"default-groups"`
		Packages []struct {
			Name, Version, Marker   string
			Python                  string `toml:"requires-python"`
			Wheels                  []source
			Sdist                   *source
			VCS, Directory, Archive map[string]any
		}
	}
	if err := unmarshalTOML(file, text, &lock); err != nil {
		return nil, err
	}
	asked := r.situation()
	asked.sets = map[string][]string{"extras": testExtras, "dependency_groups": append(lock.Groups, lock.Defaults...)}
	for _, p := range lock.Packages {
		yes, err := asked.holds(p.Marker)
		if err != nil {
			return nil, fmt.Errorf("%s: %.60s: %w", file, p.Name, err)
		}
		if !yes || !r.target.permits(p.Python) {
			continue
		}
		if p.Directory["path"] == "." {
			continue // the repository itself
		}
		if p.VCS != nil || p.Directory != nil || p.Archive != nil || p.Version == "" {
			return nil, notIndexed(file, p.Name)
		}
		e := entry{name: p.Name, version: p.Version}
		files := p.Wheels
		if p.Sdist != nil {
			files = append(files, *p.Sdist)
		}
		for _, f := range files {
			for algorithm, digest := range f.Hashes {
				if algorithm == "sha256" || algorithm == "sha384" || algorithm == "sha512" {
					e.hashes = append(e.hashes, algorithm+":"+digest)
				}
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}
