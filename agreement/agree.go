package agreement

import (
	"fmt"
	"math"
	"slices"

	"evlab/contrasts"
)

// Options say how intervals are drawn.
type Options struct {
	Draws int    // 100 to 1,000,000
	Seed  uint64 // of contrasts.Generator
	// Accept is the category that leaves an item as it is; empty: none has that meaning.
	Accept string
}

// Interval is a 95% percentile interval over resamples of clusters. It is nil where more than 2.5% of the resamples give
// the coefficient no value: then its end could be anything.
type Interval struct {
	Lo        *float64 `json:"lo"`
	Hi        *float64 `json:"hi"`
	Undefined float64  `json:"undefined"` // share of resamples without a value
}

// Report is the agreement on one field, or on all fields of an item at once.
type Report struct {
	Field   string `json:"field"`   // AllFields for the whole item
	N       int    `json:"n"`       // items with both verdicts
	Missing int    `json:"missing"` // items with one verdict
	Table   *Table `json:"table,omitempty"`
	Coefficients
	Intervals struct {
		Raw        Interval `json:"raw"`
		Kappa      Interval `json:"kappa"`
		TwoPMinus1 Interval `json:"two_p_minus_1"`
		AC1        Interval `json:"ac1"`
	} `json:"intervals"`
	Clusters    int          `json:"clusters"` // that were resampled: repositories, or items
	Accepted    *Accepted    `json:"accepted,omitempty"`
	Arbitration *Arbitration `json:"arbitration,omitempty"`
}

// AllFields names the report on whole items: they agree when every field does.
const AllFields = "(all fields)"

// Accepted counts items by who accepted them as they are.
type Accepted struct {
	Category      string `json:"category"`
	ByBoth        int    `json:"by_both"`
	FlaggedByOne  int    `json:"flagged_by_at_least_one"`
	FlaggedByBoth int    `json:"flagged_by_both"`
}

// cell is n items in one cell of the table.
type cell struct{ first, second, n int }

// clustered is what one cluster has in the table.
type clustered struct {
	name  string
	cells []cell
}

// Agree reports on every field, and, when there are several, on whole items. The bootstrap resamples repositories where
// every item has one, else items (section C.4 gives no interval; the resampling unit is that of the paper's Test500
// contrasts).
func (s *Study) Agree(o Options) ([]Report, error) {
	if o.Draws < 100 || o.Draws > 1_000_000 {
		return nil, fmt.Errorf("%d draws are outside 100 to 1000000", o.Draws)
	}
	if o.Accept != "" && !slices.Contains(s.Categories, o.Accept) {
		return nil, fmt.Errorf("category %.40q, which is to mean accepted, is none of %q", o.Accept, s.Categories)
	}
	var reports []Report
	for _, field := range s.Fields {
		r := Report{Field: field, Table: NewTable(s.Categories)}
		clusters := s.cells(&r, func(it *item) (first, second string) {
			if v := it.verdicts[field]; v != nil {
				return v.by[0], v.by[1]
			}
			return "", ""
		})
		r.Coefficients = r.Table.Coefficients()
		r.intervals(clusters, len(s.Categories), o, true)
		if o.Accept != "" {
			r.Accepted = r.Table.accepted(o.Accept)
		}
		if s.Arbiter != "" {
			a := s.Arbitration(field)
			r.Arbitration = &a
		}
		reports = append(reports, r)
	}
	if len(s.Fields) > 1 {
		reports = append(reports, s.whole(o))
	}
	return reports, nil
}

