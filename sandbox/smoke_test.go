package sandbox

import (
	"archive/tar"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"evlab/repos"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	d, err := OpenDocker(ctx, Options{State: t.TempDir(), Host: "smoke", Boot: "b"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f, err := d.Probe(ctx)
	t.Log(f, err)
	t0 := time.Now()
	r := Recipe{Task: "t", SnapshotID: "1", Snapshot: func(w io.Writer) error {
		tw := tar.NewWriter(w)
		writeFile(tw, "go.mod", 0, 0o644, []byte("module m\n\ngo 1.26\n"))
		writeFile(tw, "a.go", 0, 0o644, []byte("package m\nfunc F() int { return 1 }\n"))
		writeFile(tw, "a_test.go", 0, 0o644, []byte("package m\nimport \"testing\"\nfunc TestF(t *testing.T) { if F() != 2 { t.Fatal(F()) } }\n"))
		return tw.Close()
	}, Warm: [][]string{{"go", "test", "-count=1", "./..."}}}
	im, err := d.Ensure(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(im, time.Since(t0))
	for i := range 3 {
		t0 = time.Now()
		dir := t.TempDir()
		s := Step{ID: "smoke/1", Attempt: i, Image: im, Command: []string{"go", "test", "-count=1", "-json", "./..."},
			Limits: Limits{Timeout: 60 * time.Second, Memory: 1 << 30, Scratch: 256 << 20, Log: 1 << 20, Processes: 256, CPUs: 1},
			Stdout: filepath.Join(dir, "out"), Stderr: filepath.Join(dir, "err")}
		if i > 0 {
			s.Files = repos.Delta{Files: []repos.File{{Path: "a.go", Mode: "100644", Content: []byte("package m\nfunc F() int { return 2 }\n")}}}
		}
		res, err := d.Run(ctx, s)
		t.Logf("%+v %v %v", res, err, time.Since(t0))
		out, _ := os.ReadFile(s.Stdout)
		er, _ := os.ReadFile(s.Stderr)
		t.Logf("%s\n---\n%q", out, er)
		t0 = time.Now()
		t.Log(d.Forget(ctx, s.ID, s.Attempt), time.Since(t0))
	}
	t.Log(d.Remove(ctx, im))
	t.Log(d.Reap(ctx, nil))
}
