package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault is one thing wrong with a spec: the key's path in the file, and what was expected there.
type Fault struct {
	Key string // "conditions[1].kind"
	Msg string
}

func (f Fault) Error() string { return f.Key + ": " + f.Msg }

// Check reports every impossible value, each a Fault, joined. It is called after FillIn.
func (s *Spec) Check() error {
	var errs []error
	fault := func(key, format string, args ...any) { errs = append(errs, Fault{key, fmt.Sprintf(format, args...)}) }
	name := func(key, kind, value string) {
		if err := CheckName(kind, value); err != nil {
			fault(key, "%v", err)
		}
	}
	oneOf := func(key, value string, allowed []string) bool {
		if value == "" {
			fault(key, "it is missing; expected one of %s", strings.Join(allowed, ", "))
			return false
		}
		if slices.Contains(allowed, value) {
			return true
		}
		fault(key, "%q is not one of %s%s", value, strings.Join(allowed, ", "), Suggest(value, allowed))
		return false
	}
	between := func(key string, value, lo, hi float64, unit string) {
		if !(value >= lo && value <= hi) {
			fault(key, "%s is outside %s to %s%s", plain(value), plain(lo), plain(hi), unit)
		}
	}

	name("name", "experiment", s.Name)
	s.Cohort.check(fault)
	var conditions []string
	if len(s.Conditions) == 0 {
		fault("conditions", "expected at least one of %s", strings.Join(ConditionKinds, ", "))
	}
	for i, c := range s.Conditions {
		key := fmt.Sprintf("conditions[%d]", i)
		name(key+".name", "condition", c.Name)
		oneOf(key+".kind", c.Kind, ConditionKinds)
		if twice(conditions, c.Name) {
			fault(key+".name", "%q is given twice", c.Name)
		}
		conditions = append(conditions, c.Name)
		if c.Kind != NoEvidence {
			between(key+".k1", c.K1, 0, 10, "")
			between(key+".b", c.B, 0, 1, "")
		} else if c.K1 != 0 || c.B != 0 {
			fault(key, "kind none takes no parameters")
		}
		if c.Diagnostic() {
			oneOf(key+".reference", c.Reference, []string{BM25})
			between(key+".max_items", float64(c.MaxItems), 1, 100, " units")
		} else if c.Reference != "" || c.MaxItems != 0 {
			fault(key, "reference and max_items belong to the diagnostics oracle-mss and oracle-minus-group")
		}
	}
	var executors []string
	if len(s.Executors) == 0 {
		fault("executors", "expected at least one of kind %s", strings.Join(ExecutorKinds, ", "))
	}
	for i, e := range s.Executors {
		key := fmt.Sprintf("executors[%d]", i)
		name(key+".name", "executor", e.Name)
		if twice(executors, e.Name) {
			fault(key+".name", "%q is given twice", e.Name)
		}
		executors = append(executors, e.Name)
		if !oneOf(key+".kind", e.Kind, ExecutorKinds) {
			continue
		}
		if e.Kind == Replay && (e.Predictions == "" || e.Model == "") {
			fault(key, "kind replay needs predictions (a file) and model (a model_name_or_path in it)")
		}
		if e.Kind == Replay {
			oneOf(key+".missing", e.Missing, []string{MissingExcluded, MissingLeftOut})
		} else if e.Missing != "" {
			fault(key+".missing", "it belongs to kind replay")
		}
		between(key+".replicates", float64(e.Replicates), 0, 100, "")
		if e.Kind != Replay && (e.Predictions != "" || e.Model != "" && e.Kind != Reference) {
			fault(key, "kind %s takes no predictions and no model", e.Kind)
		}
	}
	for i, t := range s.Tasks {
		name(fmt.Sprintf("tasks[%d]", i), "task", t)
		if slices.Index(s.Tasks, t) != i {
			fault(fmt.Sprintf("tasks[%d]", i), "%q is given twice", t)
		}
	}
	between("replicates", float64(s.Replicates), 1, 100, "")
	r := s.Tracks.Repair
	between("tracks.repair.rounds", float64(r.Rounds), 1, 10, "")
	between("tracks.repair.units_per_call", float64(r.UnitsPerCall), 1, 50, " units")
	between("tracks.repair.token_ceiling", float64(r.TokenCeiling), 64, 1<<20, " tokens")
	oneOf("tracks.repair.overflow", r.Overflow, []string{"skip", "stop"})
	oneOf("tracks.repair.pass_to_pass", r.PassToPass, []string{PassToPassAfterF2P, PassToPassAlways})
	l := s.Limits
	if l.StepTimeout < time.Second || l.StepTimeout > 24*time.Hour {
		fault("limits.step_timeout", "%v is outside 1s to 24h", l.StepTimeout)
	}
	size := func(key string, v, lo, hi Bytes) {
		if v < lo || v > hi {
			fault(key, "%v is outside %v to %v", v, lo, hi)
		}
	}
	size("limits.memory", l.Memory, 64<<20, 1<<40)
	size("limits.scratch", l.Scratch, 16<<20, 1<<40)
	size("limits.log", l.Log, 1<<20, 1<<34)
	between("limits.processes", float64(l.Processes), 16, 1<<20, "")
	between("limits.cpus", l.CPUs, 0.1, 1024, "")
	oneOf("preflight", s.Preflight, []string{PreflightAlways, PreflightNever})
	oneOf("sandbox", s.Sandbox, []string{"auto", "docker", "host"})
	between("concurrency.tasks", float64(s.Concurrency.Tasks), 0, 1000, "")
	between("concurrency.steps", float64(s.Concurrency.Steps), 0, 1000, "")
	if s.Engine != "" && !hostPort(s.Engine) {
		fault("engine", "%q is not host:port, such as localhost:7233", s.Engine)
	}
	for i, c := range s.Contrasts {
		key := fmt.Sprintf("contrasts[%d]", i)
		oneOf(key+".metric", c.Metric, Metrics)
		if len(conditions) > 0 { // without any, that is the fault to report
			side := func(key, value string) bool {
				if slices.Contains(executors, value) && !slices.Contains(conditions, value) {
					fault(key, "%q is an executor, and a contrast is of two conditions under one executor; expected one of %s. "+
						"evlab compare contrasts the predictions of two models", value, strings.Join(conditions, ", "))
					return false
				}
				return oneOf(key, value, conditions)
			}
			a, b := side(key+".a", c.A), side(key+".b", c.B)
			if a && b && c.A == c.B {
				fault(key+".b", "a and b are both %q; a contrast needs two conditions", c.A)
			}
		}
		oneOf(key+".unit", c.Unit, Units)
		between(key+".draws", float64(c.Draws), 100, 10_000_000, "")
		switch {
		case len(executors) == 0: // reported above
		case c.Executor == "":
			fault(key+".executor", "expected one of %s, since there are several executors", strings.Join(executors, ", "))
		default:
			oneOf(key+".executor", c.Executor, executors)
		}
		if c.Family != "" {
			name(key+".family", "family", c.Family)
		}
		// A contrast that stands twice would be counted twice by its family's adjustment.
		if j := slices.Index(s.Contrasts[:i], c); j >= 0 {
			fault(key, "it says the same as contrasts[%d]", j)
		}
	}
	return errors.Join(errs...)
}

