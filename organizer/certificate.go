package organizer

import "slices"

// CertificateSchema is the wire form's name (section C.1).
const CertificateSchema = "serbench-mss-v1"

// Certificate says in groups what the decision of one state still lacks (sections 3 and C.1). All groups are required
// together; within a group units stand in for each other.
type Certificate struct {
	Schema  string  `json:"schema"` // CertificateSchema
	StateID string  `json:"state_id"`
	Groups  []Group `json:"groups"`
	// AlternativeMinimalSets are complete solutions: each is an AND over its unit ids, and any whole one suffices.
	AlternativeMinimalSets [][]string `json:"alternative_minimal_sets,omitempty"`
	// Observed are the units that the state had read already, as the annotators recorded them. They are part of no
	// solution.
	Observed []string `json:"observed_evidence_ids,omitempty"`

	// What released certificates also say (section C.1); nil or empty when the file did not.
	RetrievalNeeded *bool    `json:"retrieval_needed,omitempty"`
	Scope           string   `json:"label_scope,omitempty"`
	Confidence      *float64 `json:"label_confidence,omitempty"` // 0 to 1
}

// Group is one required fact: at least MinimumRequired of AcceptableIDs must be supplied.
type Group struct {
	ID            string   `json:"id"`
	AcceptableIDs []string `json:"acceptable_ids"`
	// MinimumRequired is from 1 to the number of acceptable ids; zero means 1.
	MinimumRequired int     `json:"minimum_required,omitempty"`
	NecessityWeight float64 `json:"necessity_weight"` // positive; only the order and the proportions matter
	Role            string  `json:"role,omitempty"`
	Rationale       string  `json:"rationale,omitempty"`
	Quotes          []Quote `json:"quotes,omitempty"`
}

// Quote grounds a group in the source: Text occurs in the text of unit UnitID, whatever the white space.
type Quote struct {
	UnitID string `json:"unit_id"`
	Text   string `json:"text"`
}

// Required is the number of acceptable units that the group needs: at least 1.
func (g *Group) Required() int { return max(1, g.MinimumRequired) }

// covered is c_j of equation 1: whether supplied holds enough of the group's acceptable ids. A unit counts once
// however often its id is listed.
func (g *Group) covered(supplied map[string]bool) bool {
	n := 0
	for i, id := range g.AcceptableIDs {
		if supplied[id] && !slices.Contains(g.AcceptableIDs[:i], id) {
			n++
		}
	}
	return n >= g.Required()
}

// Complete is C_t of equation 2 over the supplied unit ids: every group is covered, or every unit of some one
// alternative branch was supplied. A nil certificate, or one without groups, is never complete.
func (c *Certificate) Complete(ids []string) bool {
	if c == nil || len(c.Groups) == 0 {
		return false
	}
	supplied := setOf(ids)
	all := true
	for i := range c.Groups {
		all = all && c.Groups[i].covered(supplied)
	}
	return all || slices.ContainsFunc(c.AlternativeMinimalSets, func(branch []string) bool { return within(branch, supplied) })
}

// GroupRecall is the share of groups covered by the supplied unit ids, 0 to 1 (equation 3). A unit that several
// groups accept counts for each of them. It is zero for a nil certificate.
func (c *Certificate) GroupRecall(ids []string) float64 {
	if c == nil || len(c.Groups) == 0 {
		return 0
	}
	supplied, n := setOf(ids), 0
	for i := range c.Groups {
		if c.Groups[i].covered(supplied) {
			n++
		}
	}
	return float64(n) / float64(len(c.Groups))
}

// within reports whether a branch is whole inside supplied. An empty branch is no solution.
func within(branch []string, supplied map[string]bool) bool {
	for _, id := range branch {
		if !supplied[id] {
			return false
		}
	}
	return len(branch) > 0
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
