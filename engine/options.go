package engine

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// Namespace is where evlab's workflows live on an embedded server, and the default on a remote one.
	Namespace = "evlab"

	// Retention is how long the server keeps the history of a closed workflow, set when the namespace is created.
	// Results are exported at the end of a run; this is the time left to look at a finished run in the web UI.
	Retention = 30 * 24 * time.Hour

	// The search attributes, all of type keyword, that every namespace of ours has.
	AttributeRun       = "EvlabRun"
	AttributeTask      = "EvlabTask"
	AttributeCondition = "EvlabCondition"
)

// searchAttributes lists what is registered, in the order it is reported.
var searchAttributes = []string{AttributeRun, AttributeTask, AttributeCondition}

// Options says how to start or join a server. The zero value of every field but State is usable.
type Options struct {
	// State is the folder that this process will own: its lock, the server's file and its log are below it. It is
	// created when absent. Required by Start; Dial only writes its log there, and does without when it is empty.
	State string

	// UI asks for the Temporal web UI on the loopback interface, read only. Its failure is reported by OnNotice and
	// UIError and never fails Start or Dial.
	UI bool
	// UIPort is the UI's port, 0 for any free one. Ignored without UI.
	UIPort int
	// Port is the embedded server's port, 0 for any free one. Ignored by Dial.
	Port int

	// Namespace is where Dial looks for workflows and workers: those of one namespace share their task queues, so what
	// may not do each other's work needs namespaces of its own. Empty means the constant Namespace. Start ignores it:
	// an embedded server is its owner's alone.
	Namespace string

	// Identity names this process to the server as "host/incarnation". The part before the first slash must be the
	// same after a restart of this process and differ from that of every other live process: ReapOrphans on a remote
	// server takes over only what that part started. Empty means "hostname/pid".
	Identity string

	// Log receives the engine's own few lines (where the server listens, what was taken over). The server's and the
	// SDK's lines go to the log file below State instead. Nil discards them.
	Log *slog.Logger

	// OnNotice is called with one sentence when the user should know something that is no reason to stop, e.g. that
	// unfinished runs lie in a file of an older schema. It may be called from any goroutine. Nil discards it.
	OnNotice func(string)
}

// withDefaults checks the options and fills in what was left out.
func (o Options) withDefaults() (Options, error) {
	for _, p := range []struct {
		name string
		port int
	}{{"port", o.Port}, {"UI port", o.UIPort}} {
		if p.port < 0 || p.port > 65535 {
			return o, fmt.Errorf("%s %d is not a port: give a number from 1 to 65535, or 0 for any free one", p.name, p.port)
		}
	}
	if o.State != "" {
		abs, err := filepath.Abs(o.State)
		if err != nil {
			return o, fmt.Errorf("finding the state folder %q: %w", o.State, err)
		}
		o.State = abs
	}
	if o.Namespace == "" {
		o.Namespace = Namespace
	}
	if o.Identity == "" {
		host, err := os.Hostname()
		if err != nil || host == "" {
			host = "localhost"
		}
		o.Identity = fmt.Sprintf("%s/%d", strings.ReplaceAll(host, "/", "-"), os.Getpid())
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.OnNotice == nil {
		o.OnNotice = func(string) {}
	}
	return o, nil
}

// hostOf is the part of an identity that survives a restart of the process.
func hostOf(identity string) string {
	host, _, _ := strings.Cut(identity, "/")
	return host
}
