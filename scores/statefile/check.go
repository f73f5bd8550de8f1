package statefile

import (
	"context"
	"fmt"

	"evlab/organizer"
	"evlab/tabular"
)

// RuleOverlapFlag is the linter's rule on a candidate's own word whether it was observed: it has to agree with an exact
// join of ids (section D.4).
const RuleOverlapFlag = "overlap-flag"

// Finding is one thing that the linter has to say, with the place of the state or certificate.
type Finding struct {
	File  string `json:"file"`
	Line  int    `json:"line,omitempty"`
	Row   int    `json:"row,omitempty"`
	State string `json:"state_id"`
	organizer.Finding
}

// Checked is what a cohort's check found, and the account of its certificates (tables 6 and 8).
type Checked struct {
	Findings []Finding
	States   int
	Groups   int
	BySize   map[int]int // number of groups -> states
	Branched int         // states with alternatives
	Several  int         // states with more than one
	Branches int
	Overlap  int // states with an observed unit in the pool
	Flagged  int // candidates that say that they were observed
}

// Check reads a cohort and lints its certificates against its pools. Faults of rows, breaches of the schema among them,
// go to faults.
func Check(ctx context.Context, files Files, faults *tabular.Faults) (*Checked, error) {
	c := &Checked{BySize: map[int]int{}}
	r, err := readStates(ctx, files, faults, func(row *Row) { c.state(row) })
	if err != nil {
		return nil, err
	}
	if len(r.seen) == 0 && faults.Len() == 0 {
		faults.Addf(files.Name(), "it has no states")
	}
	if r.certs != nil { // findings on a certificate stand at its own row
		for i, f := range c.Findings {
			if own := r.certs.byState[f.State]; own != nil && f.Rule != RuleOverlapFlag {
				c.Findings[i].File, c.Findings[i].Line, c.Findings[i].Row = own.At.File, own.At.Line, own.At.Row
			}
		}
	}
	return c, nil
}

// Count is the number of findings that are errors, and of those that are warnings.
func (c *Checked) Count() (broken, warnings int) {
	for _, f := range c.Findings {
		if f.Warning {
			warnings++
		} else {
			broken++
		}
	}
	return broken, warnings
}

func (c *Checked) state(row *Row) {
	note := func(f organizer.Finding) {
		c.Findings = append(c.Findings, Finding{File: row.At.File, Line: row.At.Line, Row: row.At.Row, State: row.ID, Finding: f})
	}
	c.States++
	if row.Certificate == nil {
		return
	}
	groups, branches := len(row.Certificate.Groups), len(row.Certificate.AlternativeMinimalSets)
	c.Groups += groups
	c.BySize[groups]++
	c.Branches += branches
	if branches > 0 {
		c.Branched++
	}
	if branches > 1 {
		c.Several++
	}
	observed := make(map[string]bool, len(row.Observed))
	for _, id := range row.Observed {
		observed[id] = true
	}
	place := make(map[string]int, len(row.Pool))
	overlap := false
	for i, u := range row.Pool {
		place[u.ID] = i
		observed := observed[u.ID]
		overlap = overlap || observed
		flag := row.Flags[i]
		if flag == nil {
			continue
		}
		if *flag {
			c.Flagged++
		}
		if *flag != observed {
			reason := fmt.Sprintf("unit %.120q says that it was not observed, and it is among the observed ids", u.ID)
			if *flag {
				reason = fmt.Sprintf("unit %.120q says that it was observed, and it is not among the observed ids", u.ID)
			}
			note(organizer.Finding{Rule: RuleOverlapFlag, Place: fmt.Sprintf("candidates[%d]", i), Reason: reason})
		}
	}
	if overlap {
		c.Overlap++
	}
	text := func(id string) (string, bool, bool) {
		i, there := place[id]
		if !there || row.Texts[i] == nil {
			return "", false, there
		}
		return *row.Texts[i], true, true
	}
	for _, f := range row.Certificate.Lint(text, row.Observed) {
		note(f)
	}
}
