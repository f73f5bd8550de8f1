package agreement

import (
	"fmt"
	"slices"
)

// Table is the cross-table of two reviewers' verdicts: Count[i][j] items that the first put into category i and the
// second into category j.
type Table struct {
	Categories []string `json:"categories"`
	Count      [][]int  `json:"counts"`
}

// NewTable is an empty table. Categories must be different.
func NewTable(categories []string) *Table {
	t := &Table{Categories: categories, Count: make([][]int, len(categories))}
	for i := range t.Count {
		t.Count[i] = make([]int, len(categories))
	}
	return t
}

// Add counts an item n times. Verdicts outside the categories are an error.
func (t *Table) Add(first, second string, n int) error {
	i, j := slices.Index(t.Categories, first), slices.Index(t.Categories, second)
	if i < 0 || j < 0 {
		return fmt.Errorf("verdicts %.40q and %.40q: the categories are %q", first, second, t.Categories)
	}
	t.Count[i][j] += n
	return nil
}

// Margins are how often each reviewer used each category.
func (t *Table) Margins() (first, second []int) {
	first, second = make([]int, len(t.Categories)), make([]int, len(t.Categories))
	for i, row := range t.Count {
		for j, n := range row {
			first[i] += n
			second[j] += n
		}
	}
	return first, second
}

// N is the number of items.
func (t *Table) N() (n int) {
	for _, row := range t.Count {
		for _, c := range row {
			n += c
		}
	}
	return n
}

// Coefficients are the agreement of a table. A nil one has no value: there are no items, or chance alone would give
// complete agreement (0/0).
type Coefficients struct {
	// Raw is the share of items with equal verdicts, p.
	Raw *float64 `json:"raw"`
	// Kappa is (p - e) / (1 - e), e from the product of the margins (Cohen, 1960).
	Kappa *float64 `json:"kappa"`
	// TwoPMinus1 is 2p - 1: for two categories it is kappa with prevalence and bias adjusted (Byrt, Bishop and Carlin, 1993).
	TwoPMinus1 *float64 `json:"two_p_minus_1"`
	// AC1 is (p - e) / (1 - e), e = sum q(1-q) / (k-1) from the mean margins q of k categories (Gwet, 2008).
	AC1 *float64 `json:"ac1"`
}

// chanceOnly is how near to 1 chance agreement may be before a coefficient is 0/0.
const chanceOnly = 1e-12

// Coefficients computes all four. The number of categories matters to AC1, also of those that nobody used: declare them.
func (t *Table) Coefficients() (c Coefficients) {
	first, second := t.Margins()
	agreed := 0
	for i := range t.Count {
		agreed += t.Count[i][i]
	}
	return coefficients(float64(agreed), first, second, float64(t.N()))
}

func coefficients(agreed float64, first, second []int, n float64) (c Coefficients) {
	if n == 0 {
		return c
	}
	p := agreed / n
	twice := 2*p - 1
	c.Raw, c.TwoPMinus1 = &p, &twice
	byProduct, byMean := 0.0, 0.0
	for i := range first {
		x, y := float64(first[i])/n, float64(second[i])/n
		byProduct += x * y
		byMean += (x + y) / 2 * (1 - (x+y)/2)
	}
	c.Kappa = corrected(p, byProduct)
	if k := len(first); k > 1 {
		c.AC1 = corrected(p, byMean/float64(k-1))
	}
	return c
}

func corrected(p, chance float64) *float64 {
	if 1-chance < chanceOnly {
		return nil
	}
	x := (p - chance) / (1 - chance)
	return &x
}

// Range is what a coefficient can be when only the margins are known.
type Range struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// RawRange is the range of raw agreement that two reviewers' margins over the same n items leave open: at most the
// smaller of both margins in every category, at least what the margins force into a category of both.
func RawRange(first, second []int, n int) (r Range, err error) {
	if len(first) != len(second) || n <= 0 {
		return r, fmt.Errorf("margins of %d and %d categories over %d items", len(first), len(second), n)
	}
	sumFirst, sumSecond, most, least := 0, 0, 0, 0
	for i := range first {
		sumFirst += first[i]
		sumSecond += second[i]
		most += min(first[i], second[i])
		// Verdicts of the first in this category meet the second's others n-second[i] times at most.
		least = max(least, first[i]+second[i]-n)
	}
	if sumFirst != n || sumSecond != n {
		return r, fmt.Errorf("the margins add up to %d and %d, not to %d items", sumFirst, sumSecond, n)
	}
	return Range{float64(least) / float64(n), float64(most) / float64(n)}, nil
}
