package organizer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"evlab/evidence"
)

// Finding is one thing that a linter has to say about a certificate.
type Finding struct {
	Rule string `json:"rule"` // one of the Rule constants
	// Warning is false when the certificate breaks its schema, and true when it only departs from what annotators are
	// asked for: scores are as they would be without it.
	Warning bool   `json:"warning"`
	Place   string `json:"place"` // the field, as groups[0].acceptable_ids[1]
	Reason  string `json:"reason"`
}

// Rules of a certificate's linter.
const (
	RuleUnknownUnit      = "unknown-unit"        // an id names no unit of the pool
	RuleQuote            = "quote"               // a quote does not occur in its unit's text
	RuleQuoteUnchecked   = "quote-unchecked"     // warning: its unit has no text here
	RuleUngrounded       = "ungrounded-group"    // warning: a group has no quote, role or rationale (section C.1)
	RuleBranchIncomplete = "branch-incomplete"   // an alternative made of the groups' units does not cover every group
	RuleBranchApart      = "branch-apart"        // warning: an alternative with units of no group, which may complete the state past its groups
	RuleBranchExcess     = "branch-excess"       // warning: an alternative is complete without one of its units
	RuleBranchTwice      = "branch-twice"        // warning: an alternative is listed twice
	RuleImpliedGroup     = "implied-group"       // warning: a group is covered whenever another one is
	RuleObservedRequired = "observed-required"   // an observed unit is acceptable or part of an alternative
	RuleObservedDiffers  = "observed-differs"    // the observed ids are not the state's
	RuleNotNeeded        = "retrieval-unneeded"  // warning: groups, and retrieval_needed is false
	RuleUndeclared       = "undeclared-property" // warning: a property that section C.1 requires is not declared
)

// CheckUnits reports every id of the certificate that names no unit, and every quote that does not occur in its unit's
// text once white space is normalised. The error joins all faults.
func (c *Certificate) CheckUnits(units []evidence.Unit) error {
	texts := make(map[string]string, len(units))
	for _, u := range units {
		texts[u.ID] = u.Text
	}
	var errs []error
	for _, f := range c.lintUnits(func(id string) (string, bool, bool) { text, ok := texts[id]; return text, true, ok }) {
		errs = append(errs, fmt.Errorf("certificate of %s: %s: %s", c.StateID, f.Place, f.Reason))
	}
	return errors.Join(errs...)
}

// Lint reports what the schema's reader can't see: whether ids are units of the pool, quotes occur in their texts,
// alternatives are whole solutions, groups add something to each other, and observed units are no part of a solution.
// unit gives a unit's text; there is false when the pool has no such unit, known when its text is not at hand.
// observed are the state's observed ids; nil when there is no record of them.
func (c *Certificate) Lint(unit func(id string) (text string, known, there bool), observed []string) []Finding {
	findings := c.lintUnits(unit)
	findings = append(findings, c.lintGroups()...)
	findings = append(findings, c.lintBranches()...)
	findings = append(findings, c.lintObserved(observed)...)
	if c.RetrievalNeeded != nil && !*c.RetrievalNeeded {
		findings = append(findings, Finding{RuleNotNeeded, true, "retrieval_needed", "it is false, and there are groups to retrieve"})
	}
	for _, p := range []struct {
		name     string
		declared bool
	}{{"retrieval_needed", c.RetrievalNeeded != nil}, {"label_scope", c.Scope != ""}, {"label_confidence", c.Confidence != nil}} {
		if !p.declared {
			findings = append(findings, Finding{RuleUndeclared, true, p.name, "it is not given"})
		}
	}
	return findings
}

func (c *Certificate) lintUnits(unit func(id string) (string, bool, bool)) (findings []Finding) {
	known := func(place, id string) bool {
		_, _, there := unit(id)
		if !there {
			findings = append(findings, Finding{RuleUnknownUnit, false, place, fmt.Sprintf("there is no unit %.120q", id)})
		}
		return there
	}
	normal := map[string]string{} // of the quoted units only
	for i, g := range c.Groups {
		place := groupPlace(i, &g)
		for j, id := range g.AcceptableIDs {
			known(fmt.Sprintf("%s.acceptable_ids[%d]", place, j), id)
		}
		for j, q := range g.Quotes {
			at := fmt.Sprintf("%s.quotes[%d]", place, j)
			if !known(at+".unit_id", q.UnitID) {
				continue
			}
			text, ok := normal[q.UnitID]
			if !ok {
				whole, known, _ := unit(q.UnitID)
				if !known {
					findings = append(findings, Finding{RuleQuoteUnchecked, true, at, fmt.Sprintf("unit %.120q has no text to look for the quote in", q.UnitID)})
					continue
				}
				text = normalised(whole)
				normal[q.UnitID] = text
			}
			if !strings.Contains(text, normalised(q.Text)) {
				findings = append(findings, Finding{RuleQuote, false, at, fmt.Sprintf("%.80q does not occur in unit %s", q.Text, q.UnitID)})
			}
		}
	}
	for i, branch := range c.AlternativeMinimalSets {
		for j, id := range branch {
			known(fmt.Sprintf("alternative_minimal_sets[%d][%d]", i, j), id)
		}
	}
	return findings
}

