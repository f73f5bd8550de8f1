package tabular

import "bytes"

// OpenParquet opens a Parquet file that is in memory.
func OpenParquet(name string, data []byte, faults *Faults) (*Table, error) {
	t := newTable(name, Parquet, faults)
	return t, t.openParquet(bytes.NewReader(data), int64(len(data)))
}
