package testlog

import (
	"regexp"
	"slices"
	"strings"
)

// index finds tests by the spellings that names have in the lists of datasets.
type index struct {
	keys   []string            // sorted
	byName map[string][]string // scoped reports: the part after the scope
	timed  map[string][]string // names that end in a duration, without it
	dotted map[string][]string // pytest: by the test's own name
}

func newIndex(r *Report) *index {
	x := &index{keys: sorted(r.Tests), byName: map[string][]string{}, timed: map[string][]string{}, dotted: map[string][]string{}}
	for _, key := range x.keys {
		if r.scoped {
			_, test, _ := strings.Cut(key, "::")
			x.byName[test] = append(x.byName[test], key)
		}
		if r.Grammar == Pytest && strings.Contains(key, ".py::") {
			test := key[strings.LastIndex(key, "::")+2:]
			x.dotted[test] = append(x.dotted[test], key)
		}
		if plain := withoutTiming(key); plain != key {
			x.timed[plain] = append(x.timed[plain], key)
		}
	}
	return x
}

// prefixed lists the keys that start with prefix.
func (x *index) prefixed(prefix string) []string {
	from, _ := slices.BinarySearch(x.keys, prefix)
	to := from
	for to < len(x.keys) && strings.HasPrefix(x.keys[to], prefix) {
		to++
	}
	return x.keys[from:to]
}

// judge finds the test that a name means. In this order: the name itself; in a scoped report a bare name in every scope,
// and the spellings that other tools give the same test; a name that its dataset cut inside of its parameters, by prefix,
// if all candidates agree on whether they passed; unittest's names of what pytest ran; a name that differs by a duration at its end.
func (r *Report) judge(name string) Judged {
	if _, ok := r.Tests[name]; ok && (!r.scoped || strings.Contains(name, "::")) {
		return r.judgeKey(name, name)
	}
	if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "\n\x00") {
		return Judged{Name: name, Outcome: Missing, Detail: "it is no test name"}
	}
	if r.scoped && r.Grammar == GoTestJSON {
		return r.judgeGo(name)
	}
	if !r.scoped {
		if strings.Count(name, "[") > strings.Count(name, "]") {
			if keys := r.index.prefixed(name); len(keys) > 0 {
				return r.agreed(name, keys)
			}
		}
		if keys := r.unittestKeys(name); len(keys) > 0 {
			return r.agreed(name, keys)
		}
	} else if keys := r.scopedKeys(name); len(keys) > 0 {
		return r.agreed(name, keys)
	}
	plain := withoutTiming(name)
	if _, ok := r.Tests[plain]; ok {
		return r.judgeKey(name, plain)
	}
	if keys := r.index.timed[plain]; len(keys) > 0 {
		return r.agreed(name, keys)
	}
	return r.missing(name)
}

// unittestKeys are the tests that pytest calls path.py::Class::test and unittest in another way. Its module is told from where
// unittest was started, which may be a folder below.
func (r *Report) unittestKeys(name string) (keys []string) {
	path := UnittestPath(name)
	for _, key := range r.index.dotted[path[strings.LastIndexByte(path, '.')+1:]] {
		dotted := strings.NewReplacer(".py::", ".", "::", ".", "/", ".").Replace(key)
		if dotted == path || strings.HasSuffix(dotted, "."+path) {
			keys = append(keys, key)
		}
	}
	return keys
}

// UnittestPath is module.Class.test of a name in the manner of Python's unittest: that itself, "test (module.Class)", or, of
// newer ones, "test (module.Class.test)"; "" for any other name.
func UnittestPath(name string) string {
	if m := unittestName.FindStringSubmatch(name); m != nil {
		return strings.TrimSuffix(m[2], "."+m[1]) + "." + m[1]
	}
	if dottedName.MatchString(name) {
		return name
	}
	return ""
}

