package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
)

// Recipe is what a task's image is made of.
type Recipe struct {
	Task       string                  // its id, for labels and messages
	Snapshot   func(w io.Writer) error // writes a tar of the tree at the base commit; may be called more than once
	SnapshotID string                  // its git tree id; two snapshots with the same id are the same
	Modules    string                  // host folder of a prefetched module cache (GOMODCACHE); "" for none
	ModulesID  string                  // identifies its content; required with Modules
	Warm       [][]string              // commands run once in the image, for the build cache that they leave; their status does not matter
	GoVersion  string                  // such as go1.26.8; "" is this machine's
	System     *System                 // what the image begins with; nil is the Go toolchain alone
	Given      *Given                  // what the image begins with instead of either: somebody else's image
	Labels     map[string]string
}

// System is a base of Debian packages, without the scripts that would install them; or of an image, in which commands run
// as they do in evlab's own.
type System struct {
	Packages   string     // host folder of *.deb
	PackagesID string     // identifies their content
	Image      string     // instead of packages, as Pinner.Pin says it
	Setup      [][]string // commands run once in the base image; nothing but the build cache stays of them
	Env        []string   // added to the commands' fixed environment, here and in Warm
	Wheels     *Wheels    // laid over it; nil for none
	Toolchain  bool       // the packages lie beside the Go toolchain, over its base
}

// Wheels are packages of Python's. They are unpacked into /usr/local, and nothing of them is run for that.
type Wheels struct {
	Files  []string   // on this host, in the order in which they are laid
	ID     string     // identifies their content
	Python string     // whose they are, such as 3.11: Debian's, or that in the /usr/local of the system's image
	Setup  [][]string // commands run once with them; nothing but the build cache stays of them
}

// Given is an image that evlab did not make: one of the engine's, or what a Dockerfile builds. Commands run there as the
// image's own user, with the image's own environment, where the image has the repository. What the image has in that
// folder stays, but for its history; the tree of the base commit is laid over it.
type Given struct {
	Image      string // as PinImage says it; required without Dockerfile
	Dockerfile string // its text; the tree of the base commit is its context
	Workdir    string // absolute, where the repository is; "" takes the image's own working folder
}

// Image is a task's image.
type Image struct {
	ID  string // the engine's own id of its content
	Ref string // name that follows from the recipe
}

// ID is the digest of everything that decides the image's content, 24 hex digits. Labels and the task's name do not
// count: tasks of one tree share an image.
func (r Recipe) ID() string {
	parts := []any{"evlab-task-2", r.SnapshotID, r.ModulesID, r.Warm, r.GoVersion, r.System.id(), r.System.env()}
	if r.Given != nil {
		parts = append(parts, *r.Given)
	}
	if w := r.wheels(); w != nil {
		parts = append(parts, w.parts())
	}
	data, err := json.Marshal(parts)
	if err != nil { // strings and lists of strings
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

// id identifies a base by what decides its content: its packages, and what its setup left.
func (s *System) id() string {
	if s == nil {
		return ""
	}
	var env []string
	if len(s.Setup) > 0 {
		env = s.Env
	}
	parts := []any{s.PackagesID, s.Setup, env}
	if s.Image != "" {
		parts = append(parts, s.Image)
	}
	if s.Toolchain {
		parts = append(parts, "go")
	}
	data, err := json.Marshal(parts)
	if err != nil { // strings and lists of strings
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

func (r Recipe) wheels() *Wheels {
	if r.System == nil {
		return nil
	}
	return r.System.Wheels
}

// parts are what decides the content that they make of an image.
func (w *Wheels) parts() []any { return []any{w.ID, w.Python, w.Setup} }

func (s *System) env() []string {
	if s == nil {
		return nil
	}
	return s.Env
}

func (r Recipe) check() error {
	bad := func(what string) error { return fault(FaultOptions, "recipe of task %q: %s", r.Task, what) }
	switch {
	case r.Snapshot == nil || r.SnapshotID == "":
		return bad("Snapshot and SnapshotID are required")
	case r.Modules != "" && r.ModulesID == "":
		return bad("ModulesID is required with Modules")
	case r.System != nil && (r.System.Packages == "" || r.System.PackagesID == "") == (r.System.Image == ""):
		return bad("System wants either Packages with PackagesID or an image")
	case r.System != nil && r.System.Toolchain && (r.System.Image != "" || r.System.Wheels != nil):
		return bad("System with Toolchain is of Packages alone")
	case r.wheels() != nil && (r.wheels().ID == "" || len(r.wheels().Files) == 0 || r.wheels().Python == ""):
		return bad("Files, ID and Python are required with Wheels")
	case r.Given != nil && (r.System != nil || r.Modules != "" || len(r.Warm) > 0):
		return bad("Given goes with neither System nor Modules nor Warm")
	case r.Given != nil && (r.Given.Image == "") == (r.Given.Dockerfile == ""):
		return bad("Given wants either an image or a Dockerfile")
	case r.Given != nil && r.Given.Workdir != "" && (!path.IsAbs(r.Given.Workdir) || path.Clean(r.Given.Workdir) == "/"):
		return bad(fmt.Sprintf("the working folder %q is not absolute, or all of the image", r.Given.Workdir))
	}
	for _, c := range r.Warm {
		if len(c) == 0 || c[0] == "" {
			return bad(fmt.Sprintf("an empty command in Warm: %q", r.Warm))
		}
	}
	return nil
}
