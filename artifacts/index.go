package artifacts

import (
	"errors"
	"io/fs"
	"path/filepath"

	"evlab/experiments"
)

// Index finds the finished record of a cell by its key, whatever run made it.
type Index struct{ dir string }

// Add files a decided record under its key. A later run's record of the same key replaces an earlier one: `--fresh`
// asked for it.
func (x *Index) Add(r *experiments.Record) error {
	if !r.Verdict.Decided() || !r.Key.Valid() {
		return nil
	}
	return WriteJSON(x.path(r.Key), r)
}

// Find returns the finished record with this key, or nil. A damaged record counts as none: the cell is done again.
func (x *Index) Find(k experiments.Key) (*experiments.Record, error) {
	if !k.Valid() {
		return nil, nil
	}
	var r experiments.Record
	err := ReadJSON(x.path(k), &r)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrDamaged):
		return nil, nil
	case err != nil:
		return nil, err
	case !r.Intact() || r.Key != k || !r.Verdict.Decided():
		return nil, nil
	}
	return &r, nil
}

func (x *Index) path(k experiments.Key) string {
	return filepath.Join(x.dir, string(k[:2]), string(k)+".json")
}
