//go:build !linux && !darwin && !freebsd

package main

import (
	"errors"
	"os"
)

func freeDisk(string) (uint64, error) { return 0, errors.ErrUnsupported }

func locked(*os.File) (bool, error) { return false, errors.ErrUnsupported }
