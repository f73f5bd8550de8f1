package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"evlab/sandbox/plan"
)

// stepSpec is what a step's folder says about itself.
type stepSpec struct {
	ID      string            `json:"id"`
	Attempt int               `json:"attempt"`
	Digest  string            `json:"digest"`
	Host    string            `json:"host"`
	Nonce   string            `json:"nonce"`
	Labels  map[string]string `json:"labels,omitempty"`
}

const specFile = "step.json"

func readSpec(dir string) (stepSpec, error) {
	var s stepSpec
	err := readJSON(filepath.Join(dir, specFile), &s)
	return s, err
}

func readJSON(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	return nil
}

func (h *host) stepDir(id string, attempt int) string {
	return filepath.Join(h.state, "steps", stepName(id, attempt))
}

func (h *host) Run(ctx context.Context, s Step) (Result, error) {
	if err := s.check(); err != nil {
		return Result{}, err
	}
	return attend(ctx, h, h.slots, s, h.run)
}

func (h *host) run(ctx context.Context, s Step, enter func() error) (Result, error) {
	if err := enter(); err != nil {
		return Result{}, err
	}
	var r Result
	dir := h.stepDir(s.ID, s.Attempt)
	spec, err := h.place(ctx, dir, s, &r)
	if err != nil {
		return r, err
	}
	out, err := openOutput(s, spec.Nonce)
	if err != nil {
		return r, err
	}
	defer out.discard()
	end, err := h.follow(ctx, dir, s.Limits, out)
	reach(h.at, pointEnded)
	if err != nil {
		return r, err
	}
	if err := out.commit(); err != nil {
		return r, err
	}
	return r, r.conclude(end, out)
}

// place makes sure that the step's folder is there and its keeper was started, once.
func (h *host) place(ctx context.Context, dir string, s Step, r *Result) (stepSpec, error) {
	for try := 0; ; try++ {
		spec, err := readSpec(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if try > 5 {
				return spec, fault(FaultEngineLost, "the folder of step %q vanishes as soon as it is made", s.ID)
			}
			if err := h.prepare(ctx, dir, s); err != nil {
				return spec, err
			}
			continue
		case err != nil:
			return spec, fault(FaultEngine, "looking for step %q: %w", s.ID, err)
		case spec.Host != h.options.Host || spec.ID != s.ID:
			return spec, fault(FaultOptions, "folder %s is not step %q of this installation", dir, s.ID)
		case spec.Digest != s.digest(): // another command under the same id
			if err := h.discard(ctx, dir); err != nil {
				return spec, err
			}
			continue
		}
		if begun(dir) || lockHeld(filepath.Join(dir, plan.LockFile)) {
			r.Reattached = true
			return spec, nil
		}
		reach(h.at, pointCreated)
		if err := h.start(dir); err != nil {
			return spec, fault(FaultHost, "starting step %q: %w", s.ID, err)
		}
		r.Starts = 1
		reach(h.at, pointStarted)
		return spec, nil
	}
}

func begun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, plan.BeganFile))
	return err == nil
}

