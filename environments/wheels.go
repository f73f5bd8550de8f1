package environments

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"evlab/artifacts"
	"evlab/environments/requirements"
	"evlab/experiments"
	"evlab/sandbox/wheel"
)

// Index fetches wheels for one Python. What was resolved once is in its store, and later runs have
// the same: an index changes. It is for one goroutine; several processes may share a store.
type Index struct {
	store   string
	from    string // identifies where the Python is from
	arch    string
	version string // of the Python: 3.11.2
	local   bool   // it is in /usr/local
	unpack  func(ctx context.Context) (*pip, error)
	pip     *pip  // nil until something has to be fetched
	deaf    error // what the first one said that found no index
}

// machines are the kernel's names of architectures.
var machines = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// OpenIndex reads off the recipe's packages, which Fetch gave, what Python there will be. The store is the same as
// Fetch's, the architecture's name the Go toolchain's.
func OpenIndex(store string, packages Packages, arch string) (*Index, error) {
	version, err := pythonVersion(packages)
	if err != nil {
		return nil, err
	}
	x := &Index{store: store, from: packages.ID, arch: arch, version: version}
	x.unpack = func(ctx context.Context) (*pip, error) {
		own, err := Fetch(ctx, store, []string{"python3-pip-whl"}, arch)
		if err != nil {
			return nil, err
		}
		return openPip(store, x.Python(), func(p *pip, root string) error { return p.fromPackages(ctx, root, x.Python(), packages, own) })
	}
	return x, nil
}

// Close removes what was unpacked to ask the index.
func (x *Index) Close() {
	if x.pip != nil {
		x.pip.close()
	}
}

var pythonPackage = regexp.MustCompile(`^python(3\.\d+)-minimal_(3\.\d+\.\d+)`)

func pythonVersion(packages Packages) (string, error) {
	debs, err := filepath.Glob(filepath.Join(packages.Dir, "python3.*-minimal_*.deb"))
	if err != nil {
		return "", err
	}
	if len(debs) != 1 {
		return "", fmt.Errorf("expected one Python among the recipe's packages, found %d", len(debs))
	}
	m := pythonPackage.FindStringSubmatch(filepath.Base(debs[0]))
	if m == nil {
		return "", fmt.Errorf("the package %s does not say the version of its Python", filepath.Base(debs[0]))
	}
	return m[2], nil
}

// Target is the interpreter of the recipe.
func (x *Index) Target() requirements.Target {
	return requirements.Target{Python: x.version, Machine: cmp.Or(machines[x.arch], x.arch)}
}

// Python is the interpreter's version as folders are named by it: 3.11.
func (x *Index) Python() string { return x.version[:strings.LastIndex(x.version, ".")] }

// resolved is how an answer is kept.
type resolved struct {
	Set     requirements.Set    `json:"requirements"`
	Target  requirements.Target `json:"target"`
	Fetched time.Time           `json:"fetched"`
	Wheels  []experiments.Wheel `json:"wheels"`
}

// Resolve gives the wheels of what a repository asks for, with all that they depend on, and fetches them. The error is
// one sentence; it is ErrIndex where nobody answered.
func (x *Index) Resolve(ctx context.Context, set requirements.Set) ([]experiments.Wheel, error) {
	if len(set.Wanted) == 0 {
		return nil, nil
	}
	key, err := experiments.DigestJSON([]any{"evlab-wheels-1", set, x.Target(), x.from})
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(x.store, "wheels")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "resolved-"+string(key[:24]))
	unlock, err := lockedfile.MutexAt(name + ".lock").Lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	known, err := readResolved(name + ".json")
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return known, err
	}
	if x.deaf != nil {
		return nil, x.deaf
	}
	wheels, err := x.resolve(ctx, set)
	if err != nil {
		if errors.Is(err, ErrIndex) {
			x.deaf = err
		}
		return nil, err
	}
	data, err := json.MarshalIndent(resolved{set, x.Target(), time.Now().UTC(), wheels}, "", "  ")
	if err != nil {
		return nil, err
	}
	return wheels, artifacts.WriteFile(name+".json", data)
}

func readResolved(file string) ([]experiments.Wheel, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r resolved
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w; remove the file to have the index asked again", file, err)
	}
	return r.Wheels, nil
}

