package sandbox

import (
	"context"
	"errors"
)

// Sandbox runs steps. Its implementations hold the same contract; Kind and Probe tell them apart.
type Sandbox interface {
	// Kind is "docker" or "host".
	Kind() string

	// Ensure makes the image of a recipe, or finds it: the same recipe is the same image, also in another run.
	Ensure(ctx context.Context, r Recipe) (Image, error)

	// Run runs the step, or takes up where an earlier call for the same ID and Attempt was cut off: a running command
	// is waited for, an ended one read. It leaves the step's container behind, for Forget to remove once the result is
	// stored. An error is a *Fault, or the context's cause.
	//
	// When ctx is cancelled the command is killed and all of it removed, unless the cause is ErrDetach.
	Run(ctx context.Context, s Step) (Result, error)

	// Forget removes what Run left behind. What is absent already is no error.
	Forget(ctx context.Context, id string, attempt int) error

	// Reap removes the steps of this Options.Host that keep does not claim and says how many.
	Reap(ctx context.Context, keep func(stepID string) bool) (int, error)

	// Remove removes a task's image. It refuses one that evlab did not make.
	Remove(ctx context.Context, i Image) error

	Probe(ctx context.Context) (Facts, error)
	Close() error
}

// Options say where a sandbox keeps things and what it calls its own.
type Options struct {
	State string            // folder for locks, and for the host sandbox everything; required, made when absent
	Host  string            // required: stable id of this installation; Reap touches nothing of another
	Boot  string            // id of this process's life, recorded only
	Slots int               // steps at once; 0: as many as there are cores, and as memory allows
	Label map[string]string // put on every container and image; LabelRun is always there
}

// Facts is what a record says about where its steps ran.
type Facts struct {
	Kind     string `json:"kind"`
	Engine   string `json:"engine"`  // "docker", or "namespaces" and "process group" on the host
	Version  string `json:"version"` // of the engine
	OS       string `json:"os"`
	Arch     string `json:"arch"`      // as Go names it
	Cgroup   string `json:"cgroup"`    // "1", "2", or empty
	Storage  string `json:"storage"`   // the engine's storage driver
	FreeDisk int64  `json:"free_disk"` // bytes where State is; -1 when not known
	Memory   int64  `json:"memory"`    // bytes
	CPUs     int    `json:"cpus"`
}

// Labels of containers and images.
const (
	LabelRun     = "evlab.run"
	LabelTask    = "evlab.task"
	LabelCell    = "evlab.cell"
	LabelStep    = "evlab.step"    // the step's whole id
	LabelAttempt = "evlab.attempt" // decimal
	LabelHost    = "evlab.host"    // Options.Host
	LabelBoot    = "evlab.boot"    // Options.Boot
	labelSpec    = "evlab.spec"    // digest of what the step does
	labelImage   = "evlab.image"   // recipe hash, on images and volumes
	labelVolume  = "evlab.volume"  // name of the volume that an image's containers need
	labelTree    = "evlab.tree"    // where an image of somebody else's has the repository; absent on others
	labelHome    = "evlab.home"    // home of such an image's user
)

// ErrDetach as the cause of a cancelled context makes Run return at once and leave the step running, for another
// process to take up.
var ErrDetach = errors.New("left running for another process to take up")

// labels merges label sets; later ones win, and LabelRun is never missing.
func (o Options) labels(sets ...map[string]string) map[string]string {
	all := map[string]string{LabelRun: "none"}
	for _, set := range append([]map[string]string{o.Label}, sets...) {
		for k, v := range set {
			all[k] = v
		}
	}
	all[LabelHost], all[LabelBoot] = o.Host, o.Boot
	return all
}

func (o Options) check() error {
	if o.State == "" || o.Host == "" {
		return &Fault{Class: FaultOptions, Err: errors.New("opening a sandbox: Options.State and Options.Host are required")}
	}
	return nil
}
