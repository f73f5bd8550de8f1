package engine

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"

	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteschema "go.temporal.io/server/schema/sqlite"
)

// The server neither checks nor migrates the schema of a SQLite file: one made by another version opens without
// complaint and fails at the first query that touches what differs. So the file's folder is named by a fingerprint of
// the schema, and a file whose tables do not have that fingerprint is not opened.

// fingerprintLength is how many hexadecimal digits of the digest name a folder.
const fingerprintLength = 16

// schemaFingerprint is the fingerprint of the schema that this binary's server makes, computed once per process from
// a scratch database in memory.
var schemaFingerprint = sync.OnceValues(func() (string, error) {
	ctx := context.Background()
	db, err := sql.Open(driverName, ":memory:")
	if err != nil {
		return "", fmt.Errorf("opening a scratch database: %w", err)
	}
	db.SetMaxOpenConns(1) // every connection would be a database of its own
	schema, err := func() (string, error) {
		if err := writeSchema(ctx, db); err != nil {
			return "", err
		}
		return fingerprint(ctx, db)
	}()
	return schema, errors.Join(err, db.Close())
})

// writeSchema makes the server's tables in an empty database, all or none.
func writeSchema(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("making the server's tables: %w", err)
	}
	if err := sqliteschema.SetupSchemaOnDB(&schemaWriter{ctx: ctx, tx: tx}); err != nil {
		_ = tx.Rollback() // the file is thrown away; a full disk has ended the transaction already
		return fmt.Errorf("making the server's tables: %w", err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("making the server's tables: %w", err)
	}
	return nil
}

// schemaWriter carries the server's statements into a transaction of ours. The server's own connections stay open for
// the life of the process, which would keep the new file from being renamed into place on Windows. Only Exec is called.
type schemaWriter struct {
	sqlplugin.AdminDB
	ctx context.Context
	tx  *sql.Tx
}

func (w *schemaWriter) Exec(statement string, args ...any) error {
	_, err := w.tx.ExecContext(w.ctx, statement, args...)
	return err
}

// fingerprint is the digest of a database's schema: the sorted definitions with white space made even.
func fingerprint(ctx context.Context, db *sql.DB) (string, error) {
	rows, err := db.QueryContext(ctx, "SELECT type, name, coalesce(sql, '') FROM sqlite_master")
	if err != nil {
		return "", fmt.Errorf("reading the schema: %w", err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var kind, name, definition string
		if err := rows.Scan(&kind, &name, &definition); err != nil {
			return "", fmt.Errorf("reading the schema: %w", err)
		}
		if strings.HasPrefix(name, "sqlite_stat") {
			continue // statistics come and go without being part of the schema
		}
		lines = append(lines, kind+" "+name+" "+strings.Join(strings.Fields(definition), " "))
	}
	if err := rows.Err(); err != nil {
		return "", fmt.Errorf("reading the schema: %w", err)
	}
	sort.Strings(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])[:fingerprintLength], nil
}
