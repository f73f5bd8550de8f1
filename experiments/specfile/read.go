package specfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"evlab/experiments"
)

// Loaded is an experiment file as it is meant: complete, checked, with absolute paths.
type Loaded struct {
	Spec    experiments.Spec
	File    string            // absolute
	Origins map[string]Origin // of every key that Values lists
}

// Read reads an experiment file. Its error is a Faults with everything that is wrong: with the text, the YAML, the keys
// and their types, the overrides, the values, and the files that the experiment names.
func Read(file string, o Overrides) (*Loaded, error) {
	data, err := readSource(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data, o)
}

// Parse is Read for content that is not, or not yet, in the file: paths in it are relative to the file's folder.
func Parse(file string, data []byte, o Overrides) (*Loaded, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, Faults{{File: file, Msg: fmt.Sprintf("making the path absolute: %v", err)}}
	}
	if len(data) > MaxSize {
		return nil, Faults{{File: file, Msg: "it is larger than 1 MiB, which no experiment file is"}}
	}
	r := reading{
		walker:    &walker{&collector{file: file}, map[string]place{}, map[string]bool{}},
		overrides: o,
	}
	root := parse(data, r.collector)
	r.env, r.flags = o.read(r.collector)
	if root == nil {
		return nil, r.err()
	}
	value, _ := r.value(root, specType, "")
	tree, ok := value.(map[string]any)
	if !ok {
		return nil, r.err()
	}
	spec, err := merge(tree, r.env, r.flags)
	if err != nil {
		r.at(0, 0, "", "%v", err)
		return nil, r.err()
	}
	r.absolute(&spec, filepath.Dir(abs))
	r.fillIn(&spec)
	r.check(&spec)
	r.checkFiles(&spec)
	if err := r.err(); err != nil {
		return nil, sorted(err)
	}
	return &Loaded{Spec: spec, File: abs, Origins: r.origins(&spec)}, nil
}

// reading is the state of one Read.
type reading struct {
	*walker
	overrides  Overrides
	env, flags map[string]override
}

// absolute makes the file's paths absolute; those of overrides are already.
func (r *reading) absolute(s *experiments.Spec, dir string) {
	for _, l := range leaves(reflect.ValueOf(s).Elem(), "") {
		if isPathKey(l.key) && l.value.String() != "" && !filepath.IsAbs(l.value.String()) && !isElsewhere(l.key, l.value.String()) {
			l.value.SetString(filepath.Join(dir, filepath.FromSlash(l.value.String())))
		}
	}
}

// isElsewhere reports whether the value is no path although the field may hold one: repositories that are fetched.
func isElsewhere(key, value string) bool {
	return key == "cohort.repos" && (value == experiments.GitHub || experiments.IsURL(value))
}

func isPathKey(key string) bool {
	return slices.Contains(pathKeys, key) || strings.HasPrefix(key, "executors[") && strings.HasSuffix(key, "].predictions")
}

// fillIn completes the spec and puts back what the file says: FillIn can't tell a zero that was written (b: 0 is a
// legal BM25) from one that was not.
func (r *reading) fillIn(s *experiments.Spec) {
	said := map[string]any{}
	for _, l := range leaves(reflect.ValueOf(s).Elem(), "") {
		if _, given := r.places[l.key]; given && !r.bad[l.key] && l.value.Kind() != reflect.Slice {
			said[l.key] = l.value.Interface()
		}
	}
	s.FillIn()
	for _, l := range leaves(reflect.ValueOf(s).Elem(), "") {
		if v, given := said[l.key]; given {
			l.value.Set(reflect.ValueOf(v))
		}
	}
}

// check reports impossible values at the place of their key. What follows from a fault that was reported is left out.
func (r *reading) check(s *experiments.Spec) {
	bad := r.bad
	r.bad = map[string]bool{} // what check itself finds doesn't hide its other findings
	for _, err := range experiments.Flatten(s.Check()) {
		var f experiments.Fault
		if !errors.As(err, &f) {
			r.at(0, 0, "", "%v", err)
			continue
		}
		if !follows(f.Key, bad) {
			r.fault(f.Key, f.Msg)
		}
	}
	for key := range bad {
		r.bad[key] = true
	}
	if msg := r.overrides.checkName(s.Cohort.Name); msg != "" && !follows("cohort.name", r.bad) {
		r.fault("cohort.name", msg)
	}
}