// prepare makes the step's folder under another name and renames it when it is whole.
func (h *host) prepare(ctx context.Context, dir string, s Step) error {
	if err := checkDisk(h.state); err != nil {
		return err
	}
	imageDir, err := h.imageDir(s.Image.Ref)
	if err != nil {
		return err
	}
	var about hostImage
	if err := readJSON(filepath.Join(imageDir, "image.json"), &about); err != nil {
		return fault(FaultImage, "image %s of step %q is not there: %w", s.Image.Ref, s.ID, err)
	}
	if err := h.forgetOthers(ctx, dir, s); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), ".new-*")
	if err != nil {
		return fault(FaultHost, "making the folder of step %q: %w", s.ID, err)
	}
	defer removeAll(made)
	err = errors.Join(h.copyTree(filepath.Join(imageDir, "src"), filepath.Join(made, "tree")), h.makeDir(filepath.Join(made, "cache")))
	if err == nil {
		err = h.linkCache(filepath.Join(imageDir, "cache"), filepath.Join(made, "cache"))
	}
	if err == nil {
		p, contents := s.plan(h.layout(dir))
		p.Limits = plan.Limits{
			Memory: s.Limits.Memory, Processes: s.Limits.Processes, Scratch: s.Limits.Scratch + 1<<20, Tree: s.Limits.Scratch + layerSlack,
		}
		_, err = h.writeStepAs(made, dir, s, p, contents, about.Modules)
	}
	if err == nil {
		err = os.Rename(made, dir)
	}
	if err != nil {
		if _, there := os.Stat(dir); there == nil { // another process was quicker
			return nil
		}
		return fault(FaultHost, "making the folder of step %q: %w", s.ID, err)
	}
	return nil
}

// forgetOthers removes what other attempts of the step left.
func (h *host) forgetOthers(ctx context.Context, dir string, s Step) error {
	prefix := strings.TrimSuffix(filepath.Base(dir), decimal(s.Attempt))
	others, err := filepath.Glob(filepath.Join(filepath.Dir(dir), prefix+"*"))
	if err != nil {
		return fault(FaultHost, "looking for other attempts of step %q: %w", s.ID, err)
	}
	for _, other := range others {
		if spec, err := readSpec(other); other != dir && err == nil && spec.ID == s.ID && spec.Host == h.options.Host {
			if err := h.discard(ctx, other); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *host) writeStep(dir string, s Step, p plan.Plan, contents [][]byte, modules string) (stepSpec, error) {
	return h.writeStepAs(dir, dir, s, p, contents, modules)
}

// writeStepAs writes into dir all that a keeper needs to run the step once dir is called final.
func (h *host) writeStepAs(dir, final string, s Step, p plan.Plan, contents [][]byte, modules string) (stepSpec, error) {
	spec := stepSpec{
		ID: s.ID, Attempt: s.Attempt, Digest: s.digest(), Host: h.options.Host, Nonce: rand.Text(), Labels: h.options.labels(s.Labels),
	}
	l := h.layout(final)
	conf := plan.Host{
		Nonce: spec.Nonce, Namespaces: h.namespaces, User: h.user, Scratch: s.Limits.Scratch, Processes: s.Limits.Processes,
		Self: l.supervisor, In: l.step,
	}
	if modules == "" {
		modules = filepath.Join(final, "mod")
	}
	for _, sub := range []string{"in", "root", "mod"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			return spec, err
		}
	}
	if h.namespaces {
		conf.Binds = []plan.Bind{
			{From: h.tools.root, To: l.goRoot}, {From: h.supervisor, To: l.supervisor}, {From: filepath.Join(h.state, "etc"), To: "/etc"},
			{From: filepath.Join(final, "in"), To: l.step}, {From: modules, To: l.modules},
			{From: filepath.Join(final, "tree"), To: l.source, Write: true}, {From: filepath.Join(final, "cache"), To: l.cache, Write: true},
		}
	} else {
		if err := h.makeDir(filepath.Join(dir, "tmp")); err != nil {
			return spec, err
		}
		p.Env = mergeEnv(p.Env, []string{"GOMODCACHE=" + modules})
		p.Loose = true
		p.Scratch = "" // not a file system of its own
	}
	err := errors.Join(packed(filepath.Join(dir, "in"), p, contents), os.Chmod(dir, 0o755),
		writeJSON(filepath.Join(dir, plan.HostFile), conf), writeJSON(filepath.Join(dir, specFile), spec))
	return spec, err
}

// start starts the step's keeper, which lives on when this process does not.
func (h *host) start(dir string) error {
	c := exec.Command(h.supervisor, "host", dir)
	c.Dir, c.Env, c.SysProcAttr = dir, []string{}, apart()
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	for range 2000 {
		if begun(dir) {
			return nil
		}
		select {
		case <-ended:
			if begun(dir) || lockHeld(filepath.Join(dir, plan.LockFile)) {
				return nil
			}
			return fmt.Errorf("the keeper ended at once: %v", c.ProcessState)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return errors.New("the keeper does not begin")
}

// follow waits for the step's end, which it brings about at the limit of time, and reads its output.
func (h *host) follow(ctx context.Context, dir string, l Limits, out *output) (ending, error) {
	var began plan.Began
	var res plan.HostResult
	end := ending{}
	asked := time.Time{}
	for {
		if err := readJSON(filepath.Join(dir, plan.BeganFile), &began); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return end, fault(FaultEngine, "reading the beginning of a step: %w", err)
		}
		alive := lockHeld(filepath.Join(dir, plan.LockFile))
		err := readJSON(filepath.Join(dir, plan.ResultFile), &res)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return end, fault(FaultEngine, "reading the end of a step: %w", err)
		}
		if !alive {
			return end, fault(FaultEngineLost, "the keeper of the step in %s died", dir)
		}
		late := !began.At.IsZero() && time.Since(began.At) >= l.Timeout
		switch {
		case late && asked.IsZero():
			asked, end.killed = time.Now(), Deadline
			err = request(dir, plan.Deadline)
		case late && time.Since(asked) > 3*time.Second:
			err = request(dir, plan.Kill)
		default:
			err = nil
		}
		if err != nil {
			return end, fault(FaultHost, "ending a step: %w", err)
		}
		select {
		case <-ctx.Done():
			return end, context.Cause(ctx)
		case <-time.After(25 * time.Millisecond):
		}
	}
	for file, to := range map[string]io.Writer{plan.StdoutFile: out.stdout, plan.StderrFile: out.stderr} {
		if err := pour(filepath.Join(dir, file), to); err != nil {
			return end, fault(FaultHost, "reading a step's output: %w", err)
		}
	}
	end.exit, end.began, end.over = res.Exit, res.Began, res.Over
	end.elapsed = end.over.Sub(end.began) >= l.Timeout
	end.started, end.ended, end.failed = out.stderr.record(plan.Started), out.stderr.record(plan.Ended), out.stderr.record(plan.Failed)
	if end.ended != nil {
		end.peak = end.ended.Peak
	}
	return end, nil
}

func pour(file string, to io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, f)
	return err
}

