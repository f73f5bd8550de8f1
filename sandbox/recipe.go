package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
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
	System     *System                 // what the image begins with; nil is the Go toolchain
	Labels     map[string]string
}

// System is a base of Debian packages, without the scripts that would install them.
type System struct {
	Packages   string     // host folder of *.deb
	PackagesID string     // identifies their content
	Setup      [][]string // commands run once in the base image; nothing but the build cache stays of them
	Env        []string   // added to the commands' fixed environment, here and in Warm
}

// Image is a task's image.
type Image struct {
	ID  string // the engine's own id of its content
	Ref string // name that follows from the recipe
}

// ID is the digest of everything that decides the image's content, 24 hex digits. Labels and the task's name do not
// count: tasks of one tree share an image.
func (r Recipe) ID() string {
	data, err := json.Marshal([]any{"evlab-task-2", r.SnapshotID, r.ModulesID, r.Warm, r.GoVersion, r.System.id(), r.System.env()})
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
	data, err := json.Marshal([]any{s.PackagesID, s.Setup, env})
	if err != nil { // strings and lists of strings
		panic(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

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
	case r.System != nil && (r.System.Packages == "" || r.System.PackagesID == ""):
		return bad("Packages and PackagesID are required with System")
	}
	for _, c := range r.Warm {
		if len(c) == 0 || c[0] == "" {
			return bad(fmt.Sprintf("an empty command in Warm: %q", r.Warm))
		}
	}
	return nil
}
