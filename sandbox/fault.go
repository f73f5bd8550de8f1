package sandbox

import "fmt"

// Classes of a Fault.
const (
	FaultEngine     = "engine"      // the engine refused, or answered with nonsense
	FaultEngineLost = "engine-lost" // the engine, or the step inside it, went away in the middle: run it again
	FaultImage      = "image"       // an image could not be made, or is no longer there
	FaultDisk       = "disk"        // less free disk than the floor: wait, nobody is to blame
	FaultOptions    = "options"     // the caller asked for something that cannot be
	FaultHost       = "host"        // this machine cannot confine a process as the host sandbox must
)

// Fault is trouble with the infrastructure. It is never a verdict about a candidate.
type Fault struct {
	Class string
	Err   error
}

func (f *Fault) Error() string { return fmt.Sprintf("sandbox (%s): %v", f.Class, f.Err) }
func (f *Fault) Unwrap() error { return f.Err }

func fault(class, format string, args ...any) *Fault {
	return &Fault{Class: class, Err: fmt.Errorf(format, args...)}
}
