package repos

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// uploadPack is what git starts in the source: it does not inherit the settings, so those that matter are repeated.
const uploadPack = `git -c 'safe.directory=*' -c uploadpack.allowAnySHA1InWant=true -c core.alternateRefsCommand=false upload-pack`

// baseRef is the one reference of a snapshot.
const baseRef = "refs/heads/base"

// SnapshotName is the folder name that Snapshot gives to commit of source: the commit and a digest of where it is from.
func SnapshotName(source, commit string) (string, error) {
	abs, err := filepath.Abs(source)
	if err != nil {
		return "", fmt.Errorf("naming a snapshot: %w", err)
	}
	sum := sha256.Sum256([]byte(abs))
	return commit + "-" + hex.EncodeToString(sum[:6]), nil
}

// Snapshot gives the mirror of exactly one commit of the repository source, made under store when it is not there yet:
// the commit, its trees and its blobs, one branch, and nothing else. Neither the past nor what the source knows of the
// future can be read from it. It appears complete or not at all, and concurrent calls agree on one.
func Snapshot(ctx context.Context, store, source, commit string) (*Mirror, error) {
	if !objectID(commit) {
		return nil, fmt.Errorf("taking a snapshot of %s: commit %.60q is not a full commit id", source, commit)
	}
	name, err := SnapshotName(source, commit)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(store)
	if err != nil {
		return nil, fmt.Errorf("taking a snapshot of %s: %w", source, err)
	}
	dir := filepath.Join(absolute, name)
	if m, ok, err := existing(ctx, dir, commit); ok || err != nil {
		return m, err
	}
	from, err := Open(ctx, source)
	if err != nil {
		return nil, fmt.Errorf("taking a snapshot of commit %s: %w", commit, err)
	}
	if err := from.HasCommit(ctx, commit); err != nil {
		return nil, fmt.Errorf("taking a snapshot of commit %s of %s: %w", commit, source, err)
	}
	if err := take(ctx, dir, from, commit); err != nil {
		return nil, fmt.Errorf("taking a snapshot of commit %s of %s: %w", commit, source, err)
	}
	m, ok, err := existing(ctx, dir, commit)
	if err == nil && !ok {
		err = fmt.Errorf("taking a snapshot of commit %s of %s: %s is gone again", commit, source, dir)
	}
	return m, err
}

// existing opens a finished snapshot; ok is false when there is none.
func existing(ctx context.Context, dir, commit string) (m *Mirror, ok bool, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, fmt.Errorf("opening a snapshot: %w", err)
	}
	m = &Mirror{dir: dir, memory: newMemory()}
	head, err := m.reader().word(ctx, "rev-parse", "--quiet", "--verify", baseRef+"^{commit}")
	if err == nil && head != commit {
		err = fmt.Errorf("its branch is at %q", head)
	}
	if err != nil {
		return nil, false, fmt.Errorf("opening snapshot %s: %w; remove the folder to have it made again", dir, err)
	}
	return m, true, nil
}

// HasCommit is nil when the repository has the commit of that full id. A missing one is a *NotFoundError, and the
// message says when it is missing because the repository is a shallow clone.
func (m *Mirror) HasCommit(ctx context.Context, commit string) error {
	if !objectID(commit) {
		return fmt.Errorf("commit %.60q is not a full commit id", commit)
	}
	kind, err := m.reader().word(ctx, "cat-file", "-t", commit)
	var refused *failed
	switch {
	case errors.As(err, &refused):
		missing := &NotFoundError{ID: commit}
		if shallow, err := m.reader().word(ctx, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
			return fmt.Errorf("%w: it is a shallow clone; fetch its history with git fetch --unshallow", missing)
		}
		return missing
	case err != nil:
		return err
	case kind != "commit":
		return fmt.Errorf("%s is a %s, expected a commit", commit, kind)
	}
	return nil
}

// take makes the snapshot beside its final place and moves it there.
func take(ctx context.Context, dir string, from *Mirror, commit string) (err error) {
	store := filepath.Dir(dir)
	if err := os.MkdirAll(store, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(store, ".snapshot-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	repo := filepath.Join(work, "repo.git")
	format := "sha1"
	if len(commit) == 64 {
		format = "sha256"
	}
	if err := initBare(ctx, repo, format); err != nil {
		return err
	}
	g := git{dir: repo}
	if _, err := g.run(ctx, nil, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-recurse-submodules", "--upload-pack="+uploadPack, "--", from.dir, commit+":"+baseRef); err != nil {
		return withoutHang(err)
	}
	if _, err := g.run(ctx, nil, "symbolic-ref", "HEAD", baseRef); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(repo, candidates), 0o755); err != nil {
		return err
	}
	// A rename onto a folder that is not empty fails: another call was faster, and its snapshot is the same.
	if err := publish(repo, dir); err != nil {
		if _, statErr := os.Stat(filepath.Join(dir, "HEAD")); statErr != nil {
			return err
		}
	}
	return nil
}

// withoutHang drops the transport's closing remark, which hides the cause.
func withoutHang(err error) error {
	var f *failed
	if errors.As(err, &f) {
		f.stderr = strings.ReplaceAll(f.stderr, "fatal: the remote end hung up unexpectedly\n", "")
	}
	return err
}
