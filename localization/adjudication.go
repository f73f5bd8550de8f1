package localization

import "fmt"

// Verdict is one person's label of one target.
type Verdict struct {
	Key           // condition and executor are empty where adjudicators did not see them: the label holds for all
	Target Target // with its path normalised
	By     string // the adjudicator
	Label  Label
	// Arbiter marks the word that settles a disagreement.
	Arbiter bool
}

// Adjudication is a set of verdicts: one adjudicator, or two and an arbiter for what they disagree on.
type Adjudication struct {
	names    []string // adjudicators in the order met, at most two
	arbiter  string
	verdicts map[judgedKey]*panel
}

type judgedKey struct {
	Key
	Target Target
}

// panel is what was said of one target.
type panel struct {
	labels  [2]Label // by adjudicator, as in names
	arbiter Label
}

// NewAdjudication is an empty adjudication.
func NewAdjudication() *Adjudication { return &Adjudication{verdicts: map[judgedKey]*panel{}} }

// Add takes a verdict. It is an error when the person has spoken of the target already, when there would be more than
// two adjudicators or more than one arbiter, and when one is both.
func (a *Adjudication) Add(v Verdict) error {
	k := judgedKey{v.Key, v.Target}
	p := a.verdicts[k]
	if p == nil {
		p = &panel{}
	}
	place := &p.arbiter
	if v.Arbiter {
		if a.arbiter != "" && a.arbiter != v.By {
			return fmt.Errorf("%.40q is a second arbiter; %.40q is the first", v.By, a.arbiter)
		}
		for _, name := range a.names {
			if name == v.By {
				return fmt.Errorf("%.40q is an adjudicator and can't be the arbiter", v.By)
			}
		}
		a.arbiter = v.By
	} else {
		if a.arbiter != "" && a.arbiter == v.By {
			return fmt.Errorf("%.40q is the arbiter and can't be an adjudicator", v.By)
		}
		at := -1
		for i, name := range a.names {
			if name == v.By {
				at = i
			}
		}
		if at < 0 {
			if len(a.names) == 2 {
				return fmt.Errorf("%.40q is a third adjudicator, after %.40q and %.40q; one who settles disagreements has the role arbiter", v.By, a.names[0], a.names[1])
			}
			at = len(a.names)
			a.names = append(a.names, v.By)
		}
		place = &p.labels[at]
	}
	if *place != Unlabelled {
		return fmt.Errorf("%.40q has labelled this target already", v.By)
	}
	*place = v.Label
	a.verdicts[k] = p
	return nil
}

// Adjudicators are the names of those who labelled, without the arbiter.
func (a *Adjudication) Adjudicators() []string { return a.names }

// Source is Adjudicated.
func (*Adjudication) Source() Source { return Adjudicated }

// Label is the adjudicated label of a target: the arbiter's word, else the one that all adjudicators gave. Verdicts on
// the target under this condition and executor go before those for all executors, and these before those for all
// conditions.
func (a *Adjudication) Label(k Key, t Target) Labelled {
	for _, key := range [3]Key{k, {k.Task, k.Condition, ""}, {k.Task, "", ""}} {
		if p := a.verdicts[judgedKey{key, t}]; p != nil {
			return p.resolve(len(a.names))
		}
	}
	return Labelled{Unlabelled, "nobody labelled it"}
}

func (p *panel) resolve(adjudicators int) Labelled {
	switch {
	case p.arbiter != Unlabelled:
		return Labelled{p.arbiter, "arbitrated"}
	case adjudicators < 2:
		return Labelled{p.labels[0], "one adjudicator"}
	case p.labels[0] == Unlabelled || p.labels[1] == Unlabelled:
		return Labelled{Unlabelled, "one of two adjudicators"}
	case p.labels[0] != p.labels[1]:
		return Labelled{Unlabelled, "the adjudicators disagree and nobody arbitrated"}
	}
	return Labelled{p.labels[0], "both adjudicators"}
}

// Pairs are the labels of the targets that both adjudicators labelled, for agreement between them, in no order.
func (a *Adjudication) Pairs() (first, second []Label) {
	for _, p := range a.verdicts {
		if p.labels[0] != Unlabelled && p.labels[1] != Unlabelled {
			first, second = append(first, p.labels[0]), append(second, p.labels[1])
		}
	}
	return first, second
}