func request(dir, what string) error {
	file := filepath.Join(dir, plan.RequestFile)
	if err := os.WriteFile(file+".new", []byte(what), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func (h *host) Forget(ctx context.Context, id string, attempt int) error {
	dir := h.stepDir(id, attempt)
	spec, err := readSpec(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || spec.Host != h.options.Host || spec.ID != id {
		return fault(FaultOptions, "forgetting step %q: folder %s belongs to something else (%v)", id, dir, err)
	}
	return h.discard(ctx, dir)
}

// discard kills what runs in a step's folder and removes the folder.
func (h *host) discard(ctx context.Context, dir string) error {
	held := func() bool { return lockHeld(filepath.Join(dir, plan.LockFile)) }
	for try := 0; held(); try++ {
		if try == 0 {
			if err := request(dir, plan.Kill); err != nil {
				return fault(FaultHost, "killing a step: %w", err)
			}
		}
		var b plan.Began
		if err := readJSON(filepath.Join(dir, plan.BeganFile), &b); try > 150 && err == nil && b.Keeper > 1 && held() {
			if p, err := os.FindProcess(b.Keeper); err == nil {
				_ = p.Kill() // takes the step with it
			}
		}
		if try > 250 || ctx.Err() != nil {
			return fault(FaultHost, "killing the step in %s: its keeper does not end", dir)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := removeAll(dir); err != nil {
		return fault(FaultHost, "removing a step's folder: %w", err)
	}
	return nil
}
