package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/report"
)

// TestPausesAreNoWork: two processes with a pause between them and one that overlaps the second, over two ledgers.
func TestPausesAreNoWork(t *testing.T) {
	run := &artifacts.Run{ID: "r", Dir: t.TempDir()}
	write := func(name string, events ...string) {
		path := filepath.Join(run.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, e := range events {
			boot, at, _ := strings.Cut(e, " ")
			lines = append(lines, fmt.Sprintf(`{"at":"2026-12-01T%sZ","boot":%q,"what":"started"}`, at, boot))
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("events.jsonl", "a 10:00:00", "b 12:00:00", "c 12:00:30")
	write("events/t.jsonl", "a 10:01:00", "b 12:02:00", "c 12:03:00")
	total, n, err := worked(run, &experiments.Contract{Tasks: []experiments.FrozenTask{{ID: "t"}}})
	if err != nil || total != 4*time.Minute || n != 3 {
		t.Errorf("%v in %d processes, %v; want 4m0s and three", total, n, err)
	}
	s := &report.Summary{WallS: 7380, ActiveS: total.Seconds(), Processes: n}
	if got := report.Wall(s); got != "Wall time 2h03m, pauses included: 4m00s at work, in 3 processes." {
		t.Error(got)
	}
	if got := report.Wall(&report.Summary{WallS: 33.2, ActiveS: 33.9, Processes: 2}); got != "Wall time 33 s, in 2 processes." {
		t.Errorf("without a pause: %s", got)
	}
	if got := report.Wall(&report.Summary{WallS: 78, ActiveS: 70, Processes: 1}); got != "Wall time 78 s." {
		t.Error(got)
	}
}

func TestPreparingIsNotRunning(t *testing.T) {
	events := []artifacts.Event{{Step: "prepare", What: "started"}, {Step: "prepare", What: "finished"}, {Step: "preflight", What: "started"}}
	for n, want := range []string{"", "image", "", "tests before and after the repair"} {
		if got := preparing(events[:n]); got != want {
			t.Errorf("after %d lines: %q, want %q", n, got, want)
		}
	}
}
