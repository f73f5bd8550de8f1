package artifacts

import (
	"errors"
	"os"
)

// A process says that it is at work somewhere by a lock on a file there: the operating system drops the lock with the
// process, however that ends. The lock is shared, since several may be at work; it is a sign, and guards nothing.

// Hold marks the file as held by this process until release is called.
func Hold(file string) (release func(), err error) {
	if err := checkPlace(file); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lockShared(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil
}

// Held reports whether a process holds the file. The error says that this system, or the file system, can't tell.
func Held(file string) (bool, error) {
	free := false
	err := alone(file, func() error { free = true; return nil })
	switch {
	case errors.Is(err, os.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	return !free, nil
}

// Alone calls do where nobody holds the file, and nobody can begin to until do returns. Where somebody does, or nobody ever
// did, or this system can't tell, do is not called.
func Alone(file string, do func() error) error {
	var err error
	if cant := alone(file, func() error { err = do(); return nil }); cant != nil {
		return nil
	}
	return err
}

// alone calls do where nobody holds the file. The error says that it can't be told.
func alone(file string, do func() error) error {
	if err := checkPlace(file); err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // with it goes the lock
	if held, err := lockedByOthers(f); held || err != nil {
		return err
	}
	return do()
}
