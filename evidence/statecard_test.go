package evidence_test

import (
	"encoding/json"
	"strings"
	"testing"

	"evlab/evidence"
)

func TestStateCardValidate(t *testing.T) {
	big := strings.Repeat("x", evidence.MaxField+1)
	for _, c := range []struct {
		name string
		card evidence.StateCard
		want []string // nil: valid
	}{
		{"an issue alone", evidence.StateCard{Issue: "it breaks"}, nil},
		{"every boundary", evidence.StateCard{Issue: "x", Boundary: "after_file_inspection"}, nil},
		{"a full field", evidence.StateCard{Issue: big[1:]}, nil},
		{"nothing", evidence.StateCard{}, nil},
		{"a wrong boundary", evidence.StateCard{Issue: "x", Boundary: "later"}, []string{`boundary "later"`, "before_search"}},
		{"too much", evidence.StateCard{Issue: "x", Diff: big}, []string{"diff has 1048577 bytes"}},
		{"too many", evidence.StateCard{Issue: "x", Queries: make([]string, evidence.MaxField+1)}, []string{"queries has 1048577 bytes"}},
		{"bad text", evidence.StateCard{Issue: "ok\xff"}, []string{"issue is not valid UTF-8 at byte 2"}},
		{"a bad entry", evidence.StateCard{Issue: "x", Observed: []string{"a", "\xc0", "\xc1"}},
			[]string{"observed[1] is not valid UTF-8 at byte 0"}},
		{"all at once", evidence.StateCard{Boundary: "b", Need: "\xff", Trajectory: big},
			[]string{`boundary "b"`, "need is not", "trajectory has"}},
	} {
		err := c.card.Validate()
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: error is %v", c.name, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q doesn't say %q", c.name, err, w)
			}
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s: the error has %d bytes", c.name, len(err.Error()))
		}
	}
}

func TestWithAskReplacesAllThree(t *testing.T) {
	before := evidence.StateCard{Issue: "i", Need: "n", Hypothesis: "h", Subgoal: "s", Queries: []string{"q"}}
	after := before.WithAsk(evidence.Ask{Need: "other"})
	if after.Need != "other" || after.Hypothesis != "" || after.Subgoal != "" || after.Issue != "i" || len(after.Queries) != 1 {
		t.Errorf("after is %+v", after)
	}
	if before.Need != "n" || before.Hypothesis != "h" {
		t.Errorf("the card itself changed to %+v", before)
	}
}

func TestStateCardWireForm(t *testing.T) {
	got, err := json.Marshal(evidence.StateCard{Issue: "i", OpenedFiles: []string{"a"}, TestOutput: "t"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"issue":"i","opened_files":["a"],"test_output":"t"}`; string(got) != want {
		t.Errorf("wire form is %s, want %s", got, want)
	}
}
