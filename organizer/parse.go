package organizer

import (
	"errors"
	"fmt"
	"strings"

	"evlab/evidence"
)

// Bounds of a certificate's file. They are far above what annotation yields and keep the search for covers small.
const (
	MaxCertificate = 1 << 20 // bytes
	MaxGroups      = 64
	MaxBranches    = 4096
	MaxUnitIDs     = 256 // in one group or branch
)

// ParseCertificate reads one certificate of the form CertificateSchema. It is strict: unknown, repeated and missing
// fields are faults, groups and branches hold at least one id and no id twice, weights are positive and finite, and
// minimum_required is from 1 to the number of acceptable ids (absent or 0 stands for 1, and is returned as 1). The
// error joins every fault, each with name, line, column and the field's path.
func ParseCertificate(name string, data []byte) (*Certificate, error) {
	r := &reading{name: name, data: data}
	c := &Certificate{}
	if root, ok := r.document(MaxCertificate); ok {
		r.certificate(root, c)
	}
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	return c, nil
}

func (r *reading) certificate(root value, c *Certificate) {
	groups := 0
	seen := r.object(root, map[string]func(value){
		"schema": func(v value) {
			if c.Schema = r.text(v); c.Schema != CertificateSchema {
				r.fault(v, "%.60q is not the schema %q", c.Schema, CertificateSchema)
			}
		},
		"state_id": func(v value) { c.StateID = r.id(v) },
		"groups": func(v value) {
			at := map[string]string{}
			r.list(v, func(v value) {
				groups++
				g := r.group(v)
				if first := at[g.ID]; g.ID != "" && first != "" {
					r.fault(v, "the group id %.60q is %s's too", g.ID, first)
				} else {
					at[g.ID] = v.place
				}
				c.Groups = append(c.Groups, g)
			})
			r.count(v, groups, MaxGroups, "group")
		},
		"alternative_minimal_sets": func(v value) {
			r.list(v, func(v value) {
				c.AlternativeMinimalSets = append(c.AlternativeMinimalSets, r.ids(v))
			})
			if n := len(c.AlternativeMinimalSets); n > MaxBranches {
				r.fault(v, "%d branches are too many; at most %d are read", n, MaxBranches)
			}
		},
	}, "schema", "state_id", "groups", "alternative_minimal_sets")
	r.missing(root, seen, "schema", "state_id", "groups")
}

func (r *reading) group(root value) Group {
	g := Group{}
	var ids, minimum value
	seen := r.object(root, map[string]func(value){
		"id":             func(v value) { g.ID = r.id(v) },
		"acceptable_ids": func(v value) { ids, g.AcceptableIDs = v, r.ids(v) },
		"minimum_required": func(v value) {
			minimum, g.MinimumRequired = v, r.whole(v)
		},
		"necessity_weight": func(v value) {
			n, ok := r.number(v)
			if ok && n <= 0 {
				r.fault(v, "expected a positive weight, found %v", n)
			}
			g.NecessityWeight = n
		},
		"role":      func(v value) { g.Role = r.text(v) },
		"rationale": func(v value) { g.Rationale = r.text(v) },
		"quotes":    func(v value) { r.list(v, func(v value) { g.Quotes = append(g.Quotes, r.quote(v)) }) },
	}, "id", "acceptable_ids", "minimum_required", "necessity_weight", "role", "rationale", "quotes")
	r.missing(root, seen, "id", "acceptable_ids", "necessity_weight")
	if n := g.MinimumRequired; n < 0 {
		r.fault(minimum, "expected at least 1, found %d", n)
	} else if n > len(g.AcceptableIDs) && ids.raw != nil {
		r.fault(minimum, "%d are required of %d acceptable ids", n, len(g.AcceptableIDs))
	}
	g.MinimumRequired = max(1, g.MinimumRequired)
	return g
}

func (r *reading) quote(root value) (q Quote) {
	seen := r.object(root, map[string]func(value){
		"unit_id": func(v value) { q.UnitID = r.id(v) },
		"text": func(v value) {
			if q.Text = r.text(v); v.raw[0] == '"' && strings.TrimSpace(q.Text) == "" {
				r.fault(v, "expected the quoted words, found none")
			}
		},
	}, "unit_id", "text")
	r.missing(root, seen, "unit_id", "text")
	return q
}

// ids reads a list of at least one unit id, none twice.
func (r *reading) ids(v value) (ids []string) {
	seen := map[string]bool{}
	n := 0
	r.list(v, func(v value) {
		n++
		id := r.id(v)
		if id != "" && seen[id] {
			r.fault(v, "the unit id %.120q is listed twice", id)
		}
		seen[id] = true
		ids = append(ids, id)
	})
	r.count(v, n, MaxUnitIDs, "unit id")
	return ids
}

// count checks the length of a list that must have some elements.
func (r *reading) count(v value, n, most int, noun string) {
	switch {
	case v.raw[0] != '[': // already a fault
	case n == 0:
		r.fault(v, "expected at least one %s", noun)
	case n > most:
		r.fault(v, "it lists %d; at most %d %ss are read", n, most, noun)
	}
}

func (r *reading) missing(v value, seen map[string]bool, required ...string) {
	if v.raw[0] != '{' {
		return // already a fault
	}
	for _, key := range required {
		if !seen[key] {
			r.fault(v, "the field %s is missing", key)
		}
	}
}

// CheckUnits reports every id of the certificate that names no unit, and every quote that does not occur in its unit's
// text once white space is normalised. The error joins all faults.
func (c *Certificate) CheckUnits(units []evidence.Unit) error {
	texts := make(map[string]string, len(units))
	for _, u := range units {
		texts[u.ID] = u.Text
	}
	var errs []error
	known := func(place, id string) bool {
		_, ok := texts[id]
		if !ok {
			errs = append(errs, fmt.Errorf("certificate of %s: %s: there is no unit %.120q", c.StateID, place, id))
		}
		return ok
	}
	normal := map[string]string{} // of the quoted units only
	for i, g := range c.Groups {
		place := fmt.Sprintf("groups[%d] (%s)", i, g.ID)
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
				text = normalised(texts[q.UnitID])
				normal[q.UnitID] = text
			}
			if !strings.Contains(text, normalised(q.Text)) {
				errs = append(errs, fmt.Errorf("certificate of %s: %s: %.80q does not occur in unit %s", c.StateID, at, q.Text, q.UnitID))
			}
		}
	}
	for i, branch := range c.AlternativeMinimalSets {
		for j, id := range branch {
			known(fmt.Sprintf("alternative_minimal_sets[%d][%d]", i, j), id)
		}
	}
	return errors.Join(errs...)
}

// normalised joins the words of s by single spaces.
func normalised(s string) string { return strings.Join(strings.Fields(s), " ") }
