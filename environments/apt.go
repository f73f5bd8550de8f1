package environments

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"evlab/artifacts"
)

// apt is Debian's, in folders of its own: no lock, no list and no cache of the system's is touched, and the packages that
// are installed on this machine do not count.
type apt struct {
	dir     string
	options []string
}

// newApt makes the folders in dir. They are for one process at a time.
func newApt(dir, arch string) (apt, error) {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return apt{}, errors.New("apt-get is not on this machine: such environments are made on Debian and its kin; let the task name an image instead")
	}
	for _, d := range []string{"lists/partial", "archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return apt{}, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "status"), nil, 0o644); err != nil {
		return apt{}, err
	}
	return apt{dir, []string{
		"-o", "Dir::State::status=" + filepath.Join(dir, "status"), "-o", "Dir::State::Lists=" + filepath.Join(dir, "lists"),
		"-o", "Dir::Cache=" + dir, "-o", "Dir::Cache::archives=" + filepath.Join(dir, "archives"), "-o", "Debug::NoLocking=1",
		"-o", "APT::Architecture=" + arch, "-o", "APT::Architectures=" + arch, "-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=3",
		"-o", "Acquire::Languages=none", "-q",
	}}, nil
}

// run runs one of apt's programs and gives what it printed.
func (a apt) run(ctx context.Context, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, append(slices.Clone(a.options), args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	var out, warned bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &warned
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", program, args[0], err, lastLines(warned.String()+out.String(), 3))
	}
	return out.Bytes(), nil
}

// Known lists, once for each store, the names of Debian's packages that begin with prefix, for an architecture as the Go
// toolchain names it. It needs what Fetch needs.
func Known(ctx context.Context, store, prefix, arch string) (map[string]bool, error) {
	if err := os.MkdirAll(store, 0o755); err != nil {
		return nil, err
	}
	file, err := filepath.Abs(filepath.Join(store, "debian-names-"+prefix+arch))
	if err != nil {
		return nil, err
	}
	unlock, err := lockedfile.MutexAt(file + ".lock").Lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	text, err := os.ReadFile(file)
	if err != nil {
		if text, err = packageNames(ctx, file+".apt", prefix, arch); err != nil {
			return nil, fmt.Errorf("listing Debian's packages: %w", err)
		}
		if err := artifacts.WriteFile(file, text); err != nil {
			return nil, err
		}
	}
	known := map[string]bool{}
	for name := range strings.FieldsSeq(string(text)) {
		known[name] = true
	}
	return known, nil
}

// packageNames are those of packages, one a line, sorted.
func packageNames(ctx context.Context, dir, prefix, arch string) ([]byte, error) {
	defer os.RemoveAll(dir)
	a, err := newApt(dir, arch)
	if err != nil {
		return nil, err
	}
	_, update := a.run(ctx, "apt-get", "update") // as in fetch: what it gave counts
	out, err := a.run(ctx, "apt-cache", "dumpavail")
	if err != nil {
		return nil, errors.Join(err, update)
	}
	var all []string
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "Package: "+prefix); ok {
			all = append(all, prefix+name)
		}
	}
	if len(all) == 0 {
		return nil, errors.Join(fmt.Errorf("there is none whose name begins with %s", prefix), update)
	}
	slices.Sort(all)
	return []byte(strings.Join(slices.Compact(all), "\n") + "\n"), nil
}
