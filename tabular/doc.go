// Package tabular reads and writes tables that users bring and take away: CSV (and TSV), JSONL (and a JSON list of
// objects), Parquet. What a row means is for the rooms that call it.
//
// The decision that shapes it: a table is a stream of rows, whatever its form, and a row that can't be read is a Fault with
// its file and row, noted and passed over, so that one reading finds everything there is to repair. Only what makes the
// rest of the file unreadable (a quote that never closes, damaged Parquet) ends the stream; Table.Err says so. A row may
// have MaxRow bytes and memory stays near that, however long the file; of Parquet, as much as a row group's pages take, which
// are held against what they say of themselves before anything else unpacks them.
//
//	var faults tabular.Faults
//	t, err := tabular.Open("outcomes.csv", &faults)
//	if err != nil { ... }                     // no file, no such format, no header
//	defer t.Close()
//	task := t.Column("task")                  // an index, for JSONL too, whose columns come row by row
//	for row := range t.Rows() {
//		name, err := row.At(task).Text()
//		if err != nil { faults.Add(row.Fault("task", err)) }
//	}
//	err = errors.Join(t.Err(), faults.Err())
//
// What may not be here: names of columns that mean something, statistics, a whole file in memory (except a writer's
// Parquet row group), and guesses: a number is not turned into text, nor a JSON text into a number.
package tabular
