package agreement_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"evlab/agreement"
)

// verdicts are one reviewer's margins over the categories of tables 7 and 9.
type verdicts struct {
	Accept, Revise, Rebuild, Unscorable, Uncertain int
}

func (v verdicts) counts() []int {
	return []int{v.Accept, v.Revise, v.Rebuild, v.Unscorable, v.Uncertain}
}

func (v verdicts) sum() (n int) {
	for _, c := range v.counts() {
		n += c
	}
	return n
}

// paper has the figures of tables 7 to 9 and of section C as they are printed.
type paper struct {
	Table7 struct {
		Rows []struct {
			verdicts
			Rows int
		}
	}
	Table8 struct {
		States, Branched, Branches int
		ModelReviews               int `json:"model_reviews"`
		ArbitrationRows            int `json:"arbitration_rows"`
		HumanAudited               int `json:"human_audited"`
		Several                    int `json:"several_branches"`
	}
	Classes struct{ Audited, L0, L1, L2, L3 int }
	Table9  struct {
		States, Groups    int
		A                 verdicts `json:"expert_a"`
		B                 verdicts `json:"expert_b"`
		AcceptedByBoth    int      `json:"accepted_by_both"`
		FlaggedByOne      int      `json:"flagged_by_one"`
		FlaggedByBoth     int      `json:"flagged_by_both"`
		AcceptedPercent   float64  `json:"accepted_percent"`
		FlaggedPercent    float64  `json:"flagged_percent"`
		GroupsEqual       int      `json:"groups_equal"`
		RawState          float64  `json:"raw_percent_state"`
		RawGroup          float64  `json:"raw_percent_group"`
		TwoPState         float64  `json:"two_p_minus_1_state"`
		TwoPGroup         float64  `json:"two_p_minus_1_group"`
		Fields            int
		AlwaysEqual       int `json:"fields_always_equal"`
		WithDisagreements int `json:"fields_with_disagreements"`
	}
}

func readPaper(t *testing.T) (p paper) {
	t.Helper()
	data, err := os.ReadFile("testdata/paper_tables.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func wantPrinted(t *testing.T, what, format string, got, printed float64) {
	t.Helper()
	if fmt.Sprintf(format, got) != fmt.Sprintf(format, printed) {
		t.Errorf("%s is "+format+", printed "+format, what, got, printed)
	}
}

// TestTable7: the rows add up, and the margins of the two models that saw all states bound their agreement: they differed on
// 290 states at least, so that 455 rows for a third model are possible.
func TestTable7(t *testing.T) {
	p := readPaper(t)
	for i, row := range p.Table7.Rows {
		if row.sum() != row.Rows {
			t.Errorf("row %d adds up to %d, printed %d", i+1, row.sum(), row.Rows)
		}
	}
	first, second := p.Table7.Rows[0].verdicts, p.Table7.Rows[1].verdicts
	r, err := agreement.RawRange(first.counts(), second.counts(), 500)
	if err != nil || r != (agreement.Range{Lo: 30.0 / 500, Hi: 210.0 / 500}) {
		t.Errorf("raw agreement between %v and %v (%v), want 0.06 to 0.42", r.Lo, r.Hi, err)
	}
	if least := 500 - 210; p.Table8.ArbitrationRows < least {
		t.Errorf("%d arbitrated rows are fewer than the %d disagreements", p.Table8.ArbitrationRows, least)
	}
}

// TestTable8 holds what of it is arithmetic: two model reviews for each state, and as many branches as states with one and
// with several need.
func TestTable8(t *testing.T) {
	x := readPaper(t).Table8
	if x.ModelReviews != 2*x.States || x.HumanAudited != x.States || x.ArbitrationRows > x.States {
		t.Errorf("reviews don't add up: %+v", x)
	}
	if x.Several > x.Branched || x.Branched > x.States || x.Branches < x.Branched+x.Several {
		t.Errorf("branches don't add up: %+v", x)
	}
}

// TestSensitivityClasses: the four classes partition the audited sample.
func TestSensitivityClasses(t *testing.T) {
	c := readPaper(t).Classes
	if sum := c.L0 + c.L1 + c.L2 + c.L3; sum != c.Audited {
		t.Errorf("the classes add up to %d, audited were %d", sum, c.Audited)
	}
}

// auditTable is the cross-table of table 9. Its cells follow from what is printed: nobody flagged what the other flagged, so
// every verdict that is not accept stands beside an accept.
func auditTable(t *testing.T, p paper) *agreement.Table {
	t.Helper()
	x := p.Table9
	table := agreement.NewTable([]string{"accept", "rebuild", "revise"})
	for _, c := range []struct {
		first, second string
		n             int
	}{
		{"accept", "accept", x.AcceptedByBoth}, {"revise", "accept", x.A.Revise}, {"rebuild", "accept", x.A.Rebuild}, {"accept", "revise", x.B.Revise},
		{"accept", "rebuild", x.B.Rebuild},
	} {
		if err := table.Add(c.first, c.second, c.n); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

// TestTable9 recomputes the audit from its cells, and adds what the paper leaves out: kappa, which is below zero at these
// margins, and AC1.
func TestTable9(t *testing.T) {
	p := readPaper(t)
	x := p.Table9
	table := auditTable(t, p)
	if table.N() != x.States {
		t.Errorf("the cells add up to %d states, printed %d", table.N(), x.States)
	}
	first, second := table.Margins()
	if first[0] != x.A.Accept || second[0] != x.B.Accept {
		t.Errorf("%d and %d states are accepted, printed %d and %d", first[0], second[0], x.A.Accept, x.B.Accept)
	}
	if flagged := x.States - x.AcceptedByBoth; flagged != x.FlaggedByOne {
		t.Errorf("%d states are flagged, printed %d", flagged, x.FlaggedByOne)
	}
	c := table.Coefficients()
	wantPrinted(t, "raw agreement of states", "%.2f", 100**c.Raw, x.RawState)
	wantPrinted(t, "accepted by both", "%.2f", 100*float64(x.AcceptedByBoth)/float64(x.States), x.AcceptedPercent)
	wantPrinted(t, "flagged by one", "%.2f", 100*float64(x.FlaggedByOne)/float64(x.States), x.FlaggedPercent)
	wantPrinted(t, "2p-1 of states", "%.3f", *c.TwoPMinus1, x.TwoPState)
	groups := agreement.NewTable([]string{"equal", "different"})
	groups.Count[0][0], groups.Count[0][1] = x.GroupsEqual, x.Groups-x.GroupsEqual
	g := groups.Coefficients()
	wantPrinted(t, "raw agreement of groups", "%.2f", 100**g.Raw, x.RawGroup)
	wantPrinted(t, "2p-1 of groups", "%.3f", *g.TwoPMinus1, x.TwoPGroup)
	wantPrinted(t, "kappa", "%.4f", *c.Kappa, -0.0127)
	wantPrinted(t, "AC1", "%.4f", *c.AC1, 0.9618)
	// The paper names four fields that always agree and three that don't, of eight: necessity is in neither list.
	if x.AlwaysEqual+x.WithDisagreements != x.Fields-1 {
		t.Errorf("%d and %d of %d fields are named", x.AlwaysEqual, x.WithDisagreements, x.Fields)
	}
}
