package sandbox

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"evlab/sandbox/plan"
)

// An image of the host sandbox is a folder: "src", the tree; "cache", a warm build cache; "image.json".
type hostImage struct {
	Modules string            `json:"modules,omitempty"` // the recipe's folder, shown as it is
	Labels  map[string]string `json:"labels"`
}

func (h *host) Ensure(ctx context.Context, r Recipe) (Image, error) {
	if err := r.check(); err != nil {
		return Image{}, err
	}
	if err := checkModules(r.Modules); err != nil {
		return Image{}, fault(FaultOptions, "recipe of task %q: its module cache: %w", r.Task, err)
	}
	if r.System != nil || r.Given != nil {
		return Image{}, fault(FaultOptions, "recipe of task %q wants a system of its own, and the host sandbox has this machine and Go alone; use Docker", r.Task)
	}
	if r.GoVersion != "" && r.GoVersion != h.tools.version {
		return Image{}, fault(FaultImage, "recipe of task %q wants %s, and this machine has %s", r.Task, r.GoVersion, h.tools.version)
	}
	standard, base := "", ""
	if len(r.Warm) > 0 {
		var err error
		goos, goarch := localPlatform()
		if standard, base, err = ensureStandard(ctx, h.options.State, h.tools.version, goos, goarch, h.imports); err != nil {
			return Image{}, fault(FaultImage, "making the image of task %q: %w", r.Task, err)
		}
	}
	sum := sha256.Sum256([]byte(r.ID() + "\n" + base + "\n" + r.Modules))
	i := Image{ID: fmt.Sprintf("%x", sum[:12]), Ref: fmt.Sprintf("evlab/host:%x", sum[:12])}
	labels := h.options.labels(r.Labels, map[string]string{LabelTask: r.Task})
	return i, h.ensureImage(ctx, i.ID, standard, hostImage{Modules: r.Modules, Labels: labels}, r.Snapshot, r.Warm)
}

// ensureImage makes the image's folder under another name and renames it when it is whole.
func (h *host) ensureImage(ctx context.Context, id, standard string, about hostImage, tree func(io.Writer) error, warm [][]string) error {
	dir := filepath.Join(h.state, "images", id)
	unlock, err := lock(ctx, h.options.lockFile("image-"+id))
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := checkDisk(h.state); err != nil {
		return err
	}
	made := filepath.Join(h.state, "images", ".new-"+id)
	if err := removeAll(made); err != nil {
		return fault(FaultImage, "making image %s: %w", id, err)
	}
	defer removeAll(made)
	err = errors.Join(os.Mkdir(made, 0o755), os.Mkdir(filepath.Join(made, "src"), 0o755), h.makeDir(filepath.Join(made, "cache")))
	if err == nil {
		err = extract(tree, filepath.Join(made, "src"))
	}
	if err == nil && standard != "" {
		err = h.linkCache(standard, filepath.Join(made, "cache"))
	}
	if err == nil && len(warm) > 0 {
		err = h.warm(ctx, made, about.Modules, warm)
	}
	if err == nil {
		err = freeze(filepath.Join(made, "cache"))
	}
	if err == nil {
		err = writeJSON(filepath.Join(made, "image.json"), about)
	}
	if err == nil {
		err = os.Rename(made, dir)
	}
	if err != nil && ctx.Err() == nil {
		return fault(FaultImage, "making image %s: %w", id, err)
	}
	return err
}

// warm runs the commands in a copy of the tree, as the steps will run theirs, for the cache that they leave.
func (h *host) warm(ctx context.Context, image, modules string, commands [][]string) error {
	dir, err := os.MkdirTemp(filepath.Join(h.state, "steps"), ".warm-*")
	if err != nil {
		return err
	}
	defer h.discard(context.WithoutCancel(ctx), dir)
	if err := h.copyTree(filepath.Join(image, "src"), filepath.Join(dir, "tree")); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(image, "cache"), filepath.Join(dir, "cache")); err != nil {
		return err
	}
	s := Step{ID: "warm", Command: commands[0], Limits: Limits{
		Timeout: warmTime, Memory: max(1<<30, machineMemory()/2), Scratch: 2 << 30, Log: 4 << 20, Processes: 4096,
	}}
	p, contents := s.plan(h.layout(dir))
	p.Commands, p.Image, p.Deadline = commands, true, warmTime
	outcome, exit, err := h.attempt(ctx, dir, s, p, contents, modules)
	if err == nil && (outcome == Deadline || outcome == Disk) {
		err = fmt.Errorf("warming with %q: %s (status %d)", commands, outcome, exit)
	}
	return errors.Join(err, os.Rename(filepath.Join(dir, "cache"), filepath.Join(image, "cache")))
}

// extract writes a snapshot into an empty folder.
func extract(snapshot func(w io.Writer) error, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return readSnapshot(snapshot, func(e entry, content io.Reader) error {
		if e.kind == tar.TypeDir {
			return root.MkdirAll(e.name, 0o755)
		}
		if err := root.MkdirAll(path.Dir(e.name), 0o755); err != nil {
			return err
		}
		if e.kind == tar.TypeSymlink {
			return root.Symlink(e.target, e.name)
		}
		f, err := root.OpenFile(e.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(e.mode))
		if err != nil {
			return err
		}
		_, err = io.CopyN(f, content, e.size)
		return errors.Join(err, f.Chmod(fs.FileMode(e.mode)), f.Close(), root.Chtimes(e.name, imageTime, imageTime))
	})
}

// makeDir makes a folder that commands may write to.
func (h *host) makeDir(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return h.give(dir)
}

// give makes the commands' user the owner.
func (h *host) give(name string) error {
	if h.user < 0 {
		return nil
	}
	return os.Lchown(name, h.user, h.user)
}

// copyTree copies an image's tree for one step to change.
func (h *host) copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return h.makeDir(target)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return errors.Join(os.Symlink(link, target), h.give(target))
		}
		return errors.Join(copyRegular(name, target), h.give(target))
	})
}

func copyRegular(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(info.Mode().Perm()), out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// linkCache makes a build cache that begins with another one's content. What is large and never changed again is shared
// and stays out of the commands' reach when they have a user of their own; the small index entries are copied.
func (h *host) linkCache(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == from {
			return err
		}
		target := filepath.Join(to, name[len(from):])
		if d.IsDir() {
			return h.makeDir(target)
		}
		if strings.HasSuffix(name, "-d") && os.Link(name, target) == nil {
			return nil
		}
		if err := copyRegular(name, target); err != nil {
			return err
		}
		return errors.Join(os.Chmod(target, 0o644), h.give(target))
	})
}

// freeze makes a build cache read-only for everybody, this process's user being its owner.
func freeze(dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if os.Geteuid() == 0 {
			if err := os.Lchown(name, 0, 0); err != nil {
				return err
			}
		}
		if d.IsDir() {
			return os.Chmod(name, 0o755)
		}
		return os.Chmod(name, 0o444)
	})
}

func writeJSON(file string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return os.Rename(f.Name(), file)
}

// packed is the plan as files in dir.
func packed(dir string, p plan.Plan, contents [][]byte) error {
	for i, content := range contents {
		if err := os.WriteFile(filepath.Join(dir, decimal(i)), content, 0o644); err != nil {
			return err
		}
	}
	return writeJSON(filepath.Join(dir, plan.File), p)
}
