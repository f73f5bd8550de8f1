package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/terminal"
)

// tell prints a history for people.
func (a *app) tell(h *taskHistory) {
	w := a.stdout
	fmt.Fprintf(w, "Task %s in run %s\n", h.Task, h.RunID)
	boots := map[string]int{}
	for _, e := range withEnds(h.Events) {
		if boots[e.Boot] == 0 {
			boots[e.Boot] = len(boots) + 1
			fmt.Fprintf(w, "\nProcess %d (%s)\n", boots[e.Boot], terminal.Safe(e.Boot))
		}
		where := e.Cell
		if where == "" {
			where = "task"
		} else {
			where = strings.TrimPrefix(where, h.Task+"/")
		}
		line := fmt.Sprintf("  %s  %-34s %-14s %s", e.At.Local().Format("15:04:05.000"), where, e.Step, e.text())
		fmt.Fprintln(w, terminal.Safe(line))
	}
	if h.Cut > 0 {
		fmt.Fprintf(w, "  (%s of the ledger were cut short by a dying process)\n", plural(h.Cut, "line"))
	}
	for _, r := range h.Records {
		a.tellRecord(r)
	}
	for _, d := range h.Damaged {
		fmt.Fprintf(w, "\nDamaged: %s\n", terminal.Safe(d))
	}
	if len(h.Records) > 0 {
		cell := h.Records[0].Cell
		fmt.Fprintf(a.stderr, "evlab history %s %s %s/%s/%d --show patch shows one of these artifacts, or %s, or a digest\n", h.RunID, h.Task, cell.Condition,
			cell.Executor, cell.Replicate, strings.Join(artifactKinds[1:], ", "))
	}
}

// toldEvent is an event as a history tells it: the start of a step has its end with it.
type toldEvent struct {
	artifacts.Event
	end *artifacts.Event // nil where none was written: the process died
}

// started is what the ledger calls the beginning of a step.
const started = "started"

// withEnds puts the end of each step to its start, which is the last one before it of the same process and attempt.
func withEnds(events []artifacts.Event) []*toldEvent {
	type step struct {
		boot, cell, name string
		attempt          int
	}
	open := map[step]*toldEvent{}
	var told []*toldEvent
	for _, e := range events {
		at := step{e.Boot, e.Cell, e.Step, e.Attempt}
		if begun := open[at]; begun != nil && e.Step != "" && e.What != started {
			begun.end = &e
			delete(open, at)
			continue
		}
		t := &toldEvent{Event: e}
		told = append(told, t)
		if e.What == started {
			open[at] = t
		}
	}
	return told
}

// text is how long a step took, or that it has no end, or what else happened.
func (t *toldEvent) text() string {
	what, detail := t.What, t.Detail
	switch {
	case t.end != nil:
		took := t.end.At.Sub(t.At).Round(time.Millisecond)
		if what, detail = took.String(), t.end.Detail; t.end.What != "finished" {
			what = t.end.What + " after " + took.String()
		}
	case what == started:
		what = "started, no end of it so far"
	}
	if t.Attempt > 1 {
		what += fmt.Sprintf(" (attempt %d)", t.Attempt)
	}
	if detail != "" {
		what += ": " + detail
	}
	return what
}

// shortened is a command for people: one that names hundreds of tests is cut in its middle.
func shortened(command string) string {
	const most = 400
	runes := []rune(command)
	if len(runes) <= most {
		return command
	}
	return string(runes[:most/2]) + fmt.Sprintf(" ... (%d more characters; --json has them) ... ", len(runes)-most) + string(runes[len(runes)-most/2:])
}

// tellTests counts the tests of each phase and names those that did not pass.
func (a *app) tellTests(tests []experiments.TestResult) {
	type count struct{ passed, all int }
	counts := map[string]*count{}
	var phases []string
	var failed []experiments.TestResult
	for _, t := range tests {
		if counts[t.Phase] == nil {
			counts[t.Phase] = &count{}
			phases = append(phases, t.Phase)
		}
		counts[t.Phase].all++
		if t.Outcome == experiments.PassedTest {
			counts[t.Phase].passed++
		} else {
			failed = append(failed, t)
		}
	}
	for _, phase := range phases {
		fmt.Fprintf(a.stdout, "  %s: %d of %s passed\n", phase, counts[phase].passed, plural(counts[phase].all, "test"))
		n := 0
		for _, t := range failed {
			if t.Phase != phase {
				continue
			}
			if n++; n <= mostTests {
				fmt.Fprintf(a.stdout, "    %s %s\n", terminal.Safe(t.Outcome), terminal.Safe(t.Name))
			}
		}
		if n > mostTests {
			fmt.Fprintf(a.stdout, "    and %d more; --json has every test\n", n-mostTests)
		}
	}
}