// cells fills a report's table and gives it by cluster. verdicts are an item's; empty where there is none.
func (s *Study) cells(r *Report, verdicts func(*item) (first, second string)) []clustered {
	byRepository := s.Clustered()
	at := map[string]int{}
	var clusters []clustered
	for _, id := range s.ids() {
		it := s.items[id]
		x, y := verdicts(it)
		i, j := slices.Index(r.Table.Categories, x), slices.Index(r.Table.Categories, y)
		if i < 0 || j < 0 {
			if i >= 0 || j >= 0 {
				r.Missing++
			}
			continue
		}
		r.N++
		r.Table.Count[i][j]++
		name := id
		if byRepository {
			name = it.cluster
		}
		k, known := at[name]
		if !known {
			k = len(clusters)
			at[name] = k
			clusters = append(clusters, clustered{name: name})
		}
		c := &clusters[k]
		if same := slices.IndexFunc(c.cells, func(x cell) bool { return x.first == i && x.second == j }); same >= 0 {
			c.cells[same].n++
		} else {
			c.cells = append(c.cells, cell{i, j, 1})
		}
	}
	slices.SortFunc(clusters, byName)
	return clusters
}

// whole reports on items: equal when all their fields are, missing when one is. There are no margins to correct for
// chance by, so kappa and AC1 have no value.
func (s *Study) whole(o Options) Report {
	r := Report{Field: AllFields, Table: NewTable([]string{"equal", "different"})}
	clusters := s.cells(&r, func(it *item) (string, string) {
		equal, some, all := true, false, true
		for _, field := range s.Fields {
			v := it.verdicts[field]
			if v == nil || v.by[0] == "" || v.by[1] == "" {
				all, some = false, some || v != nil
				continue
			}
			some, equal = true, equal && v.by[0] == v.by[1]
		}
		switch {
		case !all && some:
			return "equal", ""
		case equal:
			return "equal", "equal"
		}
		return "equal", "different"
	})
	r.Coefficients = r.Table.Coefficients()
	r.Kappa, r.AC1 = nil, nil
	r.intervals(clusters, 2, o, false)
	r.Table = nil
	return r
}

// intervals draws. corrected: kappa and AC1, too.
func (r *Report) intervals(clusters []clustered, categories int, o Options, corrected bool) {
	r.Clusters = len(clusters)
	if len(clusters) < 2 {
		return
	}
	var values [4][]float64
	for i := range values {
		values[i] = make([]float64, o.Draws)
	}
	// The purpose names the field, so that fields are resampled independently of how many there are.
	contrasts.Resample("agreement "+r.Field, o.Seed, len(clusters), o.Draws, func(draw int, times []int) {
		first, second := make([]int, categories), make([]int, categories)
		agreed, n := 0, 0
		for i, t := range times {
			if t == 0 {
				continue
			}
			for _, c := range clusters[i].cells {
				first[c.first] += t * c.n
				second[c.second] += t * c.n
				n += t * c.n
				if c.first == c.second {
					agreed += t * c.n
				}
			}
		}
		c := coefficients(float64(agreed), first, second, float64(n))
		for i, x := range [4]*float64{c.Raw, c.Kappa, c.TwoPMinus1, c.AC1} {
			if values[i][draw] = math.NaN(); x != nil {
				values[i][draw] = *x
			}
		}
	})
	r.Intervals.Raw, r.Intervals.TwoPMinus1 = interval(values[0]), interval(values[2])
	if corrected {
		r.Intervals.Kappa, r.Intervals.AC1 = interval(values[1]), interval(values[3])
	}
}

// mostUndefined is the share of an interval's tail.
const mostUndefined = 0.025

func interval(values []float64) (x Interval) {
	defined := slices.DeleteFunc(values, math.IsNaN)
	x.Undefined = 1 - float64(len(defined))/float64(len(values))
	if len(defined) == 0 || x.Undefined > mostUndefined {
		return x
	}
	lo, hi := contrasts.Percentile95(defined)
	x.Lo, x.Hi = &lo, &hi
	return x
}

// accepted counts a table's items by who accepted them.
func (t *Table) accepted(category string) *Accepted {
	at := slices.Index(t.Categories, category)
	a := &Accepted{Category: category}
	for i, row := range t.Count {
		for j, n := range row {
			switch {
			case i == at && j == at:
				a.ByBoth += n
			case i != at && j != at:
				a.FlaggedByBoth += n
				a.FlaggedByOne += n
			default:
				a.FlaggedByOne += n
			}
		}
	}
	return a
}
