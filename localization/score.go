package localization

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Selection is what one executor proposed for one task under one condition, in its order. No targets is a valid answer.
type Selection struct {
	Key
	Targets []Target
}

// TaskScore is the score of one selection. Recall is a share from 0 to 1.
type TaskScore struct {
	Key
	Repository string         `json:"repository"`
	References int            `json:"reference_files"` // r
	Cap        int            `json:"cap"`
	Eligible   bool           `json:"cap_eligible"`
	Missing    bool           `json:"missing"` // there was no selection; it counts as an empty one
	Emitted    int            `json:"emitted"` // valid targets within the cap
	Refused    map[Reason]int `json:"refused,omitempty"`
	Hits       int            `json:"hits"` // reference files that a target names
	Recall     float64        `json:"recall"`
	Success    bool           `json:"success"`
	Labels     *Labels        `json:"labels,omitempty"`
	Judged     []Judged       `json:"targets,omitempty"`
}

// Judged is a valid target with its label.
type Judged struct {
	Target
	Label Label  `json:"label"`
	Why   string `json:"why"`
}

// Labels count the labels of valid targets, all from one source.
type Labels struct {
	Source     Source `json:"source"`
	Precise    int    `json:"precise"`
	Coarse     int    `json:"coarse"`
	Wrong      int    `json:"wrong"`
	Other      int    `json:"other"`
	Unlabelled int    `json:"unlabelled"`
}

// Emitted is the number of targets that were counted.
func (l Labels) Emitted() int { return l.Precise + l.Coarse + l.Wrong + l.Other + l.Unlabelled }

func (l *Labels) count(label Label) {
	switch label {
	case Precise:
		l.Precise++
	case Coarse:
		l.Coarse++
	case Wrong:
		l.Wrong++
	case Other:
		l.Other++
	default:
		l.Unlabelled++
	}
}

// errMixed is a fault of the program: labels of two sources may not meet in one number.
var errMixed = errors.New("labels of two sources in one number")

// add takes further counts of the same source.
func (l *Labels) add(more Labels) error {
	if l.Source != more.Source {
		return fmt.Errorf("%w: %s and %s", errMixed, l.Source, more.Source)
	}
	l.Precise += more.Precise
	l.Coarse += more.Coarse
	l.Wrong += more.Wrong
	l.Other += more.Other
	l.Unlabelled += more.Unlabelled
	return nil
}

// Precision is a share from 0 to 1. Value is nil while labels are missing: then it lies between Lo, with none of them
// precise, and Hi, with all of them. All three are nil over no slots.
type Precision struct {
	Value *float64 `json:"value"`
	Lo    *float64 `json:"lo"`
	Hi    *float64 `json:"hi"`
}

func precision(l Labels, slots int) (p Precision) {
	if slots == 0 {
		return p
	}
	lo, hi := float64(l.Precise)/float64(slots), float64(l.Precise+l.Unlabelled)/float64(slots)
	p.Lo, p.Hi = &lo, &hi
	if l.Unlabelled == 0 {
		p.Value = &lo
	}
	return p
}

// Raw is the raw precision: precise targets over those emitted (table 21).
func (l Labels) Raw() Precision { return precision(l, l.Emitted()) }

// FixedBudget is the fixed-budget precision: precise targets over the sum of the caps, so that an unused slot scores zero
// (table 21; 171 slots in the paper's 52 tasks).
func (l Labels) FixedBudget(slots int) Precision { return precision(l, slots) }

// Summary is one condition with one executor over all tasks.
type Summary struct {
	Condition       string         `json:"condition"`
	Executor        string         `json:"executor,omitempty"`
	Tasks           int            `json:"tasks"`
	Missing         int            `json:"missing"` // tasks without a selection, which score zero
	Empty           int            `json:"empty"`   // tasks with no valid target, missing ones included
	Recall          float64        `json:"recall"`  // macro mean over tasks, 0 to 1
	Successes       int            `json:"successes"`
	Eligible        int            `json:"cap_eligible"`
	EligibleSuccess int            `json:"cap_eligible_successes"`
	Emitted         int            `json:"emitted"`
	Slots           int            `json:"slots"` // the sum of the caps
	Refused         map[Reason]int `json:"refused"`
	Labels          *Labels        `json:"labels,omitempty"`
	Raw             *Precision     `json:"raw_precision,omitempty"`
	FixedBudget     *Precision     `json:"fixed_budget_precision,omitempty"`
}

