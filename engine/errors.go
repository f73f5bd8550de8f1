package engine

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

var (
	// ErrInUse is returned when another process owns the state folder. The text names the folder and the process.
	ErrInUse = errors.New("the state folder is in use")

	// ErrSchemaChanged is never returned by Start: it is the kind of notice given when runs lie in a file that another
	// version of the server made, which this one does not open.
	ErrSchemaChanged = errors.New("the server's schema has changed")

	// ErrDamaged is returned when the server's file cannot be trusted any more. MoveAside makes room for a new one.
	ErrDamaged = errors.New("the server's file is damaged")

	// ErrPortTaken is returned when the port asked for belongs to another program.
	ErrPortTaken = errors.New("the port is taken")

	// ErrDiskFull is returned when the disk that holds the state folder has no room left.
	ErrDiskFull = errors.New("the disk is full")

	// ErrUnreachable is returned by Dial when nothing that speaks Temporal answers at the address.
	ErrUnreachable = errors.New("no Temporal server answers")
)

// problem is an error whose text is one plain sentence for the user, and which errors.Is finds by kind or by cause.
type problem struct {
	kind  error
	text  string
	cause error // nil when there is nothing more to say
}

func (p *problem) Error() string { return p.text }

func (p *problem) Unwrap() []error {
	if p.cause == nil {
		return []error{p.kind}
	}
	return []error{p.kind, p.cause}
}

// The primary result codes of SQLite that are told apart (https://www.sqlite.org/rescode.html).
const (
	sqliteCorrupt   = 11
	sqliteFull      = 13
	sqliteNotADB    = 26
	sqliteInterrupt = 9
	sqlitePrimary   = 0xff // extended codes keep the primary one in the low byte
)

// sqliteCode reads SQLite's primary result code off an error of the driver.
func sqliteCode(err error) (int, bool) {
	var coded interface{ Code() int }
	if !errors.As(err, &coded) {
		return 0, false
	}
	return coded.Code() & sqlitePrimary, true
}

// inWords turns what a database error means for the user into an error of its kind; others are returned as they are.
// The server passes some errors on as text alone, hence the second look at the message.
func inWords(file string, err error) error {
	if err == nil {
		return nil
	}
	code, coded := sqliteCode(err)
	text := err.Error()
	switch {
	case errors.Is(err, ErrDamaged), errors.Is(err, ErrDiskFull), errors.Is(err, ErrInUse):
		return err
	case coded && code == sqliteFull, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT),
		strings.Contains(text, "disk is full"), strings.Contains(text, "not enough space on the disk"):
		return diskFull(file, err)
	case coded && (code == sqliteCorrupt || code == sqliteNotADB),
		strings.Contains(text, "disk image is malformed"), strings.Contains(text, "file is not a database"):
		return damaged(file, "SQLite says: "+text, err)
	}
	return err
}

func diskFull(file string, cause error) error {
	return &problem{
		kind:  ErrDiskFull,
		text:  fmt.Sprintf("the disk that holds %s is full: free some space there and start again", file),
		cause: cause,
	}
}

func damaged(file, how string, cause error) error {
	return &problem{
		kind: ErrDamaged,
		text: fmt.Sprintf("the server's file %s is damaged (%s): move it aside to start with a new one, "+
			"results that are already stored are not in it", file, how),
		cause: cause,
	}
}