// mostTests is how many tests of a phase a history names.
const mostTests = 40

func (a *app) tellRecord(r *experiments.Record) {
	w := a.stdout
	executor := r.Cell.Executor
	if r.Simulated {
		executor += " (simulated)"
	}
	fmt.Fprintf(w, "\n%s / %s / replicate %d: %s\n", r.Cell.Condition, executor, r.Cell.Replicate, r.Verdict)
	if r.Reason != "" {
		fmt.Fprintf(w, "  reason: %s\n", terminal.Safe(r.Reason))
	}
	if r.Cached != "" {
		fmt.Fprintf(w, "  taken over from run %s\n", r.Cached)
	}
	for _, round := range r.Rounds {
		fmt.Fprintf(w, "  round %d: %s, reply %s (prompt %s, reply %s)\n", round.Number, plural(len(round.Evidence), "unit"), round.ReplyKind,
			round.Prompt.Short(), round.Reply.Short())
		for _, id := range round.Evidence {
			fmt.Fprintf(w, "    %s\n", terminal.Safe(id))
		}
		if round.Need != "" {
			fmt.Fprintf(w, "    asks: %s\n", terminal.Safe(round.Need))
		}
	}
	if r.Bundle != nil {
		fmt.Fprintf(w, "  bundle: %s, Complete-MSS %.0f", plural(r.Bundle.Items, "item"), r.Bundle.CompleteMSS)
		if r.Bundle.DroppedGroup != "" {
			fmt.Fprintf(w, ", without group %s", terminal.Safe(r.Bundle.DroppedGroup))
		}
		fmt.Fprintln(w)
		for _, n := range r.Bundle.Notes {
			fmt.Fprintf(w, "    note: %s\n", terminal.Safe(n))
		}
		for _, x := range r.Bundle.Excluded {
			fmt.Fprintf(w, "    left out %s: %s\n", terminal.Safe(x.ID), terminal.Safe(x.Reason))
		}
	}
	if r.Patch != "" {
		fmt.Fprintf(w, "  patch %s, tree %.12s\n", r.Patch.Short(), r.Tree)
	}
	for _, f := range r.Flags {
		fmt.Fprintf(w, "    flag: %s\n", terminal.Safe(f))
	}
	for i, c := range r.Commands {
		a.tellCommand(c, i > 0 && slices.Equal(c.Args, r.Commands[i-1].Args))
	}
	a.tellTests(r.Tests)
	s := r.Scores
	fmt.Fprintf(w, "  scores: strict %t, fail-to-pass %t, pass-to-pass %t, target file %t, %d tokens, %s\n", s.Strict, s.FailToPass, s.PassToPass,
		s.TargetFileHit, s.Tokens, plural(s.Calls, "retrieval call"))
	for _, step := range slices.Sorted(maps.Keys(r.Attempts)) {
		fmt.Fprintf(w, "  step %s was begun %d times\n", step, r.Attempts[step])
	}
	fmt.Fprintf(w, "  effects: %s, %s\n", plural(r.Effects.ExecutorCalls, "executor call"), plural(r.Effects.ContainerStarts, "container start"))
}

// tellCommand tells of a command; again says that it is the one above, whose run answers for both.
func (a *app) tellCommand(c experiments.Command, again bool) {
	w := a.stdout
	if len(c.Args) == 0 && c.Outcome == "" {
		fmt.Fprintf(w, "  %s: there was nothing to run\n", c.Phase)
		return
	}
	joined := ""
	if c.Reattached {
		joined = ", joined after a restart"
	}
	command := shortened(strings.Join(c.Args, " "))
	if again {
		command = "(the same command)"
	}
	fmt.Fprintf(w, "  %s: %s, exit %d, %s%s, log %s\n    %s\n", c.Phase, c.Outcome, c.Exit,
		c.Ended.Sub(c.Started).Round(10*time.Millisecond), joined, c.Log.Short(), terminal.Safe(command))
	if c.Problem != "" {
		fmt.Fprintf(w, "    problem: %s\n", terminal.Safe(c.Problem))
	}
}
