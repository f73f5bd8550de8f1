package contrasts_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"evlab/contrasts"
)

// printed are the paper's tables that contrasts can check: figures as they are printed.
type printed struct {
	Table12 struct {
		States int
		Rows   []struct {
			Condition         string
			Ours, Qwen, Delta float64
		}
	}
	Table13 struct {
		Totals []int
		Strata []struct {
			Counts []int
			Total  int
		}
	}
	Table15 struct {
		Delta5, Delta8 []float64
		Whole5, Whole8 float64
	}
	Table18 struct {
		States         int
		AtMost         float64 `json:"at_most"`
		Center         neighbour
		Strict, Broad  []neighbour
		Broad5, Broad8 [2]float64
	}
	Table24 struct {
		Tasks int
		Rows  []struct {
			Condition         string
			Strict            int
			StrictPercent     float64 `json:"strict_percent"`
			FailToPass        int     `json:"fail_to_pass"`
			FailToPassPercent float64 `json:"fail_to_pass_percent"`
			PassToPass        int     `json:"pass_to_pass"`
		}
	}
}

type neighbour struct{ Complete5, Complete8 float64 }

func readTables(t *testing.T) (p printed) {
	t.Helper()
	data, err := os.ReadFile("testdata/tables.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// count is the number of tasks that a printed percentage stands for, which must be a whole one.
func count(t *testing.T, what string, percent float64, n int) int {
	t.Helper()
	k := int(math.Round(percent * float64(n) / 100))
	if got := fmt.Sprintf("%.2f", 100*float64(k)/float64(n)); got != fmt.Sprintf("%.2f", percent) {
		t.Errorf("%s: %.2f%% of %d is no whole number of tasks", what, percent, n)
	}
	return k
}

// byCounts contrasts two counts over the same tasks. The difference depends on the counts alone.
func byCounts(t *testing.T, a, b, n int) contrasts.Result {
	t.Helper()
	pairs := make([]contrasts.Pair, n)
	for i := range pairs {
		pairs[i] = contrasts.Pair{Task: fmt.Sprint(i), HasA: true, HasB: true}
		if i < a {
			pairs[i].A = 1
		}
		if i < b {
			pairs[i].B = 1
		}
	}
	return contrast(t, pairs, strict)
}

// TestTable12Deltas: each difference follows from the two counts of 500 states.
func TestTable12Deltas(t *testing.T) {
	table := readTables(t).Table12
	if len(table.Rows) != 5 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for _, row := range table.Rows {
		r := byCounts(t, count(t, row.Condition, row.Ours, table.States), count(t, row.Condition, row.Qwen, table.States), table.States)
		if got := fmt.Sprintf("%+.2f", r.Diff); got != fmt.Sprintf("%+.2f", row.Delta) {
			t.Errorf("%s: difference %s, printed %+.2f", row.Condition, got, row.Delta)
		}
	}
}

// TestTable13Strata: the strata part the states, by boundary and altogether, and the differences within them (table 15), weighted by
// their states, are the whole's.
func TestTable13Strata(t *testing.T) {
	p := readTables(t)
	totals, all := make([]int, len(p.Table13.Totals)), 0
	for _, s := range p.Table13.Strata {
		sum := 0
		for i, n := range s.Counts {
			sum += n
			totals[i] += n
		}
		if sum != s.Total {
			t.Errorf("a stratum of %d has %d states by boundary", s.Total, sum)
		}
		all += sum
	}
	for i, want := range p.Table13.Totals {
		if totals[i] != want {
			t.Errorf("boundary %d has %d states in the strata, %d in section 4.1", i, totals[i], want)
		}
	}
	if all != 500 {
		t.Errorf("%d states in all", all)
	}
	for _, c := range []struct {
		deltas []float64
		whole  float64
	}{{p.Table15.Delta5, p.Table15.Whole5}, {p.Table15.Delta8, p.Table15.Whole8}} {
		won := 0
		for i, s := range p.Table13.Strata {
			won += count(t, "table 15", c.deltas[i], s.Total)
		}
		if got := fmt.Sprintf("%.2f", 100*float64(won)/float64(all)); got != fmt.Sprintf("%.2f", c.whole) {
			t.Errorf("the strata's differences make %s, the whole's is %.2f", got, c.whole)
		}
	}
}

// TestTable18Neighbourhood: the strict neighbours differ by at most 2.5 points at either cutoff, which is three states of 120; the broad ones
// span what the text says.
func TestTable18Neighbourhood(t *testing.T) {
	table := readTables(t).Table18
	at := func(percent float64) int { return count(t, "table 18", percent, table.States) }
	largest := 0.0
	for _, s := range table.Strict {
		for _, c := range [][2]float64{{s.Complete5, table.Center.Complete5}, {s.Complete8, table.Center.Complete8}} {
			largest = max(largest, math.Abs(byCounts(t, at(c[0]), at(c[1]), table.States).Diff))
		}
	}
	if math.Abs(largest-table.AtMost) > 1e-9 {
		t.Errorf("the strict neighbours differ by up to %v points, the text says %v", largest, table.AtMost)
	}
	span5, span8 := [2]float64{100, 0}, [2]float64{100, 0}
	for _, s := range table.Broad {
		at(s.Complete5)
		at(s.Complete8)
		span5 = [2]float64{min(span5[0], s.Complete5), max(span5[1], s.Complete5)}
		span8 = [2]float64{min(span8[0], s.Complete8), max(span8[1], s.Complete8)}
	}
	if span5 != table.Broad5 || span8 != table.Broad8 {
		t.Errorf("the broad neighbourhood spans %v and %v, the text says %v and %v", span5, span8, table.Broad5, table.Broad8)
	}
}

// TestTables24And25Agree: percentages are those of the counts, the difference of two counts is the printed difference of table 25 and of its
// wins and losses, and pass-to-pass exceeds strict by the one task with an incomplete environment.
func TestTables24And25Agree(t *testing.T) {
	table := readTables(t).Table24
	strictOf, f2pOf := map[string]int{}, map[string]int{}
	for _, row := range table.Rows {
		if count(t, row.Condition, row.StrictPercent, table.Tasks) != row.Strict || count(t, row.Condition, row.FailToPassPercent, table.Tasks) != row.FailToPass {
			t.Errorf("%s: percentages %v and %v, counts %d and %d", row.Condition, row.StrictPercent, row.FailToPassPercent, row.Strict, row.FailToPass)
		}
		if row.PassToPass != row.Strict+1 || row.PassToPass > row.FailToPass {
			t.Errorf("%s: %d pass-to-pass, %d strict, %d fail-to-pass", row.Condition, row.PassToPass, row.Strict, row.FailToPass)
		}
		strictOf[row.Condition], f2pOf[row.Condition] = row.Strict, row.FailToPass
	}
	data, err := os.ReadFile("testdata/table25.json")
	if err != nil {
		t.Fatal(err)
	}
	var table25 struct{ Rows []contrasts.Result }
	if err := json.Unmarshal(data, &table25); err != nil {
		t.Fatal(err)
	}
	for _, row := range table25.Rows {
		of := strictOf
		if row.Metric == "fail_to_pass" {
			of = f2pOf
		}
		r := byCounts(t, of[row.A], of[row.B], table.Tasks)
		if fmt.Sprintf("%.2f", r.Diff) != fmt.Sprintf("%.2f", row.Diff) || of[row.A]-of[row.B] != row.Win-row.Loss {
			t.Errorf("%s, %s - %s: counts %d and %d differ by %.2f; table 25 prints %.2f and %d/%d/%d", row.Metric, row.A, row.B, of[row.A], of[row.B],
				r.Diff, row.Diff, row.Win, row.Tie, row.Loss)
		}
	}
}
