package outcomes

import (
	"errors"
	"fmt"
	"slices"

	"evlab/contrasts"
)

// Question is one contrast to be computed from a table.
type Question struct {
	Metric string `yaml:"metric"`
	A      string `yaml:"a"`
	B      string `yaml:"b"`
	// Executor may be left out when the table has one. Against is a second one: then the question is whether the gain of A over B
	// under Executor is larger than under Against.
	Executor string   `yaml:"executor"`
	Against  string   `yaml:"against"`
	Unit     string   `yaml:"unit"` // task, repository, episode or a column; empty means task
	Draws    int      `yaml:"draws"`
	Seed     uint64   `yaml:"seed"`
	Interval string   `yaml:"interval"`
	Also     []string `yaml:"also"`
	Margin   float64  `yaml:"margin"`
	Ratio    bool     `yaml:"ratio"` // contrast on the log scale
	// Min and Max are the metric's range, of whose hundredths points are; both zero means 0 to 1.
	Min float64 `yaml:"min"`
	Max float64 `yaml:"max"`
	// Strata is a column that parts the tasks: the contrast is answered within each part too. Subset is a column that is true for
	// some tasks: it is answered for these too, never without the whole.
	Strata string `yaml:"strata"`
	Subset string `yaml:"subset"`
}

// Labels are the columns of labels that the question needs.
func (q Question) Labels() []string {
	var out []string
	for _, name := range []string{q.Strata, q.Subset} {
		if name != "" {
			out = append(out, name)
		}
	}
	if q.Unit != "" && q.Unit != contrasts.UnitTask {
		out = append(out, q.Unit)
	}
	return out
}

// Answer is a contrast computed. Its result is empty but for names where Problem says why there is none.
type Answer struct {
	contrasts.Result
	Executor   string  `json:"executor,omitempty"`
	Replicates int     `json:"replicates"`       // most replicates of a cell, averaged within the task
	Part       string  `json:"part,omitempty"`   // "stratum" or "subset" for a part of the tasks; Stratum says which
	Weight     float64 `json:"weight,omitempty"` // a stratum's share of the complete pairs
	Problem    string  `json:"problem,omitempty"`
}

// Parts of the tasks that an answer may be about.
const (
	PartStratum = "stratum"
	PartSubset  = "subset"
)

// Ask answers a question: the whole first, then its strata and its subset. Too few pairs is an answer with a Problem.
//
// The rules of parts (method section 5, and sections D.4 and D.6 of the paper): strata exclude each other and exhaust the tasks, so that
// their differences weighted by their complete pairs add up to the whole, which is checked; clusters are resampled within
// each; a cluster may have tasks in several. A difference between strata is descriptive, since strata differ in more than
// their name. A subset (such as the states whose certificate lies inside the pool) conditions on what it was chosen by, and stands
// beside the whole.
func (t *Table) Ask(q Question) ([]Answer, error) {
	whole, err := t.answer(q, "", "", "")
	if err != nil {
		return nil, err
	}
	answers := []Answer{whole}
	if q.Strata != "" {
		parts, err := t.strata(q, whole)
		if err != nil {
			return nil, err
		}
		answers = append(answers, parts...)
	}
	if q.Subset != "" {
		name, err := t.subset(q.Subset)
		if err != nil {
			return nil, err
		}
		part, err := t.answer(q, PartSubset, q.Subset, name)
		if err != nil {
			return nil, err
		}
		answers = append(answers, part)
	}
	return answers, nil
}

// subset is the name that stands for true in a column.
func (t *Table) subset(column string) (string, error) {
	groups := t.Groups(column)
	yes := ""
	for _, g := range groups {
		switch {
		case slices.Contains([]string{"1", "true", "True", "TRUE"}, g):
			if yes != "" {
				return "", fmt.Errorf("%s: column %s has both %q and %q for true", t.source, column, yes, g)
			}
			yes = g
		case !slices.Contains([]string{"0", "false", "False", "FALSE"}, g):
			return "", fmt.Errorf("%s: column %s is to choose a subset and has %q; expected true, false, 1 or 0", t.source, column, g)
		}
	}
	if yes == "" {
		return "", fmt.Errorf("%s: column %s is true for no task", t.source, column)
	}
	return yes, nil
}

// strata answers within each part and checks that the parts make the whole.
func (t *Table) strata(q Question, whole Answer) ([]Answer, error) {
	l, ok := t.labels[q.Strata]
	if !ok {
		return nil, fmt.Errorf("%s has no column %q to take strata from", t.source, q.Strata)
	}
	var bare []string
	for task, of := range l.of {
		if of < 0 {
			bare = append(bare, t.tasks.list[task])
		}
	}
	if len(bare) > 0 {
		return nil, fmt.Errorf("%s: strata have to hold every task, and column %s has nothing for %s", t.source, q.Strata, ofTasks(bare))
	}
	const most = 200
	groups := t.Groups(q.Strata)
	if len(groups) > most {
		return nil, fmt.Errorf("%s: column %s parts the tasks into %d strata; at most %d are contrasted", t.source, q.Strata, len(groups), most)
	}
	var parts []Answer
	n, sum := 0, 0.0
	for _, group := range groups {
		part, err := t.answer(q, PartStratum, q.Strata, group)
		if err != nil {
			return nil, err
		}
		if whole.N > 0 {
			part.Weight = float64(part.N) / float64(whole.N)
		}
		n += part.N
		sum += part.Weight * part.Diff
		parts = append(parts, part)
	}
	// Ratios average on another scale.
	if off := sum - whole.Diff; !q.Ratio && (n != whole.N || off > 1e-6 || off < -1e-6) {
		return nil, fmt.Errorf("%s: the strata of column %s have %d pairs and add up to %v; the whole has %d and %v: this is a fault of evlab", t.source, q.Strata, n, sum, whole.N, whole.Diff)
	}
	return parts, nil
}

