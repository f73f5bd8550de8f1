package sandbox

import (
	"context"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// lock takes a lock among processes and waits for it as long as ctx lets it.
func lock(ctx context.Context, file string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, fault(FaultOptions, "locking: %w", err)
	}
	type got struct {
		unlock func()
		err    error
	}
	result := make(chan got, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(file).Lock()
		result <- got{unlock, err}
	}()
	select {
	case g := <-result:
		if g.err != nil {
			return nil, fault(FaultOptions, "locking %s: %w", file, g.err)
		}
		return g.unlock, nil
	case <-ctx.Done():
		go func() {
			if g := <-result; g.err == nil {
				g.unlock()
			}
		}()
		return nil, context.Cause(ctx)
	}
}
