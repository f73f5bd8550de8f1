package organizer

import "encoding/json"

// spelling is the names that a document gives to the parts of a certificate.
type spelling struct {
	schema, groups    string // of the document
	group, acceptable string // of a group
	unit              string // of a quote
}

var (
	short    = spelling{schema: "schema", groups: "groups", group: "id", acceptable: "acceptable_ids", unit: "unit_id"}
	released = spelling{schema: "schema_version", groups: "required_evidence_groups", group: "group_id",
		acceptable: "acceptable_evidence_ids", unit: "evidence_id"}
)

// provenance lists the further fields of a certificate (section C.1): what they must be, and where they go.
// None of them changes a score.
var provenance = []struct {
	name string
	read func(*reading, value, *Certificate)
}{
	{"retrieval_needed", func(r *reading, v value, c *Certificate) { needed := r.truth(v); c.RetrievalNeeded = &needed }},
	{"label_scope", func(r *reading, v value, c *Certificate) { c.Scope = r.id(v) }},
	{"label_confidence", func(r *reading, v value, c *Certificate) {
		n, ok := r.number(v)
		if ok && (n < 0 || n > 1) {
			r.fault(v, "expected a confidence from 0 to 1, found %v", n)
		}
		c.Confidence = &n
	}},
	{"optional_evidence_ids", func(r *reading, v value, _ *Certificate) { r.idsOrNone(v) }},
	{"item_id", func(r *reading, v value, _ *Certificate) { r.id(v) }},
	{"mss_id", func(r *reading, v value, _ *Certificate) { r.id(v) }},
	{"human_audit_status", func(r *reading, v value, _ *Certificate) { r.text(v) }},
	{"label_sources", func(r *reading, v value, _ *Certificate) { r.list(v, func(v value) { r.text(v) }) }},
	{"source_first_repair_history", func(r *reading, v value, _ *Certificate) { r.list(v, func(value) {}) }},
	{"metadata", anyObject},
	{"necessity_certificate", anyObject},
	{"sufficiency_certificate", anyObject},
}

// anyObject takes an object of whatever fields: notes of the annotation's tools.
func anyObject(r *reading, v value, _ *Certificate) {
	if v.raw[0] != '{' {
		r.fault(v, "expected an object, found %s", shown(v.raw))
	}
}

// has reports whether v is an object with the field.
func (r *reading) has(v value, field string) bool {
	var o map[string]json.RawMessage
	if json.Unmarshal(v.raw, &o) != nil {
		return false
	}
	_, there := o[field]
	return there
}
