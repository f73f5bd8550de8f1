package statefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evlab/evidence"
	"evlab/experiments"
	"evlab/scores"
	"evlab/tabular"
)

// Fields of a row of states.
var (
	stateField       = field{"state_id"}
	instanceField    = field{"instance_id", "task"}
	repositoryField  = field{"repository", "repo"}
	languageField    = field{"language"}
	boundaryField    = field{"boundary", "state_type"}
	observedField    = field{"observed", "observed_evidence_ids"}
	candidatesField  = field{"candidates", "candidate_evidence"}
	certificateField = field{"certificate"}
)

// Row is one state as its row has it.
type Row struct {
	scores.State
	At tabular.Fault // file and row, without a reason
	// Texts are the candidates' texts, by their place in the pool; nil elements where the file has none.
	Texts []*string
	// Flags are the candidates' own words on whether they were observed; nil elements where the file has none.
	Flags []*bool
}

// stateReader reads states one by one.
type stateReader struct {
	files  Files
	faults *tabular.Faults
	units  map[string]unit
	certs  *certificates // nil when the states carry theirs
	counts tokenCounts
	// seen are the states met, also those whose rows have faults: predictions for them are not of unknown states.
	seen map[string]string
}

// tokenCounts says where token counts came from.
type tokenCounts struct {
	given, counted int
	example        [2]string // a unit of each kind
}

// each calls do for every state that was read whole.
func (r *stateReader) each(do func(*Row)) error {
	t, closeFile, err := open(r.files.States, r.faults)
	if err != nil {
		return err
	}
	defer closeFile() // read only: a failing close loses nothing
	for row := range t.RowsWith(tabular.Field(stateField), tabular.Field(candidatesField)) {
		before := r.faults.Len()
		s := r.row(row)
		if r.faults.Len() == before && s.Certificate != nil { // one without has its fault elsewhere
			do(s)
		}
	}
	if err := t.Err(); err != nil {
		return err
	}
	if r.certs == nil {
		return nil
	}
	for _, id := range r.certs.order {
		if _, known := r.seen[id]; !known {
			fault := r.certs.byState[id].At
			fault.Column, fault.Reason = "state_id", fmt.Sprintf("there is no state %.120q in %s", id, r.files.States)
			r.faults.Add(&fault)
		}
	}
	return nil
}

// row reads one state with all that is wrong with it.
func (r *stateReader) row(row *tabular.Row) *Row {
	s := &Row{At: tabular.Fault{File: r.files.States, Line: row.Line, Row: row.Number}}
	note := func(name string, err error) {
		if err != nil {
			r.faults.Add(row.Fault(name, err))
		}
	}
	var name string
	var err error
	if s.ID, name, err = stateField.text(row); err != nil {
		note(name, err)
	} else if first, twice := r.seen[s.ID]; twice {
		note(name, fmt.Errorf("state %.120q is given at %s already", s.ID, first))
	} else {
		r.seen[s.ID] = row.Place()
	}
	for _, l := range []struct {
		to *string
		f  field
	}{{&s.Instance, instanceField}, {&s.Repository, repositoryField}, {&s.Language, languageField}, {&s.Boundary, boundaryField}} {
		*l.to, name, err = l.f.label(row)
		note(name, err)
	}
	if s.Boundary != "" && !slices.Contains(evidence.Boundaries, s.Boundary) {
		note(boundaryField[0], fmt.Errorf("%.60q is not one of %s%s", s.Boundary, strings.Join(evidence.Boundaries, ", "),
			experiments.Suggest(s.Boundary, evidence.Boundaries)))
	}
	if v, name, err := tabular.Field(observedField).In(row); err != nil {
		note(name, err)
	} else if v.Kind() > tabular.Null {
		s.Observed = []string{} // it is recorded, and may be none
		literal, name, err := observedField.list(row)
		note(name, err)
		if err == nil {
			for id := range texts(literal, func(_ int, err error) { note(name, err) }) {
				s.Observed = append(s.Observed, strings.Clone(id))
			}
		}
	}
	r.pool(row, s, note)
	r.certify(row, s, note)
	return s
}

