package retrieval_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"evlab/evidence"
	"evlab/retrieval"
)

func TestQueryCombinesTheState(t *testing.T) {
	card := evidence.StateCard{
		Issue: "issue", Need: "need", Observation: "seen", OpenedFiles: []string{"a.go", "b.go"}, Queries: []string{"searched"},
		TestOutput: "--- FAIL", Diff: "diff", Hypothesis: "guess", Subgoal: "goal", Trajectory: "path", Observed: []string{"a.go#F"},
	}
	if got, want := retrieval.Query(card), "issue\nneed\nguess\ngoal\nseen\na.go\nb.go\n--- FAIL"; got != want {
		t.Errorf("query is %q, want %q", got, want)
	}
	if got := retrieval.Query(evidence.StateCard{Issue: "issue", Need: " \n"}); got != "issue" {
		t.Errorf("query of an issue alone is %q", got)
	}
}

func TestQueryIsBounded(t *testing.T) {
	card := evidence.StateCard{Issue: "x" + strings.Repeat("é", 1<<19), Observation: strings.Repeat("o", 1<<20)}
	for i := range 2000 {
		card.OpenedFiles = append(card.OpenedFiles, fmt.Sprintf("file%d.go", i))
		card.TestOutput += fmt.Sprintf("line %d\n", i)
	}
	q := retrieval.Query(card)
	if len(q) > 64<<10 || !utf8.ValidString(q) {
		t.Errorf("query has %d bytes, valid %v", len(q), utf8.ValidString(q))
	}
	for part, want := range map[string]bool{
		"\nfile1999.go\n": true, "\nfile1950.go\n": true, "file1949.go": false, "line 1999\n": true, "\nline 10\n": false,
	} {
		if strings.Contains(q, part) != want {
			t.Errorf("%q in the query: %v, want %v", part, !want, want)
		}
	}
	// The test output's part begins with a whole line.
	after := q[strings.Index(q, "file1999.go\n")+len("file1999.go\n"):]
	if !strings.HasPrefix(after, "line ") {
		t.Errorf("the test output begins with %.20q", after)
	}
	one := retrieval.Query(evidence.StateCard{TestOutput: strings.Repeat("日", 5000)})
	if !utf8.ValidString(one) || len(one) > 4<<10 {
		t.Errorf("one long line gives %d bytes, valid %v", len(one), utf8.ValidString(one))
	}
}
