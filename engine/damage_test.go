package engine_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"

	"evlab/engine"
)

// used makes a state folder with a closed file in it.
func used(t *testing.T) (state, file string) {
	t.Helper()
	state = t.TempDir()
	e := start(t, engine.Options{State: state})
	execute(t, e, client.StartWorkflowOptions{ID: "old"}, typeWait)
	stop(t, e)
	awaitFree(t, state)
	return state, serverFile(t, state)
}

func serverFile(t *testing.T, state string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(state, "temporal", "*", "temporal.db"))
	if err != nil || len(files) != 1 {
		t.Fatalf("server files: %v, %v", files, err)
	}
	return files[0]
}

func TestDamagedFile(t *testing.T) {
	state, file := used(t)
	sound, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(t *testing.T, name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name   string
		damage func(t *testing.T)
	}{
		{"cut in half", func(t *testing.T) { write(t, file, sound[:len(sound)/2]) }},
		{"cut by one byte", func(t *testing.T) { write(t, file, sound[:len(sound)-1]) }},
		{"cut within header", func(t *testing.T) { write(t, file, sound[:60]) }},
		{"garbage", func(t *testing.T) { write(t, file, bytes.Repeat([]byte("garbage "), 4096)) }},
		{"garbage after header", func(t *testing.T) { write(t, file, append(bytes.Clone(sound[:100]), make([]byte, len(sound)-100)...)) }},
		{"garbage within", func(t *testing.T) {
			hurt := bytes.Clone(sound)
			for at := 4096; at < len(hurt); at += 4096 {
				copy(hurt[at:], "not a page of a tree")
			}
			write(t, file, hurt)
		}},
		{"empty", func(t *testing.T) { write(t, file, nil) }},
		{"empty with log", func(t *testing.T) {
			write(t, file, nil)
			write(t, file+"-wal", bytes.Repeat([]byte{7}, 4096))
		}},
		{"tables missing", func(t *testing.T) {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec("CREATE TABLE namespaces (id INT)"); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.damage(t)
			hurt, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = engine.Start(context.Background(), engine.Options{State: state})
			if !errors.Is(err, engine.ErrDamaged) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "move it aside") {
				t.Fatalf("Start: %v, want ErrDamaged that names %s", err, file)
			}
			moved, err := engine.MoveAside(state)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(moved); err != nil || !bytes.Equal(got, hurt) {
				t.Errorf("the damaged file is not in %s: %v", moved, err)
			}
			if _, err := os.Stat(file + "-wal"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the old log was left for the new file: %v", err)
			}
		})
	}
	e := start(t, engine.Options{State: state})
	if _, err := e.Client().DescribeWorkflowExecution(context.Background(), "old", ""); err == nil {
		t.Error("the new file knows the old workflow")
	}
}

func TestDeletedFileIsMadeAnew(t *testing.T) {
	state, file := used(t)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	// A log without its file is kept apart from the new file.
	if err := os.WriteFile(file+"-wal", []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := start(t, engine.Options{State: state})
	if _, err := e.Client().DescribeWorkflowExecution(context.Background(), "old", ""); err == nil {
		t.Error("the new file knows the old workflow")
	}
	left, err := filepath.Glob(file + ".left-*-wal")
	if err != nil || len(left) != 1 {
		t.Errorf("the old log is not set aside: %v, %v", left, err)
	}
	w := startWorker(t, e, holder{})
	defer w.Stop()
	if got := result[int](t, execute(t, e, client.StartWorkflowOptions{ID: "new"}, typeSteps, 2)); got != 2 {
		t.Errorf("result %d", got)
	}
}

func TestMoveAsideOfNothing(t *testing.T) {
	for name, state := range map[string]string{
		"empty folder": t.TempDir(),
		"no folder":    filepath.Join(t.TempDir(), "absent"),
	} {
		if _, err := engine.MoveAside(state); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want fs.ErrNotExist", name, err)
		}
	}
}

func TestHostileStateFolder(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	linked := t.TempDir()
	if err := os.Symlink(victim, filepath.Join(linked, "lock")); err != nil {
		t.Fatal(err)
	}
	logged := t.TempDir()
	if err := os.Mkdir(filepath.Join(logged, "temporal"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(logged, "temporal", "server.log")); err != nil {
		t.Fatal(err)
	}
	_, file := used(t)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, file); err != nil {
		t.Fatal(err)
	}
	for name, state := range map[string]string{
		"lock is a link": linked, "log is a link": logged, "file is a link": filepath.Dir(filepath.Dir(filepath.Dir(file))),
		"state is a file": victim, "no state": "",
	} {
		e, err := engine.Start(context.Background(), engine.Options{State: state})
		if err == nil {
			stop(t, e)
			t.Errorf("%s: Start succeeded", name)
		}
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
		t.Errorf("the file outside was written: %q, %v", text, err)
	}
}
