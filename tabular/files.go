package tabular

import "errors"

// EachRow calls each for every row of the files, one after the other. A file without one of the needed columns is a fault (RowsWith).
// Faults of rows go to faults, too; the error is about a file as a whole.
func EachRow(files []string, faults *Faults, needed []Field, each func(row *Row)) error {
	for _, file := range files {
		t, err := Open(file, faults)
		if err != nil {
			return err
		}
		for row := range t.RowsWith(needed...) {
			each(row)
		}
		if err := errors.Join(t.Err(), t.Close()); err != nil {
			return err
		}
	}
	return nil
}
