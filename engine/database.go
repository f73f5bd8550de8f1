package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	_ "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite" // registers the driver too
)

const (
	driverName   = "sqlite"
	databaseName = "temporal.db"

	// checkTime bounds the check of the whole file, which reads every page of it: a large file is checked as far as
	// that goes and not at all beyond it, so that starting stays quick.
	checkTime = 500 * time.Millisecond
)

// pragmas are set on every connection to the file. A write-ahead log with synchronous=normal survives kill -9 of the
// process; only a power cut can cost the last commits, and damages nothing.
var pragmas = []struct{ name, value, readBack string }{
	{"journal_mode", "wal", "wal"},
	{"synchronous", "normal", "1"},
	{"busy_timeout", "10000", "10000"},
}

// companions are the files that SQLite keeps beside a database.
var companions = []string{"-wal", "-shm", "-journal"}

// folderOf is where the server's files of one schema live.
func folderOf(state, schema string) string { return filepath.Join(state, "temporal", schema) }

// uriPath is a file's name as SQLite reads it in a "file:" URI, where ?, # and % would end or change it.
func uriPath(file string) string {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Path: path}).EscapedPath()
}

// openDatabase opens a file over one connection, with the pragmas that the server has. More are added as name=value.
func openDatabase(file, mode string, more ...string) (*sql.DB, error) {
	settings := make([]string, 0, len(pragmas)+len(more))
	for _, p := range pragmas {
		settings = append(settings, p.name+"="+p.value)
	}
	return openWith(file, mode, append(settings, more...))
}

func openWith(file, mode string, settings []string) (*sql.DB, error) {
	query := url.Values{"mode": {mode}, "_pragma": settings}
	db, err := sql.Open(driverName, "file:"+uriPath(file)+"?"+query.Encode())
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", file, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// prepareDatabase leaves a sound file with the given schema at the given place, making one when there is none.
func prepareDatabase(ctx context.Context, file, schema string) error {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// A log left by a deleted file would be played into the new one.
		if _, err := setAside(file, "left"); err != nil {
			return err
		}
		return inWords(file, createDatabase(ctx, file))
	case err != nil:
		return fmt.Errorf("looking for the server's file: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("the server's file %s is not a plain file: remove it and start again", file)
	}
	if err := checkHeader(file, info.Size()); err != nil {
		return err
	}
	return inWords(file, checkDatabase(ctx, file, schema))
}

// createDatabase makes the file under another name and renames it when it is whole, so that a process killed on the
// way leaves none.
func createDatabase(ctx context.Context, file string, more ...string) error {
	draft := file + ".new"
	for _, name := range append([]string{draft}, companionsOf(draft)...) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing what an earlier start left: %w", err)
		}
	}
	db, err := openDatabase(draft, "rwc", more...)
	if err != nil {
		return err
	}
	err = writeSchema(ctx, db)
	if err == nil {
		_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("making %s: %w", file, err)
	}
	if err := syncFile(draft); err != nil {
		return fmt.Errorf("making %s: %w", file, err)
	}
	if err := os.Rename(draft, file); err != nil {
		return fmt.Errorf("making %s: %w", file, err)
	}
	return syncFolder(filepath.Dir(file))
}

// checkDatabase opens the file (which plays the log of a killed process into it) and checks that SQLite finds no
// damage, that the tables are those of this server, and that the pragmas really hold. They are set only once the file
// is known to be ours, since setting them writes to it.
func checkDatabase(ctx context.Context, file, schema string) error {
	db, err := openWith(file, "rw", nil)
	if err != nil {
		return err
	}
	if err := errors.Join(checkContent(ctx, db, file, schema), db.Close()); err != nil {
		return err
	}
	if db, err = openDatabase(file, "rw"); err != nil {
		return err
	}
	return errors.Join(readBackPragmas(ctx, db, file), db.Close())
}

func checkContent(ctx context.Context, db *sql.DB, file, schema string) error {
	found, err := fingerprint(ctx, db)
	if err != nil {
		return fmt.Errorf("opening %s: %w", file, err)
	}
	if found != schema {
		return damaged(file, "it does not hold the tables that its folder promises", nil)
	}
	return quickCheck(ctx, db, file)
}

func quickCheck(ctx context.Context, db *sql.DB, file string) error {
	bounded, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	var verdict string
	err := db.QueryRowContext(bounded, "PRAGMA quick_check(1)").Scan(&verdict)
	code, _ := sqliteCode(err)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded), err != nil && code == sqliteInterrupt:
		return nil // too large to be read whole at every start
	case err != nil:
		return fmt.Errorf("checking %s: %w", file, err)
	case verdict != "ok":
		return damaged(file, "SQLite's check says: "+oneLine(verdict, 200), nil)
	}
	return nil
}

// readBackPragmas asks for the settings instead of believing that they were taken: SQLite ignores what it cannot do.
func readBackPragmas(ctx context.Context, db *sql.DB, file string) error {
	for _, p := range pragmas {
		var got string
		if err := db.QueryRowContext(ctx, "PRAGMA "+p.name).Scan(&got); err != nil {
			return fmt.Errorf("reading the setting %s of %s: %w", p.name, file, err)
		}
		if got != p.readBack {
			return fmt.Errorf("the server's file %s has %s=%s where %s is needed: is its file system one that SQLite can lock and map?",
				file, p.name, got, p.readBack)
		}
	}
	return nil
}

// checkpoint folds the log into the file after the server has stopped, so that a closed state folder is one plain file.
func checkpoint(ctx context.Context, file string) error {
	db, err := openDatabase(file, "rw")
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, db.Close())
}

func companionsOf(file string) []string {
	names := make([]string, len(companions))
	for i, suffix := range companions {
		names[i] = file + suffix
	}
	return names
}

func syncFile(name string) error {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
