package tabular

import "errors"

// EachRow calls each for every row of the files, one after the other. Faults of rows go to faults; the error is about a
// file as a whole.
func EachRow(files []string, faults *Faults, each func(row *Row)) error {
	for _, file := range files {
		t, err := Open(file, faults)
		if err != nil {
			return err
		}
		for row := range t.Rows() {
			each(row)
		}
		if err := errors.Join(t.Err(), t.Close()); err != nil {
			return err
		}
	}
	return nil
}
