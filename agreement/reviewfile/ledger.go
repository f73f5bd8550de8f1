package reviewfile

import (
	"errors"
	"fmt"

	"evlab/agreement"
	"evlab/tabular"
)

var (
	changeField = tabular.Field{"change"}
	classField  = tabular.Field{"class"}
	methodField = tabular.Field{"method", "method_id"}
	cutoffField = tabular.Field{"cutoff", "k"}
	beforeField = tabular.Field{"before"}
	afterField  = tabular.Field{"after"}
)

// ReadLedger reads a ledger of changes. A row is an event: item, change (none, edit or replace) and perhaps class as it
// was recorded (L0 to L3); or an outcome: item, method, cutoff, before, after (whether the item was complete, 0 or 1).
func ReadLedger(file string, cutoffs []int, faults *tabular.Faults) (*agreement.Ledger, error) {
	l := agreement.NewLedger(cutoffs)
	t, err := tabular.Open(file, faults)
	if err != nil {
		return nil, err
	}
	defer t.Close() // read only: a failing close loses nothing
	rows := 0
	for row := range t.RowsWith(itemField) {
		rows++
		if err := readEntry(row, l, faults); err != nil {
			faults.Add(row.Fault("", err))
		}
	}
	if err := t.Err(); err != nil {
		return nil, err
	}
	if rows == 0 && faults.Len() == 0 {
		faults.Addf(file, "the ledger is empty")
	}
	return l, nil
}

// readEntry reads one row; faults of single cells are noted at once, the error is for the row as a whole.
func readEntry(row *tabular.Row, l *agreement.Ledger, faults *tabular.Faults) error {
	noted := faults.Len()
	item, _ := itemField.Text(row, faults)
	change, _ := changeField.OptionalText(row, faults)
	class, _ := classField.OptionalText(row, faults)
	method, _ := methodField.OptionalText(row, faults)
	if faults.Len() > noted {
		return nil
	}
	switch {
	case change != "" && method != "":
		return errors.New("it has a change and a method: a row is an event or an outcome")
	case change != "":
		return l.AddEvent(agreement.Event{Item: item, Change: agreement.Change(change), Class: agreement.Class(class)})
	case method == "":
		return errors.New("it has no change and no method: expected an event (item, change) or an outcome (item, method, cutoff, before, after)")
	}
	o := agreement.Outcome{Item: item, Method: method}
	v, name, err := cutoffField.In(row)
	if err == nil {
		var k int64
		if k, err = v.Int(); err == nil && (k < 1 || k > 1<<20) {
			err = fmt.Errorf("%d is no cutoff", k)
		}
		o.Cutoff = int(k)
	}
	if err != nil {
		faults.Add(row.Fault(name, err))
	}
	o.Before = truth(row, beforeField, faults)
	o.After = truth(row, afterField, faults)
	if faults.Len() > noted {
		return nil
	}
	return l.AddOutcome(o)
}

// truth reads true, false, 0 or 1.
func truth(row *tabular.Row, f tabular.Field, faults *tabular.Faults) bool {
	v, name, err := f.In(row)
	if err == nil {
		if b, err := v.Bool(); err == nil {
			return b
		}
		var x int64
		if x, err = v.Int(); err == nil && (x == 0 || x == 1) {
			return x == 1
		}
		err = fmt.Errorf("expected true, false, 0 or 1, found %s", v)
		faults.Add(row.Fault(name, err))
		return false
	}
	faults.Add(row.Fault(name, err))
	return false
}