// pool reads the candidates: objects, or the ids of units.
func (r *stateReader) pool(row *tabular.Row, s *Row, note func(string, error)) {
	literal, name, err := candidatesField.list(row)
	if err != nil {
		note(name, err)
		return
	}
	var elements []json.RawMessage
	if err := json.Unmarshal([]byte(literal), &elements); err != nil {
		note(name, err)
		return
	}
	first := make(map[string]int, len(elements))
	for i, raw := range elements {
		u, err := r.candidate(raw)
		if err != nil {
			note(name, fmt.Errorf("item %d: %w", i+1, err))
			continue
		}
		if at, twice := first[u.id]; twice {
			note(name, fmt.Errorf("item %d: unit %.120q is item %d already", i+1, u.id, at))
			continue
		}
		first[u.id] = i + 1
		s.Pool = append(s.Pool, scores.Unit{ID: u.id, Tokens: r.tokens(u)})
		s.Texts = append(s.Texts, u.text)
		s.Flags = append(s.Flags, u.observed)
	}
}

func (r *stateReader) candidate(raw json.RawMessage) (unit, error) {
	var c candidate
	switch raw[0] {
	case '"':
		var id string
		if err := json.Unmarshal(raw, &id); err != nil {
			return unit{}, err
		}
		u, known := r.units[id]
		switch {
		case known:
			return u, nil
		case r.units != nil:
			return unit{}, fmt.Errorf("there is no unit %.120q in %s", id, r.files.Units)
		}
		c.ID = &id
	case '{':
		if err := json.Unmarshal(raw, &c); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				return unit{}, fmt.Errorf("field %s: expected %s, found a %s", wrong.Field, kindOf(wrong.Type.Kind().String()), wrong.Value)
			}
			return unit{}, err
		}
	default:
		return unit{}, fmt.Errorf("expected a unit or the id of one, found %s", brief(string(raw)))
	}
	return c.unit()
}

// tokens is a unit's token count: as given, else counted from its text.
func (r *stateReader) tokens(u unit) int {
	switch {
	case u.tokens != nil:
		r.counts.given++
		r.counts.example[0] = u.id
		return *u.tokens
	case u.text != nil:
		r.counts.counted++
		r.counts.example[1] = u.id
		return evidence.Tokens(*u.text)
	}
	return scores.Unknown
}

// certify gives the state its certificate: the one in its row, or the one of the certificates' file.
func (r *stateReader) certify(row *tabular.Row, s *Row, note func(string, error)) {
	v, name, err := tabular.Field(certificateField).In(row)
	note(name, err)
	own := v.Kind() > tabular.Null
	var other *Certified
	refused := false
	if r.certs != nil {
		other = r.certs.byState[s.ID]
		refused = r.certs.refused[s.ID] || r.certs.refused[""]
	}
	switch {
	case own && r.certs != nil:
		note(name, fmt.Errorf("the state has a certificate here, and %s is to have it", r.files.Certificates))
	case own && v.Kind() != tabular.Nested:
		note(name, fmt.Errorf("expected an object, found %s", v))
	case own:
		c := certificate(r.files.States, row, v.Literal(), r.faults)
		if c == nil {
			return
		}
		if c.StateID != s.ID {
			note(name, fmt.Errorf("it is the certificate of state %.120q", c.StateID))
		}
		s.Certificate = c.Certificate
	case other != nil:
		s.Certificate = other.Certificate
	case s.ID != "" && !refused:
		note("", fmt.Errorf("state %.120q has no certificate%s", s.ID, r.whereCertificates()))
	}
	if s.Certificate != nil && s.Observed == nil {
		s.Observed = s.Certificate.Observed
	}
}

func (r *stateReader) whereCertificates() string {
	if r.files.Certificates == "" {
		return "; --certificates names the file that has them"
	}
	return " in " + r.files.Certificates
}
