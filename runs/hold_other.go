//go:build !linux && !darwin && !freebsd

package runs

import (
	"errors"
	"os"
)

func lockShared(*os.File) error { return errors.ErrUnsupported }

func lockedByOthers(*os.File) (bool, error) { return false, errors.ErrUnsupported }
