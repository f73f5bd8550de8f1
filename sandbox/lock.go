package sandbox

import (
	"context"
	"os"
	"path/filepath"

	"evlab/repos"
)

// lock takes a lock among processes and waits for it as long as ctx lets it.
func lock(ctx context.Context, file string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, fault(FaultOptions, "locking: %w", err)
	}
	unlock, err = repos.Lock(ctx, file)
	if err != nil && ctx.Err() == nil {
		return nil, fault(FaultOptions, "locking %s: %w", file, err)
	}
	return unlock, err
}
