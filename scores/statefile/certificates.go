package statefile

import (
	"errors"
	"fmt"

	"evlab/experiments"
	"evlab/organizer"
	"evlab/tabular"
)

// Certified is a certificate with the place of its row.
type Certified struct {
	*organizer.Certificate
	At tabular.Fault // file and row, without a reason
}

// certificates are those of one file.
type certificates struct {
	byState map[string]*Certified
	order   []string
	// refused are the states whose certificates have faults; "" stands for one that does not tell its state.
	refused map[string]bool
}

// readCertificates reads a JSONL file of certificates. States that are given twice are faults.
func readCertificates(file string, faults *tabular.Faults) (*certificates, error) {
	t, closeFile, err := open(file, faults)
	if err != nil {
		return nil, err
	}
	defer closeFile() // read only: a failing close loses nothing
	all := &certificates{byState: map[string]*Certified{}, refused: map[string]bool{}}
	for row := range t.Rows() {
		if row.Raw() == "" {
			return nil, fmt.Errorf("%s: expected JSONL: certificates nest deeper than tables do", file)
		}
		c := certificate(file, row, row.Raw(), faults)
		if c == nil {
			id, err := row.Get("state_id").Text()
			all.refused[id] = err == nil || id == ""
			continue
		}
		if first := all.byState[c.StateID]; first != nil {
			faults.Add(row.Fault("state_id", fmt.Errorf("the certificate of state %.120q is given in row %d already", c.StateID, first.At.Row)))
			continue
		}
		all.byState[c.StateID] = c
		all.order = append(all.order, c.StateID)
	}
	return all, t.Err()
}

// certificate reads one certificate, nil after faults.
func certificate(file string, row *tabular.Row, document string, faults *tabular.Faults) *Certified {
	at := tabular.Fault{File: file, Line: row.Line, Row: row.Number}
	c, err := organizer.ParseCertificateRow(file, max(1, row.Line), []byte(document))
	if err == nil {
		return &Certified{c, at}
	}
	for _, err := range experiments.Flatten(err) {
		fault := at
		fault.Reason = err.Error()
		var own *organizer.Fault
		if errors.As(err, &own) {
			fault.Column, fault.Reason = own.Place, own.Reason
		}
		faults.Add(&fault)
	}
	return nil
}
