package evaluation

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/sandbox/testlog"
)

// TestRulesDifferWhereTheirHarnessesDo: what each harness makes of the same outcome of a test.
func TestRulesDifferWhereTheirHarnessesDo(t *testing.T) {
	for _, c := range []struct {
		outcome  testlog.Outcome
		f2p, p2p string // the rules by which it counts
	}{
		{testlog.Passed, "live multi pro rebench smith swebench", "live multi pro rebench smith swebench"},
		{testlog.ExpectedFailure, "multi rebench smith swebench", "multi rebench smith swebench"},
		{testlog.Skipped, "", "live smith swebench"},
		{testlog.Missing, "smith", "live smith"},
		{testlog.Failed, "", ""},
		{testlog.Errored, "", ""},
		{testlog.Unfinished, "", ""},
		{testlog.Ambiguous, "", ""},
	} {
		for phase, want := range map[string]string{experiments.FailToPass: c.f2p, experiments.PassToPass: c.p2p} {
			var got []string
			for _, name := range RuleNames() {
				if Rules[name].counts(phase, c.outcome) {
					got = append(got, name)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s %s counts by %q, want %q", phase, c.outcome, got, want)
			}
		}
	}
	for name, rule := range Rules {
		for from, to := range rule.grammar {
			if _, err := testlog.Find(to); err != nil {
				t.Errorf("%s reads %s with %v", name, from, err)
			}
		}
	}
}

func TestRereadNamesWhereTwoRulesDiffer(t *testing.T) {
	ctx := context.Background()
	store, err := artifacts.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	events := func(b, end string) experiments.Digest {
		text := "{\"Action\":\"start\",\"Package\":\"x.org/p\"}\n"
		for _, e := range [][2]string{{"TestA", "pass"}, {"TestB", b}} {
			text += fmt.Sprintf("{\"Action\":\"run\",\"Package\":\"x.org/p\",\"Test\":%q}\n{\"Action\":%q,\"Package\":\"x.org/p\",\"Test\":%q}\n", e[0], e[1], e[0])
		}
		d, err := store.Put(ctx, []byte(text+"{\"Action\":\""+end+"\",\"Package\":\"x.org/p\"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	c := &experiments.Contract{
		Tasks:        []experiments.FrozenTask{{ID: "t", Recipe: "go"}},
		Environments: map[string]experiments.Environment{"go": {Name: "go", Report: testlog.GoTestJSON}},
	}
	line := func(v experiments.Verdict, log experiments.Digest, p2p ...string) Line {
		rec := &experiments.Record{Verdict: v, Commands: []experiments.Command{{Phase: experiments.FailToPass, Log: log}, {Phase: experiments.PassToPass, Log: log}}}
		rec.Tests = append(rec.Tests, experiments.TestResult{Phase: experiments.FailToPass, Name: "x.org/p::TestA"})
		if len(p2p) == 0 {
			rec.Commands[1].Log = ""
		}
		for _, name := range p2p {
			rec.Tests = append(rec.Tests, experiments.TestResult{Phase: experiments.PassToPass, Name: name})
		}
		return Line{Task: "t", Verdict: v, record: rec}
	}
	for _, want := range []struct {
		name, rule        string
		line              Line
		resolved, differs bool
	}{
		{"both agree", "swebench", line(experiments.Resolved, events("pass", "pass"), "x.org/p::TestB"), true, false},
		{"no pass-to-pass test", "swebench", line(experiments.Resolved, events("pass", "pass")), true, false},
		{"a skipped one", "swebench", line(experiments.Unresolved, events("skip", "pass"), "x.org/p::TestB"), true, true},
		{"a skipped one", "pro", line(experiments.Unresolved, events("skip", "pass"), "x.org/p::TestB"), false, false},
		{"one that vanished", "live", line(experiments.Unresolved, events("pass", "pass"), "x.org/p::TestGone"), true, true},
		{"one that vanished", "swebench", line(experiments.Unresolved, events("pass", "pass"), "x.org/p::TestGone"), false, false},
		{"a package that failed by itself", "swebench", line(experiments.Unresolved, events("pass", "fail"), "x.org/p::TestB"), true, true},
		{"an infrastructure's fault is no verdict to differ from", "swebench", Line{Task: "t", Verdict: experiments.Infra}, false, false},
	} {
		lines := []Line{want.line}
		if err := Reread(ctx, store, c, lines, want.rule); err != nil {
			t.Fatalf("%s: %v", want.name, err)
		}
		got := lines[0].Compat
		if got.Rule != want.rule || got.Resolved != want.resolved || got.Differs != want.differs || got.Differs && got.Why == "" {
			t.Errorf("%s by %s: %+v", want.name, want.rule, got)
		}
	}
	if err := Reread(ctx, store, c, nil, "other"); err == nil || !strings.Contains(err.Error(), "swebench") {
		t.Errorf("an unknown rule: %v", err)
	}
}