func (x *Index) resolve(ctx context.Context, set requirements.Set) ([]experiments.Wheel, error) {
	if err := x.open(ctx); err != nil {
		return nil, err
	}
	dest, err := os.MkdirTemp(x.pip.dir, "fetched-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dest)
	if !set.Locked {
		var options []string
		if set.Pre {
			options = append(options, "--pre")
		}
		if err := x.pip.download(ctx, dest, set.Wanted, set.Constraints, options...); err != nil {
			return nil, err
		}
		return x.keep(dest)
	}
	var hashed, bare []string // pip takes hashes for all of its lines, or for none
	for _, line := range set.Wanted {
		if strings.Contains(line, " --hash=") {
			hashed = append(hashed, line)
		} else {
			bare = append(bare, line)
		}
	}
	if len(hashed) > 0 {
		if err := x.pip.download(ctx, dest, hashed, nil, "--no-deps", "--require-hashes"); err != nil {
			return nil, err
		}
	}
	if len(bare) > 0 {
		if err := x.pip.download(ctx, dest, bare, nil, "--no-deps"); err != nil {
			return nil, err
		}
	}
	return x.keep(dest)
}

// open unpacks pip and its interpreter, once.
func (x *Index) open(ctx context.Context) error {
	if x.pip != nil {
		return nil
	}
	if err := os.MkdirAll(x.store, 0o755); err != nil {
		return err
	}
	var err error
	x.pip, err = x.unpack(ctx)
	return err
}

// keep takes wheels that were fetched into the store, if all of them are sound and fit beside each other.
func (x *Index) keep(fetched string) ([]experiments.Wheel, error) {
	entries, err := os.ReadDir(fetched) // sorted
	if err != nil {
		return nil, err
	}
	var wheels []experiments.Wheel
	var files []string
	projects := map[string]string{}
	for _, e := range entries {
		named, err := wheel.ParseName(e.Name())
		if err != nil {
			return nil, err
		}
		if other := projects[strings.ToLower(named.Project)]; other != "" {
			return nil, fmt.Errorf("the index gave %s and %s", other, e.Name())
		}
		projects[strings.ToLower(named.Project)] = e.Name()
		file := filepath.Join(fetched, e.Name())
		d, err := digestFile(file)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		wheels = append(wheels, experiments.Wheel{File: e.Name(), Digest: d})
	}
	err = wheel.Layout(files, wheel.Python{Version: x.Python(), Local: x.local}, func(_ wheel.Entry, content io.Reader) error {
		_, err := io.Copy(io.Discard, content)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, w := range wheels {
		if err := os.MkdirAll(filepath.Dir(x.path(w)), 0o755); err != nil {
			return nil, err
		}
		if err := os.Rename(files[i], x.path(w)); err != nil {
			return nil, err
		}
	}
	return wheels, nil
}

func (x *Index) path(w experiments.Wheel) string {
	return filepath.Join(x.store, "wheels", string(w.Digest), w.File)
}

// Files gives the files of wheels that a contract names, in its order. What the store has lost is fetched again, by its
// hash.
func (x *Index) Files(ctx context.Context, wheels []experiments.Wheel) (files []string, err error) {
	var lost []string
	for _, w := range wheels {
		named, err := wheel.ParseName(w.File)
		if err != nil {
			return nil, err
		}
		if !w.Digest.Valid() {
			return nil, fmt.Errorf("the digest of %s is none", w.File)
		}
		files = append(files, x.path(w))
		if _, err := os.Stat(x.path(w)); errors.Is(err, fs.ErrNotExist) {
			lost = append(lost, fmt.Sprintf("%s==%s --hash=sha256:%s", named.Project, named.Version, w.Digest))
		} else if err != nil {
			return nil, err
		}
	}
	if len(lost) == 0 {
		return files, nil
	}
	if err := os.MkdirAll(filepath.Join(x.store, "wheels"), 0o755); err != nil {
		return nil, err
	}
	again, err := x.resolve(ctx, requirements.Set{Wanted: lost, Locked: true})
	if err != nil {
		return nil, fmt.Errorf("fetching %d wheels again that are not in %s any more: %w", len(lost), filepath.Join(x.store, "wheels"), err)
	}
	for _, w := range again {
		if !slices.Contains(wheels, w) {
			return nil, fmt.Errorf("the index gave %s (%s), which is none of those that were lost", w.File, w.Digest)
		}
	}
	return files, nil
}

// digestFile is the digest of a file that may be large.
func digestFile(name string) (experiments.Digest, error) {
	sum, err := sumFile(name)
	return experiments.Digest(fmt.Sprintf("%x", sum)), err
}
