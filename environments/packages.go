package environments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"evlab/artifacts"
)

// Packages is a folder of fetched Debian packages.
type Packages struct {
	Dir string // holds *.deb
	ID  string // digest of their names and contents
}

// Fetch fetches the packages with all that they depend on into a folder below store, once for each list and
// architecture (as the Go toolchain names it). It needs apt-get, its configured sources and a network, and no root.
func Fetch(ctx context.Context, store string, packages []string, arch string) (Packages, error) {
	wanted := slices.Sorted(slices.Values(packages))
	sum := sha256.Sum256([]byte(arch + "\n" + strings.Join(wanted, "\n")))
	dir, err := filepath.Abs(filepath.Join(store, "debian-"+hex.EncodeToString(sum[:8])))
	if err != nil {
		return Packages{}, err
	}
	if err := os.MkdirAll(store, 0o755); err != nil {
		return Packages{}, err
	}
	unlock, err := lockedfile.MutexAt(dir + ".lock").Lock()
	if err != nil {
		return Packages{}, err
	}
	defer unlock()
	whole := filepath.Join(dir, "whole")
	if id, err := os.ReadFile(whole); err == nil {
		return Packages{Dir: dir, ID: string(id)}, nil
	}
	if err := fetch(ctx, dir, wanted, arch); err != nil {
		return Packages{}, fmt.Errorf("fetching the Debian packages %s: %w", strings.Join(wanted, ", "), err)
	}
	id, err := digest(dir)
	if err != nil {
		return Packages{}, err
	}
	return Packages{Dir: dir, ID: id}, artifacts.WriteFile(whole, []byte(id))
}

// fetch fetches packages into dir.
func fetch(ctx context.Context, dir string, packages []string, arch string) error {
	own := filepath.Join(dir, "apt")
	defer os.RemoveAll(own)
	apt, err := newApt(own, arch)
	if err != nil {
		return err
	}
	// A source that does not answer must not be in the way of the others: whether what is wanted is there, the next
	// command tells.
	_, update := apt.run(ctx, "apt-get", "update")
	if _, err := apt.run(ctx, "apt-get", append([]string{"install", "-y", "--download-only", "--no-install-recommends"}, packages...)...); err != nil {
		return errors.Join(err, update)
	}
	debs, err := filepath.Glob(filepath.Join(own, "archives", "*.deb"))
	if err != nil {
		return err
	}
	if len(debs) == 0 {
		return errors.New("apt-get fetched nothing")
	}
	for _, deb := range debs {
		if err := os.Rename(deb, filepath.Join(dir, filepath.Base(deb))); err != nil {
			return err
		}
	}
	return nil
}

// digest is over names and contents of the packages.
func digest(dir string) (string, error) {
	debs, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, deb := range debs { // sorted
		one, err := sumFile(deb)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%s %x\n", filepath.Base(deb), one)
	}
	return hex.EncodeToString(all.Sum(nil)[:12]), nil
}

// sumFile is the SHA-256 of a file.
func sumFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), err
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
