package reviewfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/agreement"
	"evlab/agreement/reviewfile"
	"evlab/tabular"
)

func saved(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// wantFaults wants exactly these faults, by a part of each.
func wantFaults(t *testing.T, faults *tabular.Faults, want ...string) {
	t.Helper()
	all := faults.All()
	for i, err := range all {
		if i >= len(want) || !strings.Contains(err.Error(), want[i]) {
			t.Errorf("fault %d is %q", i, err)
		}
	}
	if len(all) != len(want) {
		t.Errorf("%d faults, want %d: %q", len(all), len(want), want)
	}
}

func TestReviews(t *testing.T) {
	var faults tabular.Faults
	s, err := reviewfile.ReadReviews([]string{
		saved(t, "a.csv", "\ufeffstate_id,annotator,verdict,repo\r\ns1,ann,accept,o/r\r\ns2,ann,revise,o/q\r\n"),
		saved(t, "b.jsonl", `{"item":"s1","reviewer":"bob","verdict":"accept"}`+"\n"+`{"item":"s2","reviewer":"bob","verdict":"accept","role":"reviewer"}`+"\n"+
			`{"item":"s2","reviewer":"cat","verdict":"revise","role":"arbiter"}`),
	}, agreement.Choice{}, &faults)
	if err != nil {
		t.Fatal(err)
	}
	wantFaults(t, &faults)
	r, err := s.Agree(agreement.Options{Draws: 100})
	if err != nil || !s.Clustered() || r[0].N != 2 || *r[0].Raw != 0.5 || r[0].Arbitration.WithFirst != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestReviewFaults(t *testing.T) {
	var faults tabular.Faults
	if _, err := reviewfile.ReadReviews([]string{saved(t, "r.csv", `item,reviewer,verdict,role,repository,field
i1,ann,accept,,a,
i1,ann,accept,,a,
,ann,accept,,a,
i2,,accept,,a,
i2,ann,,,a,
i2,ann,accept,judge,a,
i1,bob,accept,,b,
i3,bob,odd,,b,
i3,bob,accept,,b,(all fields)
i4,bob,accept,,b,
i4,eve,accept,,b,
`)}, agreement.Choice{Categories: []string{"accept", "revise"}}, &faults); err != nil {
		t.Fatal(err)
	}
	wantFaults(t, &faults, "r.csv:3: \"ann\" has spoken", "r.csv:4: item: there is none", "r.csv:5: reviewer: there is none", "r.csv:6: verdict: there is none",
		`r.csv:7: role: "judge"`, `r.csv:8: item "i1" is of repository "b" here and of "a"`, `r.csv:9: verdict "odd" is none of accept, revise`,
		`r.csv:10: field: "(all fields)"`, `r.csv:12: "eve" is a third reviewer`)
	for text, want := range map[string]string{
		"item,reviewer,verdict\n":            "there are no reviews",
		"item,reviewer,verdict\ni,ann,yes\n": "there is one reviewer",
	} {
		var faults tabular.Faults
		if _, err := reviewfile.ReadReviews([]string{saved(t, "r.csv", text)}, agreement.Choice{}, &faults); err != nil {
			t.Fatal(err)
		}
		wantFaults(t, &faults, want)
	}
}

func TestLedgerFaults(t *testing.T) {
	var faults tabular.Faults
	if _, err := reviewfile.ReadLedger(saved(t, "l.csv", `item,change,class,method,cutoff,before,after
s1,edit,,,,,
s1,,,bm25,5,0,true
s2,fix,,,,,
s2,edit,L7,,,,
s2,edit,,bm25,5,0,0
s2,,,,,,
s2,,,bm25,7,0,0
s2,,,bm25,five,2,
s1,,,bm25,5,0,0
`), agreement.LockedCutoffs, &faults); err != nil {
		t.Fatal(err)
	}
	wantFaults(t, &faults, `l.csv:4: change "fix"`, `l.csv:5: class "L7"`, "l.csv:6: it has a change and a method", "l.csv:7: it has no change and no method",
		"l.csv:8: cutoff 7 is not locked", "l.csv:9: cutoff: expected a whole number", "l.csv:9: before: expected true, false, 0 or 1", "l.csv:9: after: expected true, false, 0 or 1",
		"l.csv:10: the outcome of item \"s1\"")
}

// FuzzReaders: whatever the files hold, readers come back, and what they take can be computed.
func FuzzReaders(f *testing.F) {
	f.Add("item,reviewer,verdict,field\na,x,yes,g\na,y,no,g\n", "item,change,method,cutoff,before,after\na,edit,,,,\na,,m,5,0,1\n")
	f.Add(`{"item":"a","reviewer":"x","verdict":"yes"}`+"\n"+`{"item":"a","reviewer":"y","verdict":"yes","repository":"r"}`, `{"item":"a","change":"none","class":"L0"}`)
	f.Fuzz(func(t *testing.T, reviews, ledger string) {
		var faults tabular.Faults
		if s, err := reviewfile.ReadReviews([]string{saved(t, "r.csv", reviews)}, agreement.Choice{}, &faults); err == nil && faults.Len() == 0 {
			if _, err := s.Agree(agreement.Options{Draws: 100}); err != nil {
				t.Error(err)
			}
		}
		faults = tabular.Faults{}
		if l, err := reviewfile.ReadLedger(saved(t, "l.csv", ledger), agreement.LockedCutoffs, &faults); err == nil && faults.Len() == 0 {
			a, err := l.Account()
			if n := a.Classes[agreement.L0] + a.Classes[agreement.L1] + a.Classes[agreement.L2] + a.Classes[agreement.L3]; err == nil && n != a.Items {
				t.Errorf("%d classes of %d items", n, a.Items)
			}
		}
	})
}

// TestExamples holds the example files to table 9 and to what docs/agreement.md says of them.
func TestExamples(t *testing.T) {
	const dir = "../../docs/examples/agree/"
	choice := agreement.Choice{Categories: []string{"accept", "revise", "rebuild"}}
	var faults tabular.Faults
	s, err := reviewfile.ReadReviews([]string{dir + "validity-audit.csv"}, choice, &faults)
	if err != nil {
		t.Fatal(err)
	}
	fields, err := reviewfile.ReadReviews([]string{dir + "fields.jsonl"}, agreement.Choice{}, &faults)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := reviewfile.ReadLedger(dir+"ledger.csv", agreement.LockedCutoffs, &faults)
	if err != nil {
		t.Fatal(err)
	}
	wantFaults(t, &faults)
	r, err := s.Agree(agreement.Options{Draws: 100, Accept: "accept"})
	if err != nil || r[0].N != 80 || *r[0].Raw != 0.9625 || r[0].Accepted.ByBoth != 77 || r[0].Accepted.FlaggedByBoth != 0 {
		t.Errorf("the audit is %+v, %v", r, err)
	}
	if r, err := fields.Agree(agreement.Options{Draws: 100}); err != nil || len(r) != 4 || r[0].Clusters != 20 {
		t.Errorf("fields are %+v, %v", r, err)
	}
	if a, err := ledger.Account(); err != nil || a.Classes[agreement.L2] != 1 || a.Classes[agreement.L3] != 1 {
		t.Errorf("the ledger is %+v, %v", a, err)
	}
}
