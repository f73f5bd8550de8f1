//go:build !linux && !darwin && !freebsd

package artifacts

import (
	"errors"
	"os"
)

func lockShared(*os.File) error { return errors.ErrUnsupported }

func lockedByOthers(*os.File) (bool, error) { return false, errors.ErrUnsupported }