func (t *Table) answer(q Question, part, column, group string) (Answer, error) {
	sel := Selection{Metric: q.Metric, A: q.A, B: q.B, Executor: q.Executor, StratumColumn: column, Stratum: group}
	if q.Unit != contrasts.UnitTask {
		sel.Cluster = q.Unit
	}
	sample, err := t.Select(sel)
	if err != nil {
		return Answer{}, err
	}
	d := contrasts.Design{Metric: q.Metric, A: q.A, B: q.B, Unit: q.Unit, Draws: q.Draws, Seed: q.Seed, Binary: sample.Binary, Min: q.Min, Max: q.Max,
		Margin: q.Margin, Interval: q.Interval, Also: q.Also, Stratum: group}
	if part == PartSubset {
		d.Stratum = column
	}
	out := Answer{Executor: q.Executor, Replicates: sample.Replicates, Part: part}
	var result contrasts.Result
	switch {
	case q.Against != "":
		result, err = t.interaction(q, sel, sample, d, &out)
	case q.Ratio:
		d.Binary = false
		result, err = contrasts.ContrastRatio(sample.Pairs, d)
	default:
		if err := inRange(q, d, sample); err != nil {
			return Answer{}, err
		}
		d.Binary = d.Binary && (q.Max == 0 || q.Max == 1 && q.Min == 0)
		result, err = contrasts.Contrast(sample.Pairs, d)
	}
	if errors.Is(err, contrasts.ErrTooFew) {
		out.Problem, err = err.Error(), nil
	}
	out.Result = result
	return out, err
}

func (t *Table) interaction(q Question, sel Selection, here *Sample, d contrasts.Design, out *Answer) (contrasts.Result, error) {
	if q.Ratio || q.Executor == "" {
		return contrasts.Result{}, fmt.Errorf("an interaction is between two executors' differences in points; name both, and no ratio")
	}
	sel.Executor = q.Against
	there, err := t.Select(sel)
	if err != nil {
		return contrasts.Result{}, err
	}
	for _, s := range []*Sample{here, there} {
		if err := inRange(q, d, s); err != nil {
			return contrasts.Result{}, err
		}
	}
	out.Executor += " against " + q.Against
	out.Replicates = max(out.Replicates, there.Replicates)
	d.Binary = false
	return contrasts.Interaction(here.Pairs, there.Pairs, d, q.Executor, q.Against)
}

// inRange says what to do about a metric that is not in its range: one sentence, where contrasts would name every task.
func inRange(q Question, d contrasts.Design, s *Sample) error {
	if low, high := d.Min, d.Max; low == 0 && high == 0 && (s.Low < 0 || s.High > 1) {
		return fmt.Errorf("%w: %s goes from %.6g to %.6g; a share is within 0 to 1. Contrast costs, tokens and times with --ratio, and a score with its range, such as --range 0,100",
			contrasts.ErrInput, q.Metric, s.Low, s.High)
	}
	return nil
}

// AskAll answers questions that are asked together. The p-values of their main lines are adjusted for their number, which is what
// was declared: a contrast that has too few pairs to be computed counts. The adjusted p of one question is its own p, and its verdict
// stays the interval's. Strata and subsets are exploratory and stay out of it.
func (t *Table) AskAll(questions []Question) ([]Answer, error) {
	var answers []Answer
	var family []int
	for _, q := range questions {
		more, err := t.Ask(q)
		if err != nil {
			return nil, err
		}
		family = append(family, len(answers))
		answers = append(answers, more...)
	}
	if len(questions) == 1 {
		p := answers[0].P
		answers[0].PHolm, answers[0].PBH = &p, &p
		return answers, nil
	}
	results := make([]contrasts.Result, len(family))
	for i, at := range family {
		results[i] = answers[at].Result
	}
	contrasts.AdjustFamily(results)
	for i, at := range family {
		answers[at].Result = results[i]
	}
	return answers, nil
}

// Meets reports whether an answer is what is required: "better" (A is, by its verdict), "not-worse" (no end of interval and bounds is
// below minus the margin) or "equivalent" (by its verdict).
func (a Answer) Meets(required string) bool {
	switch required {
	case "better":
		return a.Verdict == a.A+" better"
	case "not-worse":
		least := min(a.Lo, a.BoundLo)
		if a.Recommended != nil {
			least = min(least, a.Recommended.Lo)
		}
		return a.Problem == "" && least >= -a.Margin
	case "equivalent":
		return a.Verdict == fmt.Sprintf("equivalent within ±%g", a.Margin)
	}
	return false
}
