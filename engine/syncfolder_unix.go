//go:build unix

package engine

import (
	"errors"
	"os"
)

// syncFolder makes a rename in the folder survive a power cut.
func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
