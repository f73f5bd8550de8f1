package specfile

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"evlab/experiments"
)

// Marshal writes a complete spec as an experiment file: Read gives the same spec back. Empty optional fields are left
// out.
func Marshal(s experiments.Spec) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(nodeOf(reflect.ValueOf(s))); err != nil {
		return nil, fmt.Errorf("writing an experiment file: %w", err)
	}
	if err := e.Close(); err != nil {
		return nil, fmt.Errorf("writing an experiment file: %w", err)
	}
	return b.Bytes(), nil
}

func nodeOf(v reflect.Value) *yaml.Node {
	switch v.Kind() {
	case reflect.Struct:
		n := &yaml.Node{Kind: yaml.MappingNode}
		for _, f := range fieldsOf(v.Type()) {
			value := v.Field(f.index)
			if f.optional && (value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0) {
				continue
			}
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: f.name}, nodeOf(value))
		}
		return n
	case reflect.Slice:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		if v.Len() == 0 {
			n.Style = yaml.FlowStyle
		}
		for i := range v.Len() {
			n.Content = append(n.Content, nodeOf(v.Index(i)))
		}
		return n
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: textOf(v)}
	switch {
	case v.Kind() == reflect.String, v.Type() == durationType, v.Type() == bytesType:
		n.SetString(n.Value) // quotes what YAML would take for something else
	}
	return n
}

// Draft is what a new experiment file is made of. Paths in it are written as they are: relative to the file, or
// absolute.
type Draft struct {
	Name       string
	Tasks      string   // a SWE-bench-shaped JSONL file, or a cohort folder
	Folder     bool     // Tasks is a folder
	Repos      string   // where the repositories are that it refers to; empty when a folder has its own
	Language   string   // take only rows of this language; may be empty
	Conditions []string // kinds; the first two make a contrast
	// Predictions and Model say whose patches are replayed.
	Predictions, Model string
}

// Text is the commented experiment file.
func (d Draft) Text() []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# An experiment: what is compared, on which tasks, and how it will be read.")
	line("# Check it with:  evlab config check FILE     Paths are relative to this file.")
	line("")
	line("name: %s", quote(d.Name))
	line("")
	key := "tasks"
	if d.Folder {
		key = "path"
		line("# The tasks: a cohort folder, and the git repositories it names where it has none of its own: a folder, a bundle, a URL or github.")
	} else {
		line("# The tasks: rows in the shape of SWE-bench (JSON lines), and the git repositories they name: a folder, a bundle, a URL or github.")
	}
	line("cohort:")
	line("  %s: %s", key, quote(d.Tasks))
	if d.Repos != "" {
		line("  repos: %s", quote(d.Repos))
	}
	if d.Language != "" {
		line("  language: %s  # other rows are left out", quote(d.Language))
	}
	line("# tasks: [some-id]  # a selection; all of them when it is not given")
	line("")
	line("# How evidence is supplied. bm25 searches the repository with the task's own words; none shows nothing.")
	line("conditions:")
	for _, c := range d.Conditions {
		line("  - %s", quote(c))
		if c == experiments.BM25 {
			line("  # - {name: bm25-long, kind: bm25, k1: 1.2, b: 0.5}  # the same with other parameters and a name of its own")
		}
	}
	line("")
	line("# Who acts on the evidence. replay hands in patches that were made elsewhere: the rows of one model.")
	line("executors:")
	line("  - name: %s", quote(d.executorName()))
	line("    kind: %s", experiments.Replay)
	line("    predictions: %s", quote(d.Predictions))
	line("    model: %s  # model_name_or_path of the rows", quote(d.Model))
	line("")
	line("# How often each task x condition x executor is done. Replicates are averaged within a task, never counted as tasks.")
	line("replicates: 1")
	line("")
	b.WriteString(defaultsText())
	line("# The comparisons, declared before the first result: a minus b, over the same tasks, with a 95%% interval.")
	line("# Those of one family are adjusted together. Metrics: %s.", strings.Join(experiments.Metrics, ", "))
	if len(d.Conditions) < 2 {
		line("contrasts: []  # a contrast takes two conditions")
	} else {
		line("# Patches that were made elsewhere do not depend on what is shown: between conditions their differences are zero.")
		line("# evlab compare contrasts models.")
		line("contrasts:")
		line("  - {metric: strict, a: %s, b: %s, family: main}", quote(d.Conditions[0]), quote(d.Conditions[1]))
	}
	line("")
	line("# The machine's business, and the only things that flags and the environment may override.")
	line("sandbox: auto  # auto, docker, or host (no isolation: for code that you trust)")
	line("# concurrency: {tasks: 2, steps: 2}  # EVLAB_CONCURRENCY_TASKS, EVLAB_CONCURRENCY_STEPS; default: what the machine has")
	line("# engine: localhost:7233             # EVLAB_ENGINE; default: an engine of its own")
	return []byte(b.String())
}

// executorName is the model's name with what a name can't hold replaced.
func (d Draft) executorName() string {
	name := strings.Map(func(r rune) rune {
		if experiments.CheckName("executor", "x"+string(r)) != nil {
			return '-'
		}
		return r
	}, d.Model)
	name = strings.TrimLeft(name, "-._+@=")
	if name == "" {
		return experiments.Replay
	}
	return name[:min(len(name), 64)]
}

// defaultsText writes the tracks and limits out as they are by default.
func defaultsText() string {
	s := experiments.Defaults()
	r, l := s.Tracks.Repair, s.Limits
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# The track's rules. These are the defaults; a change of any makes other cells.")
	line("tracks:")
	line("  repair:")
	line("    rounds: %d                # retrieval calls per cell, at most", r.Rounds)
	line("    units_per_call: %d        # evidence units per call, at most", r.UnitsPerCall)
	line("    token_ceiling: %d      # evidence tokens shown in a whole cell, at most", r.TokenCeiling)
	line("    overflow: %s           # a unit that does not fit is left out (skip), or ends the list (stop)", r.Overflow)
	line("    pass_to_pass: %s  # run the tests that must keep passing only after the others passed, or always", r.PassToPass)
	line("")
	line("# What one run of the tests may use.")
	line("limits:")
	line("  step_timeout: %s", durationText(l.StepTimeout))
	line("  memory: %v", l.Memory)
	line("  scratch: %v", l.Scratch)
	line("  log: %v", l.Log)
	line("  processes: %d", l.Processes)
	line("  cpus: %s", strconv.FormatFloat(l.CPUs, 'g', -1, 64))
	line("")
	return b.String()
}

// quote writes text as a YAML scalar on one line: plain when it reads back as itself, else in double quotes.
func quote(s string) string {
	var n yaml.Node
	plain := experiments.CheckName("word", strings.NewReplacer("/", "x", "-", "x", ".", "x").Replace(s)) == nil && s[0] != '-'
	if plain && yaml.Unmarshal([]byte("k: "+s), &n) == nil {
		if v := n.Content[0].Content[1]; v.Kind == yaml.ScalarNode && v.Tag == "!!str" && v.Value == s {
			return s
		}
	}
	return strconv.QuoteToGraphic(s)
}