// Result is what Score gives.
type Result struct {
	Source    Source      `json:"label_source,omitempty"` // empty: paths alone
	Tasks     []TaskScore `json:"tasks"`                  // by condition, executor, task
	Summaries []Summary   `json:"summaries"`              // by condition, executor
}

// Score scores every condition and executor that selections name over all references: a task without a selection counts
// as an empty one. labeller may be nil; then there are no labels. Selections must be of known tasks and no key twice.
func Score(references []*Reference, selections []Selection, labeller Labeller) (*Result, error) {
	byTask := map[string]*Reference{}
	for _, r := range references {
		switch {
		case len(r.Files) == 0:
			return nil, fmt.Errorf("task %q has no reference files: recall over none is no number", r.Task)
		case byTask[r.Task] != nil:
			return nil, fmt.Errorf("task %q is given twice", r.Task)
		}
		byTask[r.Task] = r
	}
	type method struct{ condition, executor string }
	given := map[method]map[string]*Selection{}
	for i := range selections {
		s := &selections[i]
		m := method{s.Condition, s.Executor}
		if byTask[s.Task] == nil {
			return nil, fmt.Errorf("a selection is of task %q, which has no reference", s.Task)
		}
		if given[m] == nil {
			given[m] = map[string]*Selection{}
		}
		if given[m][s.Task] != nil {
			return nil, fmt.Errorf("task %q, condition %q, executor %q: two selections", s.Task, s.Condition, s.Executor)
		}
		given[m][s.Task] = s
	}
	methods := slices.SortedFunc(maps.Keys(given), func(a, b method) int {
		return cmp.Or(strings.Compare(a.condition, b.condition), strings.Compare(a.executor, b.executor))
	})
	tasks := slices.Sorted(maps.Keys(byTask))
	result := &Result{Tasks: []TaskScore{}, Summaries: []Summary{}}
	if labeller != nil {
		result.Source = labeller.Source()
	}
	for _, m := range methods {
		sum := Summary{Condition: m.condition, Executor: m.executor, Refused: map[Reason]int{}}
		if labeller != nil {
			sum.Labels = &Labels{Source: labeller.Source()}
		}
		for _, id := range tasks {
			s := scoreTask(byTask[id], Key{id, m.condition, m.executor}, given[m][id], labeller)
			if err := sum.add(&s); err != nil {
				return nil, err
			}
			result.Tasks = append(result.Tasks, s)
		}
		sum.Recall /= float64(sum.Tasks)
		if sum.Labels != nil {
			raw, fixed := sum.Labels.Raw(), sum.Labels.FixedBudget(sum.Slots)
			sum.Raw, sum.FixedBudget = &raw, &fixed
		}
		result.Summaries = append(result.Summaries, sum)
	}
	return result, nil
}

func scoreTask(r *Reference, k Key, selection *Selection, labeller Labeller) TaskScore {
	s := TaskScore{Key: k, Repository: r.Repository, References: len(r.Files), Cap: r.Cap(), Eligible: r.Eligible(), Missing: selection == nil}
	if labeller != nil {
		s.Labels = &Labels{Source: labeller.Source()}
	}
	if selection == nil {
		return s
	}
	selected := r.Select(selection.Targets)
	s.Emitted = len(selected.Targets)
	for _, refused := range selected.Refused {
		if s.Refused == nil {
			s.Refused = map[Reason]int{}
		}
		s.Refused[refused.Reason]++
	}
	for _, file := range r.Files {
		if slices.ContainsFunc(selected.Targets, func(t Target) bool { return t.Path == file }) {
			s.Hits++
		}
	}
	s.Recall = float64(s.Hits) / float64(len(r.Files))
	s.Success = s.Hits == len(r.Files)
	if labeller == nil {
		return s
	}
	for _, t := range selected.Targets {
		l := labeller.Label(k, t)
		s.Labels.count(l.Label)
		s.Judged = append(s.Judged, Judged{t, l.Label, l.Why})
	}
	return s
}

func (s *Summary) add(t *TaskScore) error {
	s.Tasks++
	s.Recall += t.Recall
	s.Emitted += t.Emitted
	s.Slots += t.Cap
	if t.Missing {
		s.Missing++
	}
	if t.Emitted == 0 {
		s.Empty++
	}
	if t.Success {
		s.Successes++
	}
	if t.Eligible {
		s.Eligible++
		if t.Success {
			s.EligibleSuccess++
		}
	}
	for reason, n := range t.Refused {
		s.Refused[reason] += n
	}
	if t.Labels == nil {
		return nil
	}
	return s.Labels.add(*t.Labels)
}
