package agreement

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Review is one verdict of one person on one field of one item.
type Review struct {
	Item     string
	Field    string // empty when an item has one verdict
	Reviewer string
	Verdict  string
	Cluster  string // the item's repository; empty when it is not known
	Arbiter  bool   // the word that settles a disagreement
}

// Study is the verdicts of two reviewers and an arbiter.
type Study struct {
	Reviewers  [2]string // in the order in which they are met, or as chosen
	Arbiter    string
	Categories []string
	Fields     []string // "" alone when items have one verdict
	items      map[string]*item
}

// item is what was said of one item, by field.
type item struct {
	cluster  string
	verdicts map[string]*voices
}

// voices are the verdicts on one field; empty where somebody said nothing.
type voices struct {
	by      [2]string
	arbiter string
}

// Choice narrows a study down.
type Choice struct {
	Reviewers  []string // the two whose agreement is meant; empty: the two that there are
	Categories []string // all that could have been said; empty: those that were said
}

// NewStudy joins reviews. Errors are all faults of the choice and of the reviews as a whole; those of single reviews
// (Add's) come from the reader.
func NewStudy() *Study { return &Study{items: map[string]*item{}} }

// Add takes a review. A person may speak of a field of an item once, an item is of one cluster, and there is one arbiter.
func (s *Study) Add(r Review, choice Choice) error {
	at := -1
	if !r.Arbiter {
		var err error
		if at, err = s.reviewer(r.Reviewer, choice); err != nil || at < 0 {
			return err
		}
	} else if s.Arbiter != "" && s.Arbiter != r.Reviewer {
		return fmt.Errorf("%.40q is a second arbiter; %.40q is the first", r.Reviewer, s.Arbiter)
	}
	if len(choice.Categories) > 0 && !slices.Contains(choice.Categories, r.Verdict) {
		return fmt.Errorf("verdict %.40q is none of %s", r.Verdict, strings.Join(choice.Categories, ", "))
	}
	it := s.items[r.Item]
	if it == nil {
		it = &item{cluster: r.Cluster, verdicts: map[string]*voices{}}
		s.items[r.Item] = it
	}
	switch {
	case it.cluster == "":
		it.cluster = r.Cluster
	case r.Cluster != "" && r.Cluster != it.cluster:
		return fmt.Errorf("item %.60q is of repository %.60q here and of %.60q elsewhere", r.Item, r.Cluster, it.cluster)
	}
	v := it.verdicts[r.Field]
	if v == nil {
		v = &voices{}
		it.verdicts[r.Field] = v
	}
	place := &v.arbiter
	if at >= 0 {
		place = &v.by[at]
	}
	if *place != "" {
		return fmt.Errorf("%.40q has spoken of it already", r.Reviewer)
	}
	*place = r.Verdict
	if r.Arbiter {
		s.Arbiter = r.Reviewer
	}
	if !slices.Contains(s.Fields, r.Field) {
		s.Fields = append(s.Fields, r.Field)
	}
	if !slices.Contains(s.Categories, r.Verdict) {
		s.Categories = append(s.Categories, r.Verdict)
	}
	return nil
}

// reviewer is the reviewer's place, -1 for one who was not chosen.
func (s *Study) reviewer(name string, choice Choice) (int, error) {
	if len(choice.Reviewers) == 2 {
		copy(s.Reviewers[:], choice.Reviewers)
		return slices.Index(choice.Reviewers, name), nil
	}
	for i := range s.Reviewers {
		if s.Reviewers[i] == "" {
			s.Reviewers[i] = name
		}
		if s.Reviewers[i] == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%.40q is a third reviewer, after %.40q and %.40q: choose two, or give the one who settles disagreements the role arbiter", name, s.Reviewers[0], s.Reviewers[1])
}

// Check reports what makes the study none: no two reviewers who spoke, nothing in common, more than one category that was
// not declared.
func (s *Study) Check(choice Choice) error {
	if len(choice.Categories) > 0 {
		s.Categories = slices.Clone(choice.Categories)
	} else {
		slices.Sort(s.Categories)
	}
	slices.Sort(s.Fields)
	if s.Reviewers[1] == "" {
		return errors.New("there is one reviewer; agreement needs two")
	}
	for i, name := range s.Reviewers {
		spoke := false
		for _, it := range s.items {
			for _, v := range it.verdicts {
				spoke = spoke || v.by[i] != ""
			}
		}
		if !spoke {
			return fmt.Errorf("reviewer %.40q has no verdict", name)
		}
	}
	return nil
}

// ids are the items in order.
func (s *Study) ids() []string { return slices.Sorted(maps.Keys(s.items)) }

// Items is the number of items.
func (s *Study) Items() int { return len(s.items) }

// Clustered reports whether every item says of which repository it is.
func (s *Study) Clustered() bool {
	for _, it := range s.items {
		if it.cluster == "" {
			return false
		}
	}
	return true
}

// Arbitration is what became of disagreements.
type Arbitration struct {
	Disagreements int            `json:"disagreements"`
	Arbitrated    int            `json:"arbitrated"`
	WithFirst     int            `json:"with_first"`
	WithSecond    int            `json:"with_second"`
	Neither       int            `json:"neither"` // the arbiter said something else than both
	Open          int            `json:"open"`    // nobody settled them
	OnAgreed      int            `json:"on_agreed"`
	Overturned    int            `json:"overturned"` // of those, what both reviewers agreed on and the arbiter changed
	Final         map[string]int `json:"final"`      // verdicts that stand: agreed, or arbitrated
}

// Arbitration goes through the verdicts on a field that both reviewers gave.
func (s *Study) Arbitration(field string) Arbitration {
	a := Arbitration{Final: map[string]int{}}
	for _, it := range s.items {
		v := it.verdicts[field]
		if v == nil || v.by[0] == "" || v.by[1] == "" {
			continue
		}
		stands := v.arbiter
		switch agreed := v.by[0] == v.by[1]; {
		case agreed && v.arbiter == "":
			stands = v.by[0]
		case agreed:
			a.OnAgreed++
			if v.arbiter != v.by[0] {
				a.Overturned++
			}
		default:
			a.Disagreements++
			switch v.arbiter {
			case "":
				a.Open++
				continue
			case v.by[0]:
				a.WithFirst++
			case v.by[1]:
				a.WithSecond++
			default:
				a.Neither++
			}
			a.Arbitrated++
		}
		a.Final[stands]++
	}
	return a
}

// byName orders cells of clusters, so that no map's order reaches a sum or a draw.
func byName(a, b clustered) int { return cmp.Compare(a.name, b.name) }
