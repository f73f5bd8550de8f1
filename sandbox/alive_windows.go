package sandbox

import (
	"errors"

	"golang.org/x/sys/windows"
)

// lockHeld says whether a living process holds the lock.
func lockHeld(file string) bool {
	name, err := windows.UTF16PtrFromString(file)
	if err != nil {
		return false
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err == nil {
		windows.CloseHandle(h)
		return false
	}
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}
