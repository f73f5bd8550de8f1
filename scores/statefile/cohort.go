package statefile

import (
	"context"
	"errors"
	"fmt"

	"evlab/evidence"
	"evlab/scores"
	"evlab/tabular"
)

// Cohort is a recovery cohort that was read for scoring.
type Cohort struct {
	*scores.Cohort // nil when no state could be read
	Files          Files
	// TokenSource says what token counts are: "given" by the files, or the name of the counter that was run over the
	// texts. Empty when there are none.
	TokenSource string
	seen        map[string]string // every state met, whether it could be read or not
}

// TokensGiven is the TokenSource of counts that the files give.
const TokensGiven = "given"

// Read reads a cohort for scoring. Faults of rows go to faults; the error is for what makes a file unreadable. When there
// are faults, the cohort holds the states that have none, so that predictions can be checked all the same.
func Read(ctx context.Context, files Files, faults *tabular.Faults) (*Cohort, error) {
	var states []scores.State
	r, err := readStates(ctx, files, faults, func(row *Row) { states = append(states, row.State) })
	if err != nil {
		return nil, err
	}
	c := &Cohort{Files: files, seen: r.seen}
	if len(states) == 0 {
		if faults.Len() == 0 {
			faults.Addf(files.Name(), "it has no states")
		}
		return c, nil
	}
	if c.Cohort, err = scores.NewCohort(states); err != nil {
		faults.Addf(files.Name(), "%w", err)
		return c, nil
	}
	switch n := r.counts; {
	case n.given > 0 && n.counted > 0:
		c.WithoutTokens(fmt.Errorf("unit %.120q has a token count of its own and unit %.120q only a text: the two are not the same measure; give all units counts, or none",
			n.example[0], n.example[1]))
	case n.given > 0:
		c.TokenSource = TokensGiven
	case n.counted > 0:
		c.TokenSource = evidence.TokenizerVersion
	}
	return c, nil
}

// readStates reads a cohort state by state, so that texts need not be held. Rows with faults are left out.
func readStates(ctx context.Context, files Files, faults *tabular.Faults, do func(*Row)) (*stateReader, error) {
	r := &stateReader{files: files, faults: faults, seen: map[string]string{}}
	if files.Folder != "" {
		return r, r.eachTask(ctx, do)
	}
	var err error
	if files.Certificates != "" {
		if r.certs, err = readCertificates(files.Certificates, faults); err != nil {
			return nil, err
		}
	}
	if files.Units != "" {
		if r.units, err = readUnits(files.Units, faults); err != nil {
			return nil, err
		}
	}
	return r, errors.Join(r.each(do))
}
