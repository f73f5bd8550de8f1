package sandbox

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"path"
	"path/filepath"
	"strings"
	"time"

	"evlab/repos"
)

// Limits bound a step. All but CPUs are required; zero CPUs means all of them.
type Limits struct {
	Timeout   time.Duration // from the command's start
	Memory    int64         // bytes for the command; scratch is on top of it
	Scratch   int64         // bytes of /tmp, and of growth of everything else that is writable
	Log       int64         // bytes kept of each of standard output and error; a line costs 64 more
	Processes int           // processes and threads
	CPUs      float64
}

// Step is one command in one container.
type Step struct {
	ID       string // stable: the same ID and Attempt are the same execution
	Attempt  int
	Image    Image
	Dir      string   // slash-separated, inside the repository; "" is its root
	Command  []string // program and arguments; no shell
	Env      []string // NAME=value, added to the fixed environment; a later name wins
	Files    repos.Delta
	Held     []string // paths of Files that the command has no business changing: Result.Altered tells
	Limits   Limits
	Labels   map[string]string
	Stdout   string // host file to write; "" for none
	Stderr   string
	Progress func() `json:"-"` // called every few seconds while Run waits; may be nil
}

// Outcome is how a command ended, as far as the sandbox can tell.
type Outcome string

// The outcomes. Completed alone is always the command's own doing; so is Killed by any signal but SIGKILL.
const (
	Completed  Outcome = "completed"   // ended by itself, whatever the exit status
	Deadline   Outcome = "deadline"    // killed at Limits.Timeout
	Memory     Outcome = "memory"      // the kernel killed the command or a child of it for memory
	Disk       Outcome = "disk"        // scratch was full, or the writable layer outgrew it
	Processes  Outcome = "processes"   // a fork was refused and the command failed
	Killed     Outcome = "killed"      // ended by a signal that nobody here sent
	EngineLost Outcome = "engine-lost" // always with a Fault
	Cancelled  Outcome = "cancelled"   // always with the context's cause as error
)

// Result is how a step ended.
type Result struct {
	Exit       int // as a shell counts: 128 and the signal for a signalled command
	Outcome    Outcome
	Truncated  bool      // something is missing between the head and the tail of Stdout or Stderr
	Reattached bool      // an earlier call had started it
	Started    time.Time // by the engine's clock
	Ended      time.Time
	Peak       int64  // bytes of memory at most, 0 when not known
	Starts     int    // commands really started by this call: 0 or 1
	Altered    string // the first of Step.Held that was not the same afterwards, "" for none
}

// name is what a step's container is called.
func (s Step) name() string { return stepName(s.ID, s.Attempt) }

func stepName(id string, attempt int) string {
	sum := sha256.Sum256([]byte(id))
	return fmt.Sprintf("evlab-%x-%d", sum[:6], attempt)
}

// digest covers all that decides what the step does, and nothing about where its output goes.
func (s Step) digest() string {
	h := sha256.New()
	list := func(items ...string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(items)))
		h.Write(n[:])
		for _, item := range items {
			binary.BigEndian.PutUint64(n[:], uint64(len(item)))
			h.Write(n[:])
			io.WriteString(h, item)
		}
	}
	list("evlab-step-1", s.ID, s.Image.Ref, s.Dir)
	list(s.Command...)
	list(s.Env...)
	list(s.Files.Remove...)
	for _, f := range s.Files.Files {
		list(f.Path, f.Mode, string(f.Content))
	}
	list(fmt.Sprintf("%+v", s.Limits))
	return hex.EncodeToString(h.Sum(nil))
}

// check refuses what no sandbox could run, before anything is made for it.
func (s Step) check() error {
	bad := func(format string, args ...any) error {
		return fault(FaultOptions, "step %q: %w", s.ID, fmt.Errorf(format, args...))
	}
	switch l := s.Limits; {
	case s.ID == "" || len(s.ID) > 1024 || strings.ContainsRune(s.ID, 0):
		return bad("ID must have 1 to 1024 bytes without NUL")
	case s.Attempt < 0:
		return bad("Attempt %d is negative", s.Attempt)
	case s.Image.Ref == "":
		return bad("Image.Ref is empty")
	case len(s.Command) == 0 || s.Command[0] == "":
		return bad("Command is empty")
	case s.Dir != "" && (!filepath.IsLocal(filepath.FromSlash(s.Dir)) || path.Clean(s.Dir) != s.Dir):
		return bad("Dir %q is not a clean path inside the repository", s.Dir)
	case l.Timeout < time.Second, l.Timeout > 24*time.Hour:
		return bad("Limits.Timeout is %v, want one second to one day", l.Timeout)
	case l.Memory < 16<<20, l.Scratch < 1<<20, l.Log < 64<<10, l.Processes < 16:
		return bad("Limits are below the least of memory 16 MiB, scratch 1 MiB, log 64 KiB, processes 16")
	case l.Memory > 1<<44, l.Scratch > 1<<44, l.Log > 1<<32, l.Processes > 1<<20:
		return bad("Limits are above the most of memory 16 TiB, scratch 16 TiB, log 4 GiB, processes 1048576")
	case l.CPUs < 0, l.CPUs > 0 && l.CPUs < 0.01, l.CPUs > 1024, math.IsNaN(l.CPUs):
		return bad("Limits.CPUs is %v, want 0 or 0.01 to 1024", l.CPUs)
	}
	for _, words := range [][]string{s.Command, s.Env} {
		for _, w := range words {
			if strings.ContainsRune(w, 0) {
				return bad("%q holds a NUL", w)
			}
		}
	}
	for _, v := range s.Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
			return bad("Env entry %q is not NAME=value", v)
		}
	}
	if err := checkDelta(s.Files); err != nil {
		return bad("%w", err)
	}
	return nil
}

// checkDelta refuses a change that leads out of the tree or is neither file nor link.
func checkDelta(d repos.Delta) error {
	for _, name := range d.Remove {
		if err := checkPath(name); err != nil {
			return fmt.Errorf("removing: %w", err)
		}
	}
	for _, f := range d.Files {
		if err := checkPath(f.Path); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		switch f.Mode {
		case "100644", "100755":
		case "120000":
			if err := checkLink(f.Path, string(f.Content)); err != nil {
				return fmt.Errorf("writing: %w", err)
			}
		default:
			return fmt.Errorf("writing %q: mode %q is none of 100644, 100755, 120000", f.Path, f.Mode)
		}
	}
	return nil
}

func checkPath(name string) error {
	if name == "." || strings.ContainsRune(name, 0) || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q is not a clean path inside the tree", name)
	}
	return nil
}

// checkLink refuses a link whose target, read from where the link stands, leaves the tree.
func checkLink(name, target string) error {
	if target == "" || path.IsAbs(target) || strings.ContainsRune(target, 0) || !filepath.IsLocal(path.Join(path.Dir(name), target)) {
		return fmt.Errorf("link %q points to %q, out of the tree", name, target)
	}
	return nil
}
