package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

const (
	logName = "server.log"

	// maxLog is when the log file starts anew; one former file is kept, so both together stay below twice this.
	maxLog = 4 << 20
)

// logFile is the server's and the SDK's log: a file that stops growing. Lines that cannot be written are dropped,
// since a log is no reason to stop a run.
type logFile struct {
	path string
	max  int64

	mu   sync.Mutex
	file *os.File // nil once closed or when it could not be opened again
	size int64
}

func openLog(folder string, limit int64) (*logFile, error) {
	l := &logFile{path: filepath.Join(folder, logName), max: limit}
	if err := l.openLocked(); err != nil {
		return nil, inWords(folder, fmt.Errorf("opening the server's log: %w", err))
	}
	return l, nil
}

func (l *logFile) openLocked() error {
	if info, err := os.Lstat(l.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a plain file", l.path)
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.size = file, info.Size()
	return nil
}

// Write appends one record, starting a new file when this one would grow over the limit.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil && l.size > 0 && l.size+int64(len(p)) > l.max {
		l.file.Close()
		l.file = nil
		if os.Rename(l.path, l.path+".1") == nil {
			_ = l.openLocked() // failing leaves file nil: lines are dropped from here on
		}
	}
	if l.file == nil {
		return len(p), nil
	}
	text := p[:min(int64(len(p)), l.max)]
	n, _ := l.file.Write(text)
	l.size += int64(n)
	return len(p), nil
}

func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// logger writes records of a level and above into the file.
func (l *logFile) logger(level slog.Level, source string) *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: level})).With("from", source)
}
