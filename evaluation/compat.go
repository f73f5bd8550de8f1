package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/sandbox/testlog"
)

// Compat is what another harness's rule makes of the same logs.
type Compat struct {
	Rule     string `json:"rule"`
	Resolved bool   `json:"resolved"`
	Differs  bool   `json:"differs"` // from evlab's own verdict
	Why      string `json:"why,omitempty"`
}

// Rules are the harnesses whose reading of a log can be asked for, each with what it does otherwise. All of them take a
// log's last word for a test, look at neither the exit status nor the report's end, and run both lists always.
var Rules = map[string]struct {
	Doc     string
	skipped bool // a skipped pass-to-pass test counts as kept
	lacking bool // a pass-to-pass test that is not in the log counts as kept
}{
	"swebench": {Doc: "SWE-bench: passed and expected failures count; what is not in the log failed"},
	"live":     {Doc: "SWE-bench-Live: as SWE-bench; tests that were skipped count as kept", skipped: true},
	"multi":    {Doc: "Multi-SWE-bench: a pass-to-pass test that is skipped or not in the log is not held against the patch", skipped: true, lacking: true},
	"pro":      {Doc: "SWE-bench Pro: as SWE-bench"},
	"rebench":  {Doc: "SWE-rebench: as SWE-bench"},
	"smith":    {Doc: "SWE-smith: as SWE-bench"},
}

// RuleNames lists the rules.
func RuleNames() []string {
	var names []string
	for name := range Rules {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// compatGrammars are the parsers that datasets made their lists with, by evlab's own grammar of the same runner.
var compatGrammars = map[string]string{testlog.Pytest: "parse_log_pytest", testlog.GoTestJSON: testlog.GoTestJSON}

// Reread fills in what the rule makes of the lines' logs. Lines without a log keep evlab's verdict: no rule resolves an
// empty patch or one that does not apply.
func Reread(ctx context.Context, store *artifacts.Store, c *experiments.Contract, lines []Line, rule string) error {
	how, ok := Rules[rule]
	if !ok {
		return fmt.Errorf("there is no rule %q; there are %s", rule, strings.Join(RuleNames(), ", "))
	}
	for i := range lines {
		l := &lines[i]
		l.Compat = &Compat{Rule: rule}
		if l.record == nil || len(l.record.Commands) == 0 {
			continue
		}
		task, _ := c.Task(l.Task)
		environment, err := c.EnvironmentOf(task)
		if err != nil {
			return err
		}
		name := environment.Report
		if other, ok := compatGrammars[name]; ok {
			name = other
		}
		grammar, err := testlog.Find(name)
		if err != nil {
			return err
		}
		rest, phase := "", map[string]bool{}
		resolved := true
		for _, cmd := range l.record.Commands {
			phase[cmd.Phase] = true
			data, err := store.Get(ctx, cmd.Log)
			if err != nil {
				return fmt.Errorf("reading the log of %s: %w", cmd.Step, err)
			}
			rep, err := grammar.Read(bytes.NewReader(data))
			if err != nil {
				return err
			}
			var names []string
			for _, t := range l.record.Tests {
				if t.Phase == cmd.Phase {
					names = append(names, t.Name)
				}
			}
			for _, j := range rep.Judge(names) {
				kept := j.Outcome.OK()
				if cmd.Phase == "pass_to_pass" {
					kept = kept || how.skipped && j.Outcome == testlog.Skipped || how.lacking && j.Outcome == testlog.Missing
				}
				if !kept {
					resolved = false
					if rest == "" {
						rest = j.Name + ": " + string(j.Outcome)
					}
				}
			}
		}
		l.Compat.Resolved = resolved && phase["fail_to_pass"] && phase["pass_to_pass"]
		l.Compat.Differs = l.Verdict.Decided() && l.Compat.Resolved != (l.Verdict == experiments.Resolved)
		if l.Compat.Differs {
			if l.Compat.Why = "evlab: " + l.Reason; !l.Compat.Resolved {
				l.Compat.Why = rule + ": " + rest
			}
		}
	}
	return nil
}
