package main

import (
	"testing"
	"time"

	"evlab/artifacts"
)

// TestAStepIsToldWithItsEnd: steps of two cells that overlap, a failure and its second attempt, and a process that died.
func TestAStepIsToldWithItsEnd(t *testing.T) {
	begin := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	event := func(ms int, boot, cell, step string, attempt int, what, detail string) artifacts.Event {
		return artifacts.Event{At: begin.Add(time.Duration(ms) * time.Millisecond), Boot: boot, Cell: cell, Step: step, Attempt: attempt, What: what, Detail: detail}
	}
	var got []string
	for _, e := range withEnds([]artifacts.Event{
		event(0, "1", "a", "apply", 1, "started", ""), event(10, "1", "b", "apply", 1, "started", ""),
		event(30, "1", "a", "apply", 1, "failed", "no room"), event(50, "1", "b", "apply", 1, "finished", ""),
		event(60, "1", "a", "apply", 2, "started", ""), event(70, "2", "a", "apply", 1, "started", ""),
		event(75, "2", "a", "apply", 1, "stopped", "cleanly"), event(80, "2", "b", "", 0, "taken over", "from run r"),
	}) {
		got = append(got, e.Cell+" "+e.text())
	}
	want := []string{
		"a failed after 30ms: no room", "b 40ms", "a started, no end of it so far (attempt 2)", "a stopped after 5ms: cleanly",
		"b taken over: from run r",
	}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d: %q, want %q", i, got[i], want[i])
		}
	}
}
