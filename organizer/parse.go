package organizer

import (
	"errors"
	"strings"
)

// Bounds of a certificate's file. They are far above what annotation yields and keep the search for covers small.
const (
	MaxCertificate = 1 << 20 // bytes
	MaxGroups      = 64
	MaxBranches    = 4096
	MaxUnitIDs     = 256 // in one group or branch

	maxWeight = 1e12 // only proportions matter, and sums have to stay finite
)

// ParseCertificate reads one certificate of the form CertificateSchema. It is strict: unknown, repeated and missing
// fields are faults, groups and branches hold at least one id and no id twice, weights are positive and finite, and
// minimum_required is from 1 to the number of acceptable ids (absent or 0 stands for 1, and is returned as 1). The
// error joins every fault, each a *Fault with name, line, column and the field's path.
//
// The schema has two spellings: the short one of the Certificate type's own tags, and the one in which SERBench
// releases its labels (schema_version, required_evidence_groups, group_id, acceptable_evidence_ids). A document is held
// to one of them, the released one if it has schema_version. Fields of provenance are read in both.
func ParseCertificate(name string, data []byte) (*Certificate, error) {
	return ParseCertificateRow(name, 1, data)
}

// ParseCertificateRow is ParseCertificate for one row of a JSONL file; row is its line, from 1.
func ParseCertificateRow(name string, row int, data []byte) (*Certificate, error) {
	r := &reading{name: name, row: row, data: data}
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
	spelling := &short
	if r.has(root, released.schema) {
		spelling = &released
	}
	fields := map[string]func(value){
		spelling.schema: func(v value) {
			c.Schema = r.text(v)
			if c.Schema != CertificateSchema {
				r.fault(v, "%.60q is not the schema %q", c.Schema, CertificateSchema)
			}
		},
		"state_id":      func(v value) { c.StateID = r.id(v) },
		spelling.groups: func(v value) { c.Groups = r.groups(v, spelling) },
		"alternative_minimal_sets": func(v value) {
			r.list(v, func(v value) {
				c.AlternativeMinimalSets = append(c.AlternativeMinimalSets, r.ids(v))
			})
			if n := len(c.AlternativeMinimalSets); n > MaxBranches {
				r.fault(v, "%d branches are too many; at most %d are read", n, MaxBranches)
			}
		},
		"observed_evidence_ids": func(v value) { c.Observed = r.idsOrNone(v) },
	}
	order := []string{spelling.schema, "state_id", spelling.groups, "alternative_minimal_sets", "observed_evidence_ids"}
	for _, f := range provenance {
		fields[f.name] = func(v value) { f.read(r, v, c) }
		order = append(order, f.name)
	}
	seen := r.object(root, fields, order...)
	r.missing(root, seen, spelling.schema, "state_id", spelling.groups)
}

// groups reads the list of groups, whose ids differ.
func (r *reading) groups(v value, s *spelling) (groups []Group) {
	at := map[string]string{}
	r.list(v, func(v value) {
		g := r.group(v, s)
		if first := at[g.ID]; g.ID != "" && first != "" {
			r.fault(v, "the group id %.60q is %s's too", g.ID, first)
		} else {
			at[g.ID] = v.place
		}
		groups = append(groups, g)
	})
	r.count(v, len(groups), MaxGroups, "group")
	return groups
}

func (r *reading) group(root value, s *spelling) Group {
	g := Group{}
	var ids, minimum value
	fields := map[string]func(value){
		s.group:      func(v value) { g.ID = r.id(v) },
		s.acceptable: func(v value) { ids, g.AcceptableIDs = v, r.ids(v) },
		"minimum_required": func(v value) {
			minimum, g.MinimumRequired = v, r.whole(v)
		},
		"necessity_weight": func(v value) {
			n, ok := r.number(v)
			switch {
			case ok && n <= 0:
				r.fault(v, "expected a positive weight, found %v", n)
			case n > maxWeight:
				r.fault(v, "expected a weight of at most %g, found %g", maxWeight, n)
			}
			g.NecessityWeight = n
		},
		"role":      func(v value) { g.Role = r.text(v) },
		"rationale": func(v value) { g.Rationale = r.text(v) },
		"quotes":    func(v value) { r.list(v, func(v value) { g.Quotes = append(g.Quotes, r.quote(v, s)) }) },
	}
	seen := r.object(root, fields, s.group, s.acceptable, "minimum_required", "necessity_weight", "role", "rationale", "quotes")
	r.missing(root, seen, s.group, s.acceptable, "necessity_weight")
	if n := g.MinimumRequired; n < 0 {
		r.fault(minimum, "expected at least 1, found %d", n)
	} else if n > len(g.AcceptableIDs) && ids.raw != nil {
		r.fault(minimum, "%d are required of %d acceptable ids", n, len(g.AcceptableIDs))
	}
	g.MinimumRequired = max(1, g.MinimumRequired)
	return g
}

func (r *reading) quote(root value, s *spelling) (q Quote) {
	fields := map[string]func(value){
		s.unit: func(v value) { q.UnitID = r.id(v) },
		"text": func(v value) {
			if q.Text = r.text(v); v.raw[0] == '"' && strings.TrimSpace(q.Text) == "" {
				r.fault(v, "expected the quoted words, found none")
			}
		},
	}
	r.missing(root, r.object(root, fields, s.unit, "text"), s.unit, "text")
	return q
}

// ids reads a list of at least one unit id, none twice.
func (r *reading) ids(v value) []string {
	ids := r.idsOrNone(v)
	r.count(v, len(ids), MaxUnitIDs, "unit id")
	return ids
}

// idsOrNone reads a list of unit ids, none twice.
func (r *reading) idsOrNone(v value) (ids []string) {
	seen := map[string]bool{}
	r.list(v, func(v value) {
		id := r.id(v)
		if id != "" && seen[id] {
			r.fault(v, "the unit id %.120q is listed twice", id)
		}
		seen[id] = true
		ids = append(ids, id)
	})
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
