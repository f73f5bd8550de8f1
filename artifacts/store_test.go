package artifacts_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"evlab/artifacts"
	"evlab/experiments"
)

func store(t *testing.T) (*artifacts.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := artifacts.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, dir
}

func TestStoreGivesBackWhatWasPut(t *testing.T) {
	s, dir := store(t)
	big := bytes.Repeat([]byte("evidence\n"), 300_000)
	for _, data := range [][]byte{{}, {0}, []byte("a\r\n\xff"), big} {
		d, err := s.Put(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Get(t.Context(), d)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes came back as %d bytes (%v)", len(data), len(got), err)
		}
	}
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, big, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := s.PutFile(t.Context(), path); err != nil || d != experiments.DigestBytes(big) {
		t.Errorf("PutFile gave %s (%v)", d.Short(), err)
	}
}

func TestStoreTellsDamage(t *testing.T) {
	s, dir := store(t)
	d, err := s.Put(t.Context(), []byte("whole"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sha256", string(d[:2]), string(d))
	for _, damaged := range []string{"whOle", "who"} { // changed, cut short
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(t.Context(), d); !errors.Is(err, artifacts.ErrDamaged) {
			t.Errorf("reading the blob %q gave %v", damaged, err)
		}
		if _, err := s.Put(t.Context(), []byte("whole")); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(t.Context(), d); err != nil || string(got) != "whole" {
			t.Errorf("storing again did not mend the blob: %q %v", got, err)
		}
	}
	if _, err := s.Get(t.Context(), experiments.DigestBytes([]byte("absent"))); !errors.Is(err, artifacts.ErrLost) || !strings.Contains(err.Error(), "not in") {
		t.Errorf("an absent blob gave %v", err)
	}
	for _, bad := range []experiments.Digest{"", "../../etc/passwd", experiments.Digest(strings.Repeat("A", 64))} {
		if _, err := s.Get(t.Context(), bad); err == nil {
			t.Errorf("%q was taken for a digest", bad)
		}
	}
}

func TestStoreIsSafeForConcurrentUse(t *testing.T) {
	s, dir := store(t)
	var all sync.WaitGroup
	for range 16 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range 20 {
				data := bytes.Repeat([]byte{byte(i)}, 1000)
				d, err := s.Put(t.Context(), data)
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := s.Get(t.Context(), d); err != nil || !bytes.Equal(got, data) {
					t.Errorf("blob %d: %v", i, err)
				}
			}
		}()
	}
	all.Wait()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s was left behind", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
