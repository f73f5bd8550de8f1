package statefile

import (
	"errors"
	"fmt"
	"strings"

	"evlab/tabular"
)

// maxTokens bounds a unit's token count; sums over whole pools stay far from overflowing.
const maxTokens = 1 << 40

// candidate is one element of a pool, in both spellings.
type candidate struct {
	ID           *string `json:"id"`
	EvidenceID   *string `json:"evidence_id"`
	Tokens       *int    `json:"tokens"`
	TokenCount   *int    `json:"token_count"`
	Text         *string `json:"text"`
	Excerpt      *string `json:"content_excerpt"`
	Observed     *bool   `json:"observed"`
	ObservedFlag *bool   `json:"observed_by_state"`
}

// merge takes the value that was given under either name.
func merge[T any](a, b *T, names string) (*T, error) {
	if a != nil && b != nil {
		return nil, fmt.Errorf("%s are both given, for the same thing", names)
	}
	if a == nil {
		a = b
	}
	return a, nil
}

// unit is a candidate that was checked.
type unit struct {
	id       string
	tokens   *int
	text     *string
	observed *bool
}

func (c candidate) unit() (u unit, err error) {
	id, err1 := merge(c.ID, c.EvidenceID, "id and evidence_id")
	var err2, err3, err4 error
	u.tokens, err2 = merge(c.Tokens, c.TokenCount, "tokens and token_count")
	u.text, err3 = merge(c.Text, c.Excerpt, "text and content_excerpt")
	u.observed, err4 = merge(c.Observed, c.ObservedFlag, "observed and observed_by_state")
	err = errors.Join(err1, err2, err3, err4)
	switch {
	case id == nil || strings.TrimSpace(*id) == "":
		err = errors.Join(err, errors.New("it has no id: expected id or evidence_id"))
	case u.tokens != nil && *u.tokens < 0:
		err = errors.Join(err, fmt.Errorf("expected a token count of at least 0, found %d", *u.tokens))
	}
	if id != nil {
		u.id = *id
	}
	return u, err
}

// kindOf names a field's type in words.
func kindOf(kind string) string {
	switch kind {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	}
	return "a whole number"
}

var unitField = field{"id", "evidence_id"}

// readUnits reads the units that states name by id.
func readUnits(file string, faults *tabular.Faults) (map[string]unit, error) {
	t, closeFile, err := open(file, faults)
	if err != nil {
		return nil, err
	}
	defer closeFile() // read only: a failing close loses nothing
	units := map[string]unit{}
	first := map[string]string{}
	for row := range t.RowsWith(tabular.Field(unitField)) {
		u, err := unitRow(row)
		if err == nil && first[u.id] != "" {
			err = fmt.Errorf("unit %.120q is given at %s already", u.id, first[u.id])
		}
		if err != nil {
			faults.Add(row.Fault("", err))
			continue
		}
		units[u.id], first[u.id] = u, row.Place()
	}
	return units, t.Err()
}

// unitRow reads a unit from a table's row.
func unitRow(row *tabular.Row) (unit, error) {
	var c candidate
	var errs []error
	id, _, err := unitField.text(row)
	errs = append(errs, err)
	c.ID = &id
	if v, name, err := (tabular.Field{"tokens", "token_count"}).In(row); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", name, err))
	} else if !v.Missing() {
		n, err := v.Int()
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		case n > maxTokens:
			errs, n = append(errs, fmt.Errorf("%s: expected at most %d, found %d", name, maxTokens, n)), 0
		}
		c.Tokens = new(int(n))
	}
	if v, name, err := (tabular.Field{"text", "content_excerpt"}).In(row); err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", name, err))
	} else if v.Kind() > tabular.Null {
		text, err := v.Text()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		c.Text = &text
	}
	if err := errors.Join(errs...); err != nil {
		return unit{}, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return c.unit()
}
