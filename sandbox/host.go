package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"evlab/sandbox/plan"
)

// host is the sandbox without an engine, for content that its user trusts. On Linux a step has namespaces of its own and
// sees what it would see in a container; where those are refused, and on other systems, it is a process group in the
// machine's own folders. A keeper process stands in for the engine.
type host struct {
	options    Options
	state      string // absolute
	supervisor string // file
	tools      toolchain
	namespaces bool
	user       int // to run commands as; -1 is this process's own
	slots      *slots
	facts      Facts
	imports    []string           // what the base's build cache holds
	at         func(point string) // for tests, as docker's
}

// OpenHost prepares this machine to run steps without an engine. Run as root it runs them as an unprivileged user, and
// refuses when it cannot.
func OpenHost(ctx context.Context, o Options) (Sandbox, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	state, err := filepath.Abs(o.State)
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Join(state, "steps"), 0o755), os.MkdirAll(filepath.Join(state, "images"), 0o755))
	}
	if err != nil {
		return nil, fault(FaultOptions, "opening the sandbox: %w", err)
	}
	goos, goarch := localPlatform()
	h := &host{options: o, state: state, user: -1, imports: warmImports}
	if h.supervisor, err = ensureProgram(ctx, state, supervisor, goos, goarch); err != nil {
		return nil, fault(FaultHost, "preparing the host sandbox: %w", err)
	}
	if h.tools, err = findToolchain(ctx, "", goos, goarch); err != nil {
		return nil, fault(FaultHost, "preparing the host sandbox: %w", err)
	}
	if h.tools.root, err = filepath.EvalSymlinks(h.tools.root); err != nil {
		return nil, fault(FaultHost, "preparing the host sandbox: %w", err)
	}
	if err := h.writeEtc(); err != nil {
		return nil, fault(FaultHost, "preparing the host sandbox: %w", err)
	}
	if os.Geteuid() == 0 {
		h.user = nobody
	}
	if err := h.try(ctx); err != nil {
		return nil, err
	}
	h.facts = Facts{
		Kind: "host", Engine: "process group", Version: runtime.Version(), OS: goos, Arch: goarch, Memory: machineMemory(), CPUs: runtime.NumCPU(),
	}
	if h.namespaces {
		h.facts.Engine = "namespaces"
	}
	h.slots = &slots{most: o.Slots}
	if o.Slots <= 0 {
		h.slots = &slots{most: runtime.NumCPU(), memory: h.facts.Memory - h.facts.Memory/8}
	}
	return h, nil
}

// try finds out by a small step whether namespaces are to be had, and whether the unprivileged user can run anything.
func (h *host) try(ctx context.Context) error {
	var errs []error
	for _, namespaces := range []bool{true, false} {
		if namespaces && runtime.GOOS != "linux" {
			continue
		}
		h.namespaces = namespaces
		err := h.checkReach()
		if err == nil {
			err = h.trial(ctx)
		}
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		errs = append(errs, err)
	}
	return fault(FaultHost, "this machine cannot run a step apart from evlab (as user %d, -1 being its own): %w", h.user, errors.Join(errs...))
}

