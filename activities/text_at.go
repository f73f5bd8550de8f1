package activities

import (
	"context"
	"errors"
	"io/fs"

	"evlab/repos"
)

// textAt is a file of a commit or tree, nothing where there is none that is regular.
func textAt(ctx context.Context, mirror *repos.Mirror, at, name string) ([]byte, error) {
	text, err := mirror.ReadFile(ctx, at, name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return nil, nil
	}
	return text, err
}