var dottedName = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){2,}$`)

// scopedKeys are the tests that a name may mean in a report whose keys are scope::name. A scope that is a file may be
// written with the folders above it.
func (r *Report) scopedKeys(name string) []string {
	if keys := r.index.byName[name]; len(keys) > 0 {
		return keys
	}
	pairs := spellings(name)
	if scope, test, ok := strings.Cut(name, "::"); ok {
		pairs = append(pairs, [2]string{scope, test})
	}
	for _, p := range pairs {
		if _, ok := r.Tests[Key(p[0], p[1])]; ok {
			return []string{Key(p[0], p[1])}
		}
		var keys []string
		for _, key := range r.index.byName[p[1]] {
			if scope, _, _ := strings.Cut(key, "::"); strings.HasSuffix(scope, "/"+p[0]) || strings.HasSuffix(scope, "."+p[0]) {
				keys = append(keys, key)
			}
		}
		if len(keys) > 0 {
			return keys
		}
	}
	if strings.Count(name, "[") > strings.Count(name, "]") {
		for _, p := range append(pairs, [2]string{"", name}) {
			if keys := r.index.prefixed(Key(p[0], p[1])); len(keys) > 0 {
				return keys
			}
		}
	}
	return nil
}

// judgeGo finds a Go test, whose names are never cut: import/path::TestName, or TestName in every package that has it; or
// one in the other forms of SplitGo, if all packages that it may mean agree.
func (r *Report) judgeGo(name string) Judged {
	w, err := ParseWanted(name)
	if err != nil {
		if keys := r.index.byName[name]; len(keys) > 0 { // a bare name may end in the separator
			return r.worst(name, keys)
		}
		return Judged{Name: name, Outcome: Missing, Detail: err.Error()}
	}
	if w.Package != "" && r.Packages[w.Package] != "" {
		return Judged{Name: name, Outcome: Missing, Detail: r.whyMissing(w.Package)}
	}
	keys := r.index.byName[w.Test]
	if w.Package != "" {
		keys = r.index.byName[name] // a bare name may itself hold the separator
	}
	if len(keys) == 0 {
		if keys = r.goKeys(name); len(keys) > 0 {
			return r.agreed(name, keys)
		}
		return r.missing(name)
	}
	return r.worst(name, keys)
}

// goKeys are the tests that a name means whose package is not written as the report has it.
func (r *Report) goKeys(name string) (keys []string) {
	scope, test := SplitGo(name)
	if scope == "" || r.Packages[scope] != "" && r.Tests[Key(scope, test)] == "" {
		return nil
	}
	for _, key := range r.index.byName[test] {
		if pkg, _, _ := strings.Cut(key, "::"); OfGoScope(pkg, scope) {
			keys = append(keys, key)
		}
	}
	return keys
}

// agreed is the answer for a name that several tests may be: the worst of them if all pass or none does.
func (r *Report) agreed(name string, keys []string) Judged {
	worst := r.worst(name, keys)
	for _, key := range keys {
		if r.judgeKey(name, key).Outcome.OK() != worst.Outcome.OK() {
			return Judged{Name: name, Outcome: Ambiguous, Detail: "several tests begin or are spelt like it, and they differ: " + key + " is one"}
		}
	}
	return worst
}

// timings are what runners write of durations: at the end of a name in brackets of either kind, and Botan's anywhere.
var (
	timings   = regexp.MustCompile(`(?i)\s*\[\s*\d+(?:\.\d+)?\s*m?s\s*\]\s*$`)
	timingsIn = regexp.MustCompile(`(?i)\s+in\s+\d+(?:\.\d+)?\s+m?sec\b`)
	timingsOf = regexp.MustCompile(`(?i)\s*\(\s*\d+(?:\.\d+)?\s*m?s\s*\)\s*$`)
)

// withoutTiming takes durations, and blanks around, off a name, as SWE-rebench does on both sides before it compares.
func withoutTiming(name string) string {
	name = strings.TrimSpace(name)
	if name == "" {
		return name
	}
	if name[len(name)-1] == ']' {
		name = timings.ReplaceAllString(name, "")
	}
	if strings.Contains(name, " in ") {
		name = timingsIn.ReplaceAllString(name, "")
	}
	if strings.HasSuffix(name, ")") {
		name = timingsOf.ReplaceAllString(name, "")
	}
	return strings.TrimSpace(name)
}

var unittestName = regexp.MustCompile(`^(\S+) \(([\w.]+)\)$`)

// spellings gives the scopes and names under which a report may have a test that a dataset names in the manner of pytest
// (path.py::Class::test), Maven (Class#test), Gradle and vitest (Class > test), Pro (file | test) or unittest (test
// (module.Class)).
func spellings(name string) (pairs [][2]string) {
	add := func(class, test string) { pairs = append(pairs, [2]string{class, test}, [2]string{class, test + "()"}) }
	if file, rest, ok := strings.Cut(name, ".py::"); ok {
		class := strings.NewReplacer("/", ".", `\`, ".").Replace(file)
		id, params, parametrised := strings.Cut(rest, "[")
		if i := strings.LastIndex(id, "::"); i >= 0 {
			class, id = class+"."+strings.ReplaceAll(id[:i], "::", "."), id[i+2:]
		}
		if parametrised {
			id += "[" + params
		}
		return [][2]string{{class, id}}
	}
	for _, sep := range []string{"#", " | ", " > "} {
		if class, test, ok := strings.Cut(name, sep); ok {
			add(class, test)
		}
	}
	if i := strings.LastIndex(name, " > "); i >= 0 {
		add(name[:i], name[i+3:])
	}
	if m := unittestName.FindStringSubmatch(name); m != nil {
		add(m[2], m[1])
		add(strings.TrimSuffix(m[2], "."+m[1]), m[1])
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && !strings.ContainsAny(name, " (") {
		add(name[:i], name[i+1:])
	}
	return pairs
}
