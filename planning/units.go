package planning

import (
	"context"

	"evlab/evidence"
	"evlab/repos"
)

// maxUnitFile bounds the files that evidence units are made of.
const maxUnitFile = 1 << 20

// Units segments a commit of a mirror into evidence units: its regular files of up to 1 MiB that are no tests. They are
// the pool of a task, wherever one is asked for.
func Units(ctx context.Context, mirror *repos.Mirror, commit string) ([]evidence.Unit, error) {
	files, err := mirror.Files(ctx, commit, func(path string, size int64) bool {
		return size <= maxUnitFile && !evidence.IsTestPath(path)
	})
	if err != nil {
		return nil, err
	}
	var sources []evidence.File
	for _, f := range files {
		if f.Mode != "120000" {
			sources = append(sources, evidence.File{Path: f.Path, Content: f.Content})
		}
	}
	return evidence.Segment(sources), nil
}
