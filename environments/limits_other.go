//go:build !linux

package environments

import "errors"

func limit(pid int, file, memory int64) error {
	return errors.New("wheels are fetched on Linux only")
}
