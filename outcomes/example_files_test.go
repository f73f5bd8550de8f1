package outcomes

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"evlab/contrasts"
	"evlab/tabular"
)

// TestExampleHasTheMarginsOfTable25: the example's outcomes, which are made up task by task, give every row of table 25 from a file.
func TestExampleHasTheMarginsOfTable25(t *testing.T) {
	table, err := Read("../docs/examples/contrast/outcomes.csv", Wanted{Metrics: []string{"strict", "fail_to_pass", "tokens"}, Labels: []string{"repository", "platform"}}, new(tabular.Faults))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../contrasts/testdata/table25.json")
	if err != nil {
		t.Fatal(err)
	}
	var paper struct{ Rows []contrasts.Result }
	if err := json.Unmarshal(data, &paper); err != nil || len(paper.Rows) != 8 {
		t.Fatalf("%d rows, %v", len(paper.Rows), err)
	}
	for _, want := range paper.Rows {
		answers, err := table.Ask(Question{Metric: want.Metric, A: want.A, B: want.B, Strata: "platform"})
		if err != nil {
			t.Fatal(err)
		}
		line := func(r contrasts.Result) string {
			return fmt.Sprintf("%+.2f [%+.2f, %+.2f] %d/%d/%d", r.Diff, r.Lo, r.Hi, r.Win, r.Tie, r.Loss)
		}
		if got := answers[0]; line(got.Result) != line(want) || got.Method != contrasts.MethodExact || len(answers) != 3 {
			t.Errorf("%s, %s - %s: %s, the paper prints %s", want.Metric, want.A, want.B, line(got.Result), line(want))
		}
	}
}

// TestExampleFamily: the family's file asks five questions; ratios and shares are adjusted together.
func TestExampleFamily(t *testing.T) {
	family, err := ReadFamily("../docs/examples/contrast/family.yaml")
	if err != nil {
		t.Fatal(err)
	}
	table, err := Read("../docs/examples/contrast/outcomes.csv", Wanted{Metrics: []string{"strict", "fail_to_pass", "tokens"}}, new(tabular.Faults))
	if err != nil {
		t.Fatal(err)
	}
	answers, err := table.AskAll(family.Contrasts)
	if err != nil || len(answers) != 5 {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	for _, a := range answers {
		if a.PHolm == nil || a.PBH == nil || *a.PHolm < a.P || *a.PBH > *a.PHolm {
			t.Errorf("%s: p %v, Holm %v, BH %v", a.Metric, a.P, a.PHolm, a.PBH)
		}
	}
}

// TestPilot reads what evlab power needs from the example.
func TestPilot(t *testing.T) {
	table, err := Read("../docs/examples/contrast/pilot.jsonl", Wanted{Metrics: []string{"resolved"}, Labels: []string{"repository"}}, new(tabular.Faults))
	if err != nil {
		t.Fatal(err)
	}
	p, err := table.Pilot(Selection{Metric: "resolved", A: "new", B: "old"})
	if err != nil || p.Replicates != 3 || !p.Components.Split || !p.Share || p.Discordance != nil || p.Components.Tasks != 39 {
		t.Errorf("%+v, %v", p, err)
	}
	if p.Components.Within < 0.1 || p.Components.Within > 0.5 {
		t.Errorf("components %+v", p.Components)
	}
}
