package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// engineFolder is where the embedded engine keeps its state below the data folder.
func engineFolder(data string) string { return filepath.Join(data, "state", "engine") }

const otherFolder = "choose another folder with --data DIR or EVLAB_DATA, or change its permissions"

// checkData writes a file as evlab does: create, sync, remove. Folders that it had to make are removed again.
func checkData(dir string) (result check) {
	made, err := makeFolders(dir)
	defer func() {
		for _, d := range made { // innermost first; one that something else has used meanwhile stays
			os.Remove(d)
		}
	}()
	if err != nil {
		return fail(otherFolder, "%s can't be made: %v", dir, reason(err))
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return fail(otherFolder, "%s can't be written to: %v", dir, reason(err))
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString("evlab doctor\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fail(otherFolder, "%s can't be written to: %v", dir, reason(err))
	}
	if len(made) > 0 {
		return ok("%s can be made and written to", dir)
	}
	return ok("%s can be written to", dir)
}

// makeFolders is os.MkdirAll that says which folders it made, innermost first.
func makeFolders(dir string) (made []string, err error) {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return nil, errors.New("it is a file")
	case err == nil:
		return nil, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if made, err = makeFolders(parent); err != nil {
			return made, err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return made, err
	}
	return append([]string{dir}, made...), nil
}

// reason is an error without the path, which the message names already.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// lowDisk is where a warning begins: one task's image and the scratch of a few steps take about as much.
const lowDisk = 5 << 30

func checkDisk(dir string) check {
	at := dir
	for { // the data folder need not exist yet
		if _, err := os.Stat(at); err == nil || filepath.Dir(at) == at {
			break
		}
		at = filepath.Dir(at)
	}
	free, err := freeDisk(at)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return warn("look at it yourself", "this system does not tell how much is free in %s", at)
	case err != nil:
		return warn(otherFolder, "how much is free in %s can't be told: %v", at, err)
	case free < lowDisk:
		return warn("free some space, or choose another folder with --data DIR", "%s free in %s; runs want 5 GiB and more", gib(free), at)
	}
	return ok("%s free in %s", gib(free), at)
}

func gib(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

// checkEngineLock looks whether another process owns the engine's folder, without taking it or making it.
func checkEngineLock(state string) check {
	f, err := os.Open(filepath.Join(state, "lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return ok("not running (no state in %s yet)", state)
	}
	if err != nil {
		return warn(otherFolder, "its lock in %s can't be read: %v", state, reason(err))
	}
	defer f.Close()
	held, err := locked(f)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return ok("state in %s; this system does not tell whether it is in use", state)
	case err != nil:
		return warn("is it on a file system that can lock files?", "its lock in %s can't be tried: %v", state, reason(err))
	case !held:
		return ok("not running; %s is free", state)
	}
	text, _ := io.ReadAll(io.LimitReader(f, 4<<10)) // what it says is a courtesy; the lock is the fact
	var owner struct {
		PID     int       `json:"pid"`
		Started time.Time `json:"started"`
	}
	who := "another process"
	if json.Unmarshal(text, &owner) == nil && owner.PID > 0 {
		who = fmt.Sprintf("process %d since %s", owner.PID, owner.Started.Local().Format("2006-01-02 15:04:05"))
	}
	return warn("a second run needs another --data folder until that one ends", "%s is in use by %s", state, who)
}

// earliest is a time before which no clock can rightly be: this program is younger.
var earliest = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

// maxSkew is how far two clocks may differ before times in records mislead.
const maxSkew = 5 * time.Second

// checkClock compares the clock with the container engine's, which stamps when a step began and ended.
func checkClock(engine *dockerFacts) check {
	now := time.Now()
	text := now.Format(time.RFC3339)
	if now.Before(earliest) {
		return warn("set the clock", "it says %s, which is before evlab was written", text)
	}
	if engine.Time.IsZero() {
		return ok("%s", text)
	}
	skew := engine.skew()
	if skew > maxSkew || skew < -maxSkew {
		return warn("synchronise both clocks, or restart the container engine's machine",
			"%s; the container engine's differs by %v, so durations in records would be wrong", text, skew.Round(time.Second))
	}
	return ok("%s; the container engine agrees", text)
}