// fault reports msg where key comes from: its override, its line, or the line of the nearest key above it.
func (r *reading) fault(key, msg string) {
	r.bad[key] = true
	for _, set := range []map[string]override{r.flags, r.env} {
		for k, o := range set {
			if k == key || strings.HasPrefix(k, key+".") { // cohort is at fault because of EVLAB_COHORT_PATH
				r.add(Fault{Place: o.origin.Name, Key: key, Msg: msg})
				return
			}
		}
	}
	for at := key; at != ""; at = parent(at) {
		if p, ok := r.places[at]; ok {
			r.at(p.line, p.col, key, "%s", msg)
			return
		}
	}
	r.at(0, 0, key, "%s", msg)
}

// checkFiles names what the experiment refers to and is not there.
func (r *reading) checkFiles(s *experiments.Spec) {
	for _, l := range leaves(reflect.ValueOf(s).Elem(), "") {
		path := l.value
		if !isPathKey(l.key) || path.String() == "" || isElsewhere(l.key, path.String()) || follows(l.key, r.bad) {
			continue
		}
		wantDir := l.key == "cohort.path"
		info, err := os.Stat(path.String())
		switch {
		case errors.Is(err, os.ErrNotExist):
			r.fault(l.key, fmt.Sprintf("there is no %s", clip(path.String())))
		case err != nil:
			r.fault(l.key, fmt.Sprintf("%s can't be read: %v", clip(path.String()), errors.Unwrap(err)))
		case wantDir && !info.IsDir():
			r.fault(l.key, fmt.Sprintf("%s is not a folder", clip(path.String())))
		case l.key == "cohort.repos" && (info.IsDir() || info.Mode().IsRegular()): // a bundle, which its reader checks
		case !wantDir && !info.Mode().IsRegular():
			r.fault(l.key, fmt.Sprintf("%s is not a regular file", clip(path.String())))
		}
	}
}

func (r *reading) origins(s *experiments.Spec) map[string]Origin {
	origins := map[string]Origin{}
	for _, l := range leaves(reflect.ValueOf(s).Elem(), "") {
		origin := Origin{Source: FromDefault}
		if p, ok := r.places[l.key]; ok {
			origin = Origin{Source: FromFile, Line: p.line, Col: p.col}
		}
		for _, set := range []map[string]override{r.env, r.flags} {
			if o, ok := set[l.key]; ok {
				origin = o.origin
			}
		}
		origins[l.key] = origin
	}
	return origins
}

// follows reports whether a fault at key is a consequence of one that is known: at the key, above it or below it, or in
// the names that a contrast chooses from.
func follows(key string, bad map[string]bool) bool {
	for b := range bad {
		if b == key || below(b, key) || below(key, b) {
			return true
		}
		contrast := strings.HasPrefix(key, "contrasts[")
		if contrast && (strings.HasSuffix(key, ".a") || strings.HasSuffix(key, ".b")) && (b == "conditions" || below(b, "conditions")) {
			return true
		}
		if contrast && strings.HasSuffix(key, ".executor") && (b == "executors" || below(b, "executors")) {
			return true
		}
	}
	return false
}

func below(key, above string) bool {
	return above == "" || strings.HasPrefix(key, above+".") || strings.HasPrefix(key, above+"[")
}

// parent takes the last step off a key: conditions[1].kind, conditions[1], conditions.
func parent(key string) string {
	return key[:max(strings.LastIndexAny(key, ".["), 0)]
}

// sorted puts faults in file order; those without a line come last, in the order found.
func sorted(err error) error {
	faults, ok := err.(Faults)
	if !ok {
		return err
	}
	slices.SortStableFunc(faults, func(a, b Fault) int {
		switch {
		case (a.Line == 0) != (b.Line == 0):
			if a.Line == 0 {
				return 1
			}
			return -1
		case a.Line != b.Line:
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	return faults
}
