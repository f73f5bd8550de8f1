package localization_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"evlab/localization"
)

// paperTables are figures of tables 2, 20 and 21 as they are printed.
type paperTables struct {
	Tasks, Slots, Eligible int
	Rows                   []struct {
		Executor, Condition           string
		Precise, Coarse, Wrong, Other int
		Raw, Fixed                    float64
		EligibleSuccesses             int     `json:"eligible_successes"`
		AllTasks                      float64 `json:"success_all_tasks"` // percent; 0 where it is not printed
		Recall                        float64
	}
	RawDenominators  [2]int `json:"raw_denominators"`
	NotForced        int    `json:"explicit_other"`
	ReferenceEntries int    `json:"reference_entries"`
}

// TestTable21 derives the precisions of all ten rows from their counts, and holds the tables against each other.
func TestTable21(t *testing.T) {
	data, err := os.ReadFile("testdata/action52.json")
	if err != nil {
		t.Fatal(err)
	}
	var p paperTables
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	least, most, other := math.MaxInt, 0, 0
	for _, row := range p.Rows {
		l := localization.Labels{Source: localization.Adjudicated, Precise: row.Precise, Coarse: row.Coarse, Wrong: row.Wrong, Other: row.Other}
		name := row.Executor + " " + row.Condition
		for what, x := range map[string][2]float64{
			"raw": {*l.Raw().Value, row.Raw}, "fixed-budget": {*l.FixedBudget(p.Slots).Value, row.Fixed},
		} {
			if got := fmt.Sprintf("%.2f", 100*x[0]); got != fmt.Sprintf("%.2f", x[1]) {
				t.Errorf("%s: %s precision %s, printed %.2f", name, what, got, x[1])
			}
		}
		least, most, other = min(least, l.Emitted()), max(most, l.Emitted()), other+l.Other
		if row.AllTasks != 0 {
			if got := fmt.Sprintf("%.2f", 100*float64(row.EligibleSuccesses)/float64(p.Tasks)); got != fmt.Sprintf("%.2f", row.AllTasks) {
				t.Errorf("%s: %d successes of %d tasks are %s%%, printed %.2f", name, row.EligibleSuccesses, p.Tasks, got, row.AllTasks)
			}
		}
	}
	if [2]int{least, most} != p.RawDenominators {
		t.Errorf("raw denominators run from %d to %d, printed %v", least, most, p.RawDenominators)
	}
	if other != p.NotForced {
		t.Errorf("%d targets are other, printed %d", other, p.NotForced)
	}
	// 52 tasks have at least three slots each, and the four beyond the cap six.
	if low, high := 3*p.Eligible+6*(p.Tasks-p.Eligible), 6*p.Tasks; p.Slots < low || p.Slots > high {
		t.Errorf("%d slots are outside %d to %d", p.Slots, low, high)
	}
}

func example() ([]*localization.Reference, []localization.Selection) {
	ref := func(task string, files ...string) *localization.Reference {
		return &localization.Reference{Task: task, Repository: "r/" + task, Files: files, Paths: localization.NewPaths(files, false)}
	}
	sel := func(task, condition string, targets ...localization.Target) localization.Selection {
		return localization.Selection{Key: localization.Key{Task: task, Condition: condition, Executor: "x"}, Targets: targets}
	}
	at := func(p string) localization.Target { return localization.Target{Path: p} }
	return []*localization.Reference{
			ref("t1", "a.py"), ref("t2", "a.py", "b.py"), ref("t3", "a", "b", "c", "d", "e", "f", "g"),
		}, []localization.Selection{
			sel("t1", "good", at("a.py")), sel("t2", "good", at("b.py"), at("z.py")),
			sel("t3", "good", at("a"), at("b"), at("c"), at("d"), at("e"), at("f"), at("g")),
			sel("t1", "poor"), sel("t2", "poor", at("tests/test_a.py")),
		}
}

