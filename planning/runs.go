package planning

import (
	"cmp"
	"slices"

	"evlab/artifacts"
)

// Listed is a run with its header.
type Listed struct {
	Run    *artifacts.Run
	Header *artifacts.Header
	Err    error // why the header can't be read; Header is nil then
}

// Runs lists the runs of a data folder, newest first; one whose header is damaged comes last, with its error.
func Runs(folder *artifacts.Folder) ([]Listed, error) {
	ids, err := folder.RunIDs()
	if err != nil {
		return nil, err
	}
	var all []Listed
	for _, id := range ids {
		run, err := folder.OpenRun(id)
		if err != nil {
			continue // a folder that is no run
		}
		h, err := run.Header()
		all = append(all, Listed{run, h, err})
	}
	slices.SortStableFunc(all, func(a, b Listed) int {
		switch {
		case a.Header == nil || b.Header == nil:
			return cmp.Compare(flag(a.Header == nil), flag(b.Header == nil))
		default:
			return b.Header.Created.Compare(a.Header.Created)
		}
	})
	return all, nil
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
