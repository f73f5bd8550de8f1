package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

const (
	lockName = "lock"

	// maxLockText bounds what is read of a lock file, which anybody may have written.
	maxLockText = 4 << 10
)

// errLocked is what tryLock returns when another open file holds the lock.
var errLocked = errors.New("locked")

// owner is what the holder of the lock writes into it, for people and for the refusal's text. The lock itself is the
// operating system's: it goes away with the process, however that ends.
type owner struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// lock is the exclusive right to a state folder.
type lock struct{ file *os.File }

// acquire takes the lock of a state folder, creating the folder when absent. It does not wait.
func acquire(state string) (*lock, error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, inWords(state, fmt.Errorf("making the state folder: %w", err))
	}
	root, err := os.OpenRoot(state) // a lock that is a link out of the folder is refused
	if err != nil {
		return nil, fmt.Errorf("opening the state folder: %w", err)
	}
	defer root.Close()
	path := filepath.Join(state, lockName)
	if info, err := root.Lstat(lockName); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the lock %s is not a plain file: remove it and start again", path)
	}
	file, err := root.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, inWords(state, fmt.Errorf("opening the lock %s: %w", path, err))
	}
	if err := tryLock(file); err != nil {
		defer file.Close()
		if errors.Is(err, errLocked) {
			return nil, inUse(state, readOwner(file))
		}
		return nil, fmt.Errorf("locking %s (is it on a file system that cannot lock?): %w", path, err)
	}
	l := &lock{file: file}
	if err := l.sign(); err != nil {
		return nil, inWords(state, errors.Join(fmt.Errorf("writing the lock %s: %w", path, err), l.release()))
	}
	return l, nil
}

// sign writes who holds the lock into it.
func (l *lock) sign() error {
	text, err := json.Marshal(owner{PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	if _, err := l.file.WriteAt(append(text, '\n'), 0); err != nil {
		return err
	}
	return l.file.Sync()
}

// release gives the folder back. The file stays: removing it would let two processes hold locks on two files of one
// name.
func (l *lock) release() error {
	return errors.Join(l.file.Truncate(0), unlock(l.file), l.file.Close())
}

// readOwner reads who holds the lock; a holder that has not signed yet is waited for briefly. The zero value means
// that the text says nothing usable.
func readOwner(file *os.File) owner {
	for range 10 {
		text, err := io.ReadAll(io.NewSectionReader(file, 0, maxLockText))
		var who owner
		if err == nil && json.Unmarshal(text, &who) == nil && who.PID > 0 {
			return who
		}
		time.Sleep(10 * time.Millisecond)
	}
	return owner{}
}

func inUse(state string, who owner) error {
	text := fmt.Sprintf("the state folder %s is in use by another evlab process: wait for it to end, or work in another data folder (--data)", state)
	if who.PID > 0 {
		text = fmt.Sprintf("the state folder %s is in use by process %d, running since %s: wait for it to end, stop it, "+
			"or work in another data folder (--data)", state, who.PID, who.Started.Local().Format("2006-01-02 15:04:05"))
	}
	return &problem{kind: ErrInUse, text: text}
}