func TestScore(t *testing.T) {
	refs, selections := example()
	a := localization.NewAdjudication()
	for _, v := range []localization.Verdict{
		{Key: localization.Key{Task: "t1"}, Target: localization.Target{Path: "a.py"}, By: "ann", Label: localization.Precise},
		{Key: localization.Key{Task: "t2"}, Target: localization.Target{Path: "b.py"}, By: "ann", Label: localization.Coarse},
		{Key: localization.Key{Task: "t2", Condition: "good"}, Target: localization.Target{Path: "b.py"}, By: "ann", Label: localization.Precise},
	} {
		if err := a.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	r, err := localization.Score(refs, selections, a)
	if err != nil {
		t.Fatal(err)
	}
	good, poor := r.Summaries[0], r.Summaries[1]
	if want := (1 + 0.5 + 6.0/7) / 3; math.Abs(good.Recall-want) > 1e-15 || poor.Recall != 0 {
		t.Errorf("recall %v and %v, want %v and 0", good.Recall, poor.Recall, want)
	}
	if good.Successes != 1 || good.Eligible != 2 || good.EligibleSuccess != 1 || good.Slots != 12 || good.Emitted != 9 || good.Refused[localization.BeyondCap] != 1 {
		t.Errorf("good is %+v", good)
	}
	if poor.Missing != 1 || poor.Empty != 3 || poor.Tasks != 3 || poor.Refused[localization.Test] != 1 {
		t.Errorf("poor is %+v", poor)
	}
	// Two of nine targets are precise and seven have no label: no value, but bounds.
	if good.Raw.Value != nil || *good.Raw.Lo != 2.0/9 || *good.Raw.Hi != 1 || good.FixedBudget.Value != nil || *good.FixedBudget.Lo != 2.0/12 || *good.FixedBudget.Hi != 9.0/12 {
		t.Errorf("precision %+v, %+v of %+v", good.Raw, good.FixedBudget, good.Labels)
	}
	// A condition that emits nothing has no raw precision, and a fixed-budget precision of zero.
	if poor.Raw.Lo != nil || *poor.FixedBudget.Value != 0 {
		t.Errorf("precision of nothing is %+v, %+v", poor.Raw, poor.FixedBudget)
	}
	plain, err := localization.Score(refs, selections, nil)
	if err != nil || plain.Source != "" || plain.Summaries[0].Labels != nil || plain.Summaries[0].Raw != nil {
		t.Errorf("without labels: %+v, %v", plain, err)
	}
}

func TestScoreRefuses(t *testing.T) {
	refs, selections := example()
	for name, c := range map[string]struct {
		refs []*localization.Reference
		sel  []localization.Selection
	}{
		"no files":        {[]*localization.Reference{{Task: "t"}}, nil},
		"the same task":   {append(refs[:3:3], refs[0]), nil},
		"unknown task":    {refs[:1], selections},
		"twice selection": {refs, append(selections[:5:5], selections[0])},
	} {
		if _, err := localization.Score(c.refs, c.sel, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestOrderDoesNotMatter: permuting tasks and selections changes nothing, and a further target never lowers recall.
func TestOrderDoesNotMatter(t *testing.T) {
	refs, selections := example()
	want, err := localization.Score(refs, selections, nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		rng.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
		rng.Shuffle(len(selections), func(i, j int) { selections[i], selections[j] = selections[j], selections[i] })
		got, err := localization.Score(refs, selections, nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("another order gives %+v, %v", got, err)
		}
	}
	more := slices.Clone(selections)
	for i := range more {
		more[i].Targets = append(slices.Clone(more[i].Targets), localization.Target{Path: "a.py"})
	}
	got, err := localization.Score(refs, more, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Tasks {
		if got.Tasks[i].Recall < want.Tasks[i].Recall {
			t.Errorf("%v: recall fell from %v to %v", got.Tasks[i].Key, want.Tasks[i].Recall, got.Tasks[i].Recall)
		}
	}
}

func TestAdjudication(t *testing.T) {
	k := localization.Key{Task: "t"}
	at := func(p string) localization.Target { return localization.Target{Path: p} }
	a := localization.NewAdjudication()
	add := func(by, path string, label localization.Label, arbiter bool) error {
		return a.Add(localization.Verdict{Key: k, Target: at(path), By: by, Label: label, Arbiter: arbiter})
	}
	for _, err := range []error{
		add("ann", "same", localization.Coarse, false), add("bob", "same", localization.Coarse, false),
		add("ann", "open", localization.Coarse, false), add("bob", "open", localization.Wrong, false),
		add("ann", "settled", localization.Coarse, false), add("bob", "settled", localization.Wrong, false), add("cat", "settled", localization.Other, true),
		add("ann", "half", localization.Precise, false),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]localization.Label{
		"same": localization.Coarse, "open": localization.Unlabelled, "settled": localization.Other, "half": localization.Unlabelled, "none": localization.Unlabelled,
	} {
		if got := a.Label(localization.Key{Task: "t", Condition: "c", Executor: "e"}, at(path)); got.Label != want {
			t.Errorf("%s is %q (%s), want %q", path, got.Label, got.Why, want)
		}
	}
	for name, err := range map[string]error{
		"twice": add("ann", "same", localization.Coarse, false), "third": add("dan", "x", localization.Wrong, false),
		"arbiter adjudicates": add("cat", "x", localization.Wrong, false), "adjudicator arbitrates": add("ann", "x", localization.Wrong, true),
		"second arbiter": add("eve", "x", localization.Wrong, true),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if x, y := a.Pairs(); len(x) != 3 || len(y) != 3 {
		t.Errorf("%d pairs of labels, want 3", len(x))
	}
}
