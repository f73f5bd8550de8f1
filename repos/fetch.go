package repos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// passedOn are the variables of the caller's environment that a transport may need: the way through a proxy, the
// certificates to trust, and the agent that holds the user's keys for ssh.
var passedOn = []string{
	"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSH_AUTH_SOCK",
}

// transport is git that speaks the origin's protocol and no other. It asks nobody: what needs a name or a password fails.
func (o Origin) transport(dir string) git {
	g := git{dir: dir, env: []string{"GIT_ALLOW_PROTOCOL=" + o.allow, "GIT_SSH_COMMAND=ssh -oBatchMode=yes -oStrictHostKeyChecking=yes", "GIT_SSH_VARIANT=ssh"}}
	for _, name := range passedOn {
		if v, ok := os.LookupEnv(name); ok {
			g.env = append(g.env, name+"="+v)
		}
	}
	return g
}

// Fetch gives a mirror of the origin that has the commit. It is fetched into store once, with all branches and tags, and
// shared; where it is there and lacks the commit, that is asked for, and then branches and tags once more. Concurrent calls, also of
// other processes, wait for each other. A mirror appears complete or not at all: what a killed fetch left is removed by
// the next one. A commit that the origin has not is a *NotFoundError.
func Fetch(ctx context.Context, store string, o Origin, commit string) (*Mirror, error) {
	m, err := fetch(ctx, store, o, commit)
	if err != nil {
		return nil, fmt.Errorf("fetching %s: %w", printable(o.text), err)
	}
	return m, nil
}

func fetch(ctx context.Context, store string, o Origin, commit string) (*Mirror, error) {
	if !objectID(commit) {
		return nil, fmt.Errorf("commit %.60q is not a full commit id", commit)
	}
	store, err := filepath.Abs(store)
	if err != nil {
		return nil, err
	}
	m := &Mirror{dir: filepath.Join(store, o.name)}
	var missing *NotFoundError
	if isDir(m.dir) { // without the lock: what is there is whole
		if err := m.HasCommit(ctx, commit); err == nil || !errors.As(err, &missing) {
			return m, err
		}
	}
	if err := os.MkdirAll(store, 0o755); err != nil {
		return nil, err
	}
	unlock, err := Lock(ctx, m.dir+".lock")
	if err != nil {
		return nil, err
	}
	defer unlock()
	fresh := !isDir(m.dir)
	if fresh {
		if err := o.clone(ctx, m.dir, len(commit)); err != nil {
			return nil, err
		}
	}
	if err := m.HasCommit(ctx, commit); err == nil || !errors.As(err, &missing) {
		return m, err
	}
	g := o.transport(m.dir)
	var refused *failed
	// Servers may refuse what no branch leads to.
	if _, err := g.run(ctx, nil, fetchArgs(o, commit+":refs/fetched/"+commit)...); err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	if !fresh && refused != nil {
		if err := o.update(ctx, m.dir); err != nil {
			return nil, err
		}
	}
	return m, m.HasCommit(ctx, commit)
}

func fetchArgs(o Origin, refspecs ...string) []string {
	args := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
		"--no-auto-maintenance", "--no-recurse-submodules", "--force", "--atomic"}
	if o.allow == "file" {
		args = append(args, "--upload-pack="+uploadPack)
	}
	return append(append(args, "--", o.text), refspecs...)
}

// clone makes the mirror beside its place and moves it there.
func (o Origin) clone(ctx context.Context, dir string, digits int) (err error) {
	work := filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".partial") // of a name: what is left of a killed one is found
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	format := "sha1"
	if digits == 64 {
		format = "sha256"
	}
	if err := initBare(ctx, work, format); err != nil {
		return err
	}
	if err := o.update(ctx, work); err != nil {
		return err
	}
	return publish(work, dir)
}

// update fetches branches and tags, or all that a bundle has.
func (o Origin) update(ctx context.Context, dir string) error {
	g := o.transport(dir)
	refspecs := []string{"+refs/heads/*:refs/fetched/heads/*", "+refs/tags/*:refs/fetched/tags/*"}
	if filepath.IsAbs(o.text) {
		heads, err := g.run(ctx, nil, "bundle", "list-heads", o.text)
		if err != nil {
			return err
		}
		refspecs = []string{"+refs/*:refs/fetched/*"}
		if strings.Contains("\n"+string(heads), " HEAD\n") {
			refspecs = append(refspecs, "+HEAD:refs/fetched/HEAD")
		}
	}
	_, err := g.run(ctx, nil, fetchArgs(o, refspecs...)...)
	return withoutHang(err)
}

// Lock takes a lock among processes and waits for it as long as ctx lets it. The file's folder must be there.
func Lock(ctx context.Context, file string) (unlock func(), err error) {
	type got struct {
		unlock func()
		err    error
	}
	result := make(chan got, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(file).Lock()
		result <- got{unlock, err}
	}()
	select {
	case g := <-result:
		return g.unlock, g.err
	case <-ctx.Done():
		go func() {
			if g := <-result; g.err == nil {
				g.unlock()
			}
		}()
		return nil, context.Cause(ctx)
	}
}
