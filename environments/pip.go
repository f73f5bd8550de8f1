package environments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evlab/sandbox/wheel"
)

// Bounds of what an index may make pip do.
var (
	maxWheel  int64 = 4 << 30 // bytes of one file
	fetchTime       = 20 * time.Minute
)

const maxMemory = 4 << 30

// ErrIndex says that the index did not answer, so that others need not be asked of it.
var ErrIndex = errors.New("the index does not answer")

// pip is one that runs in the very interpreter that the tests will have: what it takes for fitting fits there, whatever this
// machine has. Both are unpacked from Debian's packages or out of an image, and nothing of the machine's Python is used.
type pip struct {
	dir     string   // removed at the end
	home    string   // of the interpreter
	path    string   // where pip is, when it is not among the interpreter's modules
	command []string // runs it
}

// openPip unpacks interpreter and pip as fill does, into a folder, and is told where the interpreter is in there: its home,
// and pip's.
func openPip(store, python string, fill func(p *pip, root string) error) (_ *pip, err error) {
	left, _ := filepath.Glob(filepath.Join(store, "pip-*")) // of processes that were killed; the pattern is a good one
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(dir)
		}
	}
	dir, err := os.MkdirTemp(store, "pip-")
	if err != nil {
		return nil, err
	}
	p := &pip{dir: dir}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		return nil, err
	}
	if err := fill(p, root); err != nil {
		return nil, err
	}
	loader, err := find(root, "loader", "lib/*/ld-linux*.so.*", "usr/lib/*/ld-linux*.so.*", "lib/ld-linux*.so.*", "usr/lib/ld-linux*.so.*")
	if err != nil {
		return nil, err
	}
	program, err := find(p.home, "python3", "bin/python"+python)
	if err != nil {
		return nil, err
	}
	folder := filepath.Base(filepath.Dir(loader)) // of the architecture
	if folder == "lib" {
		folder = "*"
	}
	var libraries []string
	for _, pattern := range []string{filepath.Join("usr", "local", "lib"), filepath.Join("lib", folder), filepath.Join("usr", "lib", folder)} {
		found, _ := filepath.Glob(filepath.Join(root, pattern)) // the pattern is a good one
		libraries = append(libraries, found...)
	}
	p.command = []string{
		loader, "--library-path", strings.Join(libraries, ":"), program, "-s", "-m", "pip",
		"-vv", "--disable-pip-version-check", "--no-input", "--no-color", "--no-cache-dir", // without -vv it keeps silence's reasons to itself
	}
	return p, nil
}

// find is the first file of the patterns.
func find(root, what string, patterns ...string) (string, error) {
	for _, pattern := range patterns {
		if found, _ := filepath.Glob(filepath.Join(root, pattern)); len(found) > 0 { // the pattern is a good one
			return found[0], nil
		}
	}
	return "", fmt.Errorf("what was unpacked has no %s", what)
}

// fromPackages unpacks Debian's interpreter and pip from folders of packages.
func (p *pip) fromPackages(ctx context.Context, root, python string, packages ...Packages) error {
	for _, from := range packages {
		debs, err := filepath.Glob(filepath.Join(from.Dir, "*.deb"))
		if err != nil {
			return err
		}
		for _, deb := range debs {
			// The interpreter, what it loads, and pip; the first folder's before the others'.
			if name := filepath.Base(deb); !strings.HasPrefix(name, "lib") && !strings.HasPrefix(name, "python3") && !strings.HasPrefix(name, "zlib1g") ||
				from != packages[0] && !strings.HasPrefix(name, "python3-pip-whl_") {
				continue
			}
			if out, err := exec.CommandContext(ctx, "dpkg-deb", "-x", deb, root).CombinedOutput(); err != nil {
				return fmt.Errorf("unpacking %s: %w: %s", filepath.Base(deb), err, lastLines(string(out), 2))
			}
		}
	}
	own, err := find(root, "pip", "usr/share/python-wheels/pip-*.whl")
	if err != nil {
		return err
	}
	as := wheel.Python{Version: python}
	p.home, p.path = filepath.Join(root, "usr"), filepath.Join(p.dir, "pip", filepath.FromSlash(as.Site()))
	return unpack(own, as, filepath.Join(p.dir, "pip"))
}

// unpack lays a wheel out in a folder: pip starts much faster from there than from its archive.
func unpack(file string, python wheel.Python, dir string) error {
	return wheel.Layout([]string{file}, python, func(e wheel.Entry, content io.Reader) error {
		name := filepath.Join(dir, filepath.FromSlash(e.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Close())
	})
}

func (p *pip) close() { os.RemoveAll(p.dir) }

// pipSettings are those of pip's variables that say where an index is and how it is reached. The others change what a
// download is. Its configuration files are read as ever.
var pipSettings = []string{
	"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_CERT", "PIP_CLIENT_CERT", "PIP_TRUSTED_HOST", "PIP_PROXY",
	"PIP_DEFAULT_TIMEOUT", "PIP_TIMEOUT", "PIP_RETRIES", "PIP_CONFIG_FILE",
}

func (p *pip) environment() []string {
	env := []string{"PYTHONHOME=" + p.home, "PYTHONPATH=" + p.path, "LC_ALL=C.UTF-8", "TMPDIR=" + p.dir, "PIP_REQUIRE_VIRTUALENV=0"}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "PYTHON"), strings.HasPrefix(name, "LD_"), name == "TMPDIR", strings.HasPrefix(name, "LC_"):
		case strings.HasPrefix(name, "PIP_") && !slices.Contains(pipSettings, name):
		default:
			env = append(env, v)
		}
	}
	return env
}

// download fetches what the lines name, and nothing but wheels: to look into a source distribution is to run it.
func (p *pip) download(ctx context.Context, dest string, wanted, constraints []string, options ...string) error {
	if err := os.MkdirAll(dest, 0o755); err != nil {
		return err
	}
	args := append(slices.Clone(p.command), "download", "--only-binary", ":all:", "--progress-bar", "off", "--dest", dest)
	for option, lines := range map[string][]string{"--requirement": wanted, "--constraint": constraints} {
		if len(lines) == 0 {
			continue
		}
		file := filepath.Join(p.dir, option[2:]+".txt")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			return err
		}
		args = append(args, option, file)
	}
	args = append(args, options...)
	limited, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.dir, p.environment(), 5*time.Second
	out := &listener{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting pip: %w", err)
	}
	if err := limit(cmd.Process.Pid, maxWheel, maxMemory); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		return fmt.Errorf("limiting pip: %w", err)
	}
	err := cmd.Wait()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		return fmt.Errorf("pip did not end within %s: %w", fetchTime, ErrIndex)
	}
	reason, deaf := out.deciding()
	if deaf {
		return fmt.Errorf("%w: pip: %s", ErrIndex, reason)
	}
	return errors.New("pip: " + reason)
}
