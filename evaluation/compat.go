package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox/testlog"
)

// Compat is what another harness's rule makes of the same logs; of a patch that does not apply here and applies there, of
// logs of its own.
type Compat struct {
	Rule     string `json:"rule"`
	Resolved bool   `json:"resolved"`
	Differs  bool   `json:"differs"` // from evlab's own verdict
	Why      string `json:"why,omitempty"`
	Applies  string `json:"applies,omitempty"` // how the harness applies a patch that evlab refuses
	Run      string `json:"run,omitempty"`     // the run that tested what comes of it
}

// Rule is how another harness decides by a log. All of them look at neither the exit status nor the report's end, and take
// a log's last word for a test.
type Rule struct {
	Doc     string
	grammar map[string]string // the parser of the harness by evlab's grammar of the same runner, where it is another one
	counts  func(phase string, o testlog.Outcome) bool
	way     repos.Way // how it applies a patch that git apply refuses
}

// Rules are the harnesses whose decision can be asked for, as their sources have it.
var Rules = map[string]Rule{
	"swebench": {
		Doc:     "SWE-bench: passed and expected failures count, a pass-to-pass test may be skipped, what is not in the log failed",
		way:     repos.Fuzzy,
		grammar: map[string]string{testlog.Pytest: "parse_log_pytest"},
		counts: func(phase string, o testlog.Outcome) bool {
			return o.OK() || o == testlog.Skipped && phase == experiments.PassToPass
		},
	},
	"live": {
		Doc:     "SWE-bench-Live: expected failures fail, and a pass-to-pass test that is skipped or not in the log is not held against the patch",
		way:     repos.Parts,
		grammar: map[string]string{testlog.Pytest: "live_pytest"},
		counts: func(phase string, o testlog.Outcome) bool {
			return o == testlog.Passed || phase == experiments.PassToPass && (o == testlog.Skipped || o == testlog.Missing || o == testlog.UnexpectedPass)
		},
	},
	"multi": {
		Doc:     "Multi-SWE-bench: every test of both lists has to pass (its further rule on regressions outside of the lists needs its own logs of base)",
		way:     repos.Whole,
		grammar: map[string]string{testlog.Pytest: "parse_log_pytest"},
		counts:  func(_ string, o testlog.Outcome) bool { return o.OK() },
	},
	"pro": {
		Doc:    "SWE-bench Pro: every test of both lists is named as passed, and expected failures are not",
		way:    repos.Ignored,
		counts: func(_ string, o testlog.Outcome) bool { return o == testlog.Passed },
	},
	"rebench": {
		Doc:     "SWE-rebench: as SWE-bench, and a skipped test did not pass",
		way:     repos.ThreeWay,
		grammar: map[string]string{testlog.Pytest: "parse_log_pytest"},
		counts:  func(_ string, o testlog.Outcome) bool { return o.OK() },
	},
	"smith": {
		Doc:     "SWE-smith: as SWE-bench, and a test that is not in the log passed",
		way:     repos.Fuzzy,
		grammar: map[string]string{testlog.Pytest: "parse_log_pytest"},
		counts: func(phase string, o testlog.Outcome) bool {
			return o.OK() || o == testlog.Missing || o == testlog.Skipped && phase == experiments.PassToPass
		},
	},
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

// Reread fills in what the rule makes of the lines' logs, and of the logs of what Loosen had tested. Lines without a log
// keep evlab's verdict: an empty patch is resolved nowhere.
func Reread(ctx context.Context, store *artifacts.Store, c *experiments.Contract, lines []Line, rule string) error {
	how, ok := Rules[rule]
	if !ok {
		return fmt.Errorf("there is no rule %q; there are %s", rule, strings.Join(RuleNames(), ", "))
	}
	for i := range lines {
		l := &lines[i]
		if l.Compat == nil {
			l.Compat = &Compat{Rule: rule}
		}
		record := l.record
		if l.loosened != nil {
			record = l.loosened
		}
		if record == nil || len(record.Commands) == 0 {
			continue
		}
		task, _ := c.Task(l.Task)
		environment, err := c.EnvironmentOf(task)
		if err != nil {
			return err
		}
		name := environment.Report
		if other, ok := how.grammar[name]; ok {
			name = other
		}
		grammar, err := testlog.Find(name)
		if err != nil {
			return err
		}
		rest := ""
		resolved := len(record.Commands) == 2 // else pass-to-pass was not asked any more
		for _, cmd := range record.Commands {
			if cmd.Log == "" {
				continue // the list is empty
			}
			from := cmd.Log
			if environment.Reader != nil {
				from = cmd.Report
			}
			var data []byte
			if from != "" { // else no program made a report of the log, which is none
				if data, err = store.Get(ctx, from); err != nil {
					return fmt.Errorf("reading the log of %s: %w", cmd.Step, err)
				}
			}
			rep, err := grammar.Read(bytes.NewReader(data))
			if err != nil {
				return err
			}
			var names []string
			for _, t := range record.Tests {
				if t.Phase == cmd.Phase {
					names = append(names, t.Name)
				}
			}
			for _, j := range rep.Judge(names) {
				if !how.counts(cmd.Phase, j.Outcome) {
					resolved = false
					if rest == "" {
						rest = j.Name + ": " + string(j.Outcome)
					}
				}
			}
		}
		l.Compat.Resolved = resolved
		l.Compat.Differs = l.Verdict.Decided() && l.Compat.Resolved != (l.Verdict == experiments.Resolved)
		if l.Compat.Differs {
			if l.Compat.Why = "evlab: " + l.Reason; !l.Compat.Resolved {
				l.Compat.Why = rule + ": " + rest
			}
		} else if l.loosened != nil {
			l.Compat.Why = rule + ": " + rest
		}
	}
	return nil
}