// plain writes a number without an exponent.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// hostPort reports whether s is host:port with a port of 1 to 65535. An address of IPv6 stands in brackets.
func hostPort(s string) bool {
	at := strings.LastIndexByte(s, ':')
	if at < 1 || strings.ContainsAny(s, "/ \t\n@") {
		return false
	}
	host, port := s[:at], s[at+1:]
	if strings.Contains(host, ":") && (!strings.HasPrefix(host, "[") || !strings.HasSuffix(host, "]")) {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// twice tells names apart as a file system that ignores case does: they become path elements.
func twice(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

func (c CohortSource) check(fault func(key, format string, args ...any)) {
	given := 0
	for _, v := range []string{c.Name, c.Path, c.Tasks} {
		if v != "" {
			given++
		}
	}
	switch {
	case given == 0:
		fault("cohort", "expected a bundled cohort's name (demo), a cohort folder, or {tasks: FILE, repos: DIR}")
	case given > 1:
		fault("cohort", "give one of a name, a path, or tasks with repos, not several")
	case c.Tasks != "" && c.Repos == "":
		fault("cohort.repos", "expected where the repositories are that %s refers to: a folder, a git bundle, a URL or github", c.Tasks)
	case c.Tasks == "" && c.Path == "" && c.Repos != "":
		fault("cohort.tasks", "expected a SWE-bench-shaped JSONL file, or path: an imported cohort, to go with repos")
	case c.Name != "":
		if err := CheckName("cohort", c.Name); err != nil {
			fault("cohort.name", "%v", err)
		}
	}
	if c.Language != "" && c.Tasks == "" {
		fault("cohort.language", "it goes with tasks and repos only")
	}
}