// lintGroups looks for groups that nothing grounds, and for groups that another one implies: removing such a group
// would not weaken the decision's support, so the certificate is not minimal (section 4.2).
func (c *Certificate) lintGroups() (findings []Finding) {
	sets := make([]map[string]bool, len(c.Groups))
	for i := range c.Groups {
		g := &c.Groups[i]
		sets[i] = setOf(g.AcceptableIDs)
		var lacks []string
		for _, p := range []struct {
			name string
			has  bool
		}{{"role", g.Role != ""}, {"rationale", g.Rationale != ""}, {"quote", len(g.Quotes) > 0}} {
			if !p.has {
				lacks = append(lacks, "no "+p.name)
			}
		}
		if len(lacks) > 0 {
			findings = append(findings, Finding{RuleUngrounded, true, groupPlace(i, g), strings.Join(lacks, ", ")})
		}
	}
	for i := range c.Groups {
		for j := range c.Groups {
			g, other := &c.Groups[i], &c.Groups[j]
			// Any other.Required() of other's ids hold at least that many less the ids that g does not accept.
			outside := 0
			for id := range sets[j] {
				if !sets[i][id] {
					outside++
				}
			}
			if i == j || other.Required()-outside < g.Required() {
				continue
			}
			if same := len(sets[i]) == len(sets[j]) && outside == 0 && g.Required() == other.Required(); same && i < j {
				continue // of two equal groups the second is reported
			}
			findings = append(findings, Finding{RuleImpliedGroup, true, groupPlace(i, g), fmt.Sprintf("it is covered whenever group %.60q is", other.ID)})
			break
		}
	}
	return findings
}

// lintBranches holds alternatives to section 3: inclusion-minimal sets, of acceptable units alone, that cover every group.
// One that has other units is a solution apart from the groups: the scorer takes it (equation 2), the paper's release has
// none. One of acceptable units alone that leaves a group open was meant to be complete, and is not. Either is scored as it
// stands.
func (c *Certificate) lintBranches() (findings []Finding) {
	groups := &Certificate{Groups: c.Groups}
	accepted := map[string]bool{}
	for _, g := range c.Groups {
		for _, id := range g.AcceptableIDs {
			accepted[id] = true
		}
	}
	first := map[string]int{}
	for i, branch := range c.AlternativeMinimalSets {
		place := fmt.Sprintf("alternative_minimal_sets[%d]", i)
		key := strings.Join(slices.Sorted(slices.Values(branch)), "\x00")
		if at, twice := first[key]; twice {
			findings = append(findings, Finding{RuleBranchTwice, true, place, fmt.Sprintf("it is alternative_minimal_sets[%d] again", at)})
			continue
		}
		first[key] = i
		if !groups.Complete(branch) {
			var open []string
			supplied := setOf(branch)
			for j := range c.Groups {
				if !c.Groups[j].covered(supplied) {
					open = append(open, c.Groups[j].ID)
				}
			}
			finding := Finding{RuleBranchIncomplete, false, place, fmt.Sprintf("it does not cover group %s", strings.Join(open, ", "))}
			if at := slices.IndexFunc(branch, func(id string) bool { return !accepted[id] }); at >= 0 {
				finding.Rule, finding.Warning = RuleBranchApart, true
				finding.Reason += fmt.Sprintf(", and no group accepts %.120q: it completes the state by itself", branch[at])
			}
			findings = append(findings, finding)
			continue
		}
		for j, id := range branch {
			if groups.Complete(slices.Delete(slices.Clone(branch), j, j+1)) {
				findings = append(findings, Finding{RuleBranchExcess, true, fmt.Sprintf("%s[%d]", place, j), fmt.Sprintf("the alternative is complete without %.120q", id)})
			}
		}
	}
	return findings
}

func (c *Certificate) lintObserved(observed []string) (findings []Finding) {
	seen := setOf(c.Observed)
	if observed != nil {
		theirs := setOf(observed)
		for i, id := range c.Observed {
			if !theirs[id] {
				findings = append(findings, Finding{RuleObservedDiffers, false, fmt.Sprintf("observed_evidence_ids[%d]", i),
					fmt.Sprintf("%.120q is not among the state's observed units", id)})
			}
		}
		if c.Observed != nil {
			for _, id := range observed {
				if !seen[id] {
					findings = append(findings, Finding{RuleObservedDiffers, false, "observed_evidence_ids", fmt.Sprintf("the state's observed unit %.120q is not listed", id)})
				}
			}
		}
		for id := range theirs {
			seen[id] = true
		}
	}
	required := func(place string, ids []string) {
		for j, id := range ids {
			if seen[id] {
				findings = append(findings, Finding{RuleObservedRequired, false, fmt.Sprintf("%s[%d]", place, j), fmt.Sprintf("%.120q was observed already", id)})
			}
		}
	}
	for i := range c.Groups {
		required(groupPlace(i, &c.Groups[i])+".acceptable_ids", c.Groups[i].AcceptableIDs)
	}
	for i, branch := range c.AlternativeMinimalSets {
		required(fmt.Sprintf("alternative_minimal_sets[%d]", i), branch)
	}
	return findings
}

func groupPlace(i int, g *Group) string { return fmt.Sprintf("groups[%d] (%s)", i, g.ID) }

// normalised joins the words of s by single spaces.
func normalised(s string) string { return strings.Join(strings.Fields(s), " ") }