// checkReach says which folder keeps the unprivileged user from the state folder, where it has to go there by itself.
func (h *host) checkReach() error {
	if h.namespaces || h.user < 0 {
		return nil
	}
	for dir := h.state; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		if info.Mode()&0o001 == 0 {
			return fmt.Errorf("user %d may not enter %s: choose another state folder", h.user, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

func (h *host) trial(ctx context.Context) error {
	dir, err := os.MkdirTemp(filepath.Join(h.state, "steps"), ".try-*")
	if err != nil {
		return err
	}
	defer removeAll(dir)
	s := Step{ID: "try", Image: Image{Ref: "try"}, Command: []string{h.layout(dir).supervisor}, Limits: Limits{
		Timeout: 20 * time.Second, Memory: 1 << 30, Scratch: 16 << 20, Log: 64 << 10, Processes: 64,
	}}
	for _, sub := range []string{"tree", "cache"} {
		if err := h.makeDir(filepath.Join(dir, sub)); err != nil {
			return err
		}
	}
	p, contents := s.plan(h.layout(dir))
	outcome, exit, err := h.attempt(ctx, dir, s, p, contents, "")
	if err == nil && (outcome != Completed || exit != 2) { // the supervisor without arguments tells its usage
		err = fmt.Errorf("the trial step ended as %s with status %d", outcome, exit)
	}
	return err
}

// attempt runs a plan in a folder of its own that nobody joins, and says how it ended.
func (h *host) attempt(ctx context.Context, dir string, s Step, p plan.Plan, contents [][]byte, modules string) (Outcome, int, error) {
	spec, err := h.writeStep(dir, s, p, contents, modules)
	if err != nil {
		return "", 0, err
	}
	if err := h.start(dir); err != nil {
		return "", 0, err
	}
	out, err := openOutput(s, spec.Nonce)
	if err != nil {
		return "", 0, err
	}
	end, err := h.follow(ctx, dir, s.Limits, out)
	if err != nil {
		return "", 0, err
	}
	return end.judge()
}

func (h *host) Kind() string { return "host" }
func (h *host) Close() error { return nil }

func (h *host) Probe(context.Context) (Facts, error) {
	f := h.facts
	f.FreeDisk = freeDisk(h.state)
	return f, nil
}

// layout is what the step in dir sees.
func (h *host) layout(dir string) layout {
	if h.namespaces {
		return contained
	}
	return layout{
		goRoot: h.tools.root, source: filepath.Join(dir, "tree"), scratch: filepath.Join(dir, "tmp"), cache: filepath.Join(dir, "cache"),
		modules: filepath.Join(dir, "mod"), step: filepath.Join(dir, "in"), supervisor: h.supervisor,
	}
}

// writeEtc writes the few files of /etc that programs look for.
func (h *host) writeEtc() error {
	dir := filepath.Join(h.state, "etc")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"passwd":        fmt.Sprintf("root:x:0:0:root:/:/none\nnobody:x:%d:%d:nobody:/tmp/home:/none\n", nobody, nobody),
		"group":         fmt.Sprintf("root:x:0:\nnogroup:x:%d:\n", nobody),
		"hosts":         "127.0.0.1\tlocalhost\n",
		"nsswitch.conf": "hosts: files dns\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (h *host) Remove(_ context.Context, i Image) error {
	dir, err := h.imageDir(i.Ref)
	if err != nil {
		return err
	}
	if err := removeAll(dir); err != nil {
		return fault(FaultImage, "removing image %s: %w", i.Ref, err)
	}
	return nil
}

var imageRef = regexp.MustCompile(`^evlab/host:([0-9a-f]{24})$`)

func (h *host) imageDir(ref string) (string, error) {
	m := imageRef.FindStringSubmatch(ref)
	if m == nil {
		return "", fault(FaultOptions, "%q is not an image of the host sandbox", ref)
	}
	return filepath.Join(h.state, "images", m[1]), nil
}

// removeAll removes a folder, also one in which a command took away its own rights.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

func (h *host) Reap(ctx context.Context, keep func(stepID string) bool) (int, error) {
	dirs, err := os.ReadDir(filepath.Join(h.state, "steps"))
	if err != nil {
		return 0, fault(FaultHost, "listing steps: %w", err)
	}
	reaped := 0
	var errs []error
	for _, d := range dirs {
		dir := filepath.Join(h.state, "steps", d.Name())
		if strings.HasPrefix(d.Name(), ".") { // being made, or left by a death while being made
			if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
				errs = append(errs, h.discard(ctx, dir))
			}
			continue
		}
		spec, err := readSpec(dir)
		if err != nil || spec.Host != h.options.Host || keep != nil && keep(spec.ID) {
			continue
		}
		if err := h.discard(ctx, dir); err != nil {
			errs = append(errs, err)
			continue
		}
		reaped++
	}
	return reaped, errors.Join(errs...)
}
