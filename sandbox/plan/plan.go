// Package plan is what evlab and the supervisor inside a sandbox say to each other: the plan of one step, handed over as
// a file, and the records that come back inside the step's own output.
//
// The one decision: the supervisor has no channel of its own. Its records travel in the command's standard error, framed
// by a nonce that the command cannot read, so they survive wherever the output survives and cannot be forged. Nothing
// but the standard library may be imported here: the supervisor is compiled alone, away from the module.
package plan

import (
	"encoding/json"
	"time"
)

// NonceVariable is the environment variable of the supervisor that holds the frames' nonce. It never reaches the command.
const NonceVariable = "EVLAB_NONCE"

// Variable is the environment variable of the supervisor that holds a packed plan, where no file does. It never reaches
// the command.
const Variable = "EVLAB_PLAN"

// MaxPacked is the longest packed plan in bytes: Linux takes no longer variable than 128 KiB.
const MaxPacked = 100 << 10

// CacheDate dates the entries of an image's build cache. It lies so far ahead that the go command neither re-dates an
// entry when it uses it (each such write copies the whole entry up from the image) nor ever trims it.
var CacheDate = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)

// File is the plan's name inside the step's folder.
const File = "plan.json"

// Plan is what the supervisor does: change the tree, run the commands, tell how they ended.
type Plan struct {
	Tree     string        `json:"tree"`              // absolute folder that Remove and Files are relative to
	Dir      string        `json:"dir"`               // absolute working folder of the commands
	Commands [][]string    `json:"commands"`          // one, but when an image is built
	Env      []string      `json:"env"`               // the commands' whole environment
	Remove   []string      `json:"remove,omitempty"`  // slash-separated paths, removed before Files are written
	Files    []Change      `json:"files,omitempty"`   // in order
	Deadline time.Duration `json:"deadline"`          // ns from the first command's start; 0 for none
	Log      int64         `json:"log"`               // cost that one stream may reach, see LineCost
	Folders  []string      `json:"folders,omitempty"` // absolute; made when absent
	Needs    []string      `json:"needs,omitempty"`   // absolute; without one of these the command is not started
	Scratch  string        `json:"scratch,omitempty"` // folder whose file system is watched for being full
	Cache    string        `json:"cache,omitempty"`   // Go build cache, kept from being trimmed; "" for none
	Image    bool          `json:"image,omitempty"`   // run all commands whatever they exit with, then empty Tree and date Cache
	Keep     bool          `json:"keep,omitempty"`    // with Image: leave Tree as it is
	Limits   Limits        `json:"limits"`            // applied by the supervisor itself; zero where an engine does it
	Loose    bool          `json:"loose,omitempty"`   // no process namespace: stop requests may come from any process
}

// Change is one file of the tree as it shall be.
type Change struct {
	Path   string `json:"path"`             // slash-separated, inside Tree
	Mode   string `json:"mode"`             // 100644, 100755 or 120000
	Source string `json:"source,omitempty"` // file beside the plan that holds the content of a regular file
	Target string `json:"target,omitempty"` // of a symbolic link
	Held   bool   `json:"held,omitempty"`   // a regular file that has to be the same afterwards; the Ended record tells
}

// Limits are those that a supervisor keeps without an engine's help. Zero is no limit.
type Limits struct {
	Memory    int64 `json:"memory,omitempty"`    // bytes of resident memory, all processes together
	Processes int   `json:"processes,omitempty"` // processes and threads together
	Scratch   int64 `json:"scratch,omitempty"`   // bytes of one file
	Tree      int64 `json:"tree,omitempty"`      // bytes by which the tree may grow
}

// Events of a Record.
const (
	Started = "started" // the tree is as asked and the command starts next
	Failed  = "failed"  // the command was never started; Reason says why
	Gap     = "gap"     // Bytes of output were left out here
	Join    = "join"    // the line before goes on after this: see MaxLine
	Ended   = "ended"   // the command and all that it left behind are dead; on standard output it only marks the end
)

// Reasons of an Ended record.
const (
	Exit      = "exit"      // by itself
	Deadline  = "deadline"  // at the plan's deadline, or told so from outside
	Disk      = "disk"      // told from outside, or the tree grew too much
	Stopped   = "stopped"   // told from outside to stop
	Memory    = "memory"    // over Limits.Memory
	Processes = "processes" // over Limits.Processes
)

// Record is one message of the supervisor.
type Record struct {
	Event    string `json:"event"`
	Reason   string `json:"reason,omitempty"`
	Exit     int    `json:"exit,omitempty"`     // as a shell counts: 128 and the signal for a signalled command
	Signal   int    `json:"signal,omitempty"`   // that ended the command itself
	OOM      int64  `json:"oom,omitempty"`      // kills by the kernel for memory
	Forks    int64  `json:"forks,omitempty"`    // forks refused by the limit on processes
	Counted  bool   `json:"counted,omitempty"`  // OOM and Forks could be read
	Full     bool   `json:"full,omitempty"`     // the scratch file system had no space left
	Peak     int64  `json:"peak,omitempty"`     // bytes of memory; 0 when not known
	Bytes    int64  `json:"bytes,omitempty"`    // of a gap
	Leftover bool   `json:"leftover,omitempty"` // processes outlived the command and were killed
	Altered  string `json:"altered,omitempty"`  // the first held file that is not the same any more
}

// LineCost is what one line costs beyond its bytes when output is held against a cap: an engine stores that much beside
// each line, so a flood of empty lines is as costly as a flood of text.
const LineCost = 64

// MaxLine is the longest run of output without a newline in bytes. Engines cut longer lines into pieces, and some lose
// the newline that ends them; so a Join is put in first, and taken out again with its newline.
const MaxLine = 8 << 10

const opening = "\x1eevlab "

// MaxFrame bounds the length of a frame in bytes.
const MaxFrame = 16 << 10

// Opening is how every frame with this nonce begins.
func Opening(nonce string) []byte { return []byte(opening + nonce + " ") }

// Frame is the record as it stands in the output: opening, JSON, newline.
func Frame(nonce string, r Record) []byte {
	for _, text := range []*string{&r.Reason, &r.Altered} { // JSON may write six bytes for one
		*text = (*text)[:min(len(*text), MaxFrame/16)]
	}
	data, err := json.Marshal(r)
	if err != nil { // a Record holds only strings and numbers
		panic(err)
	}
	return append(append(Opening(nonce), data...), '\n')
}

// Files of a step's folder on a machine without an engine. The plan itself and what it names are in the folder InDir.
const (
	HostFile    = "host.json"   // how to confine the step
	LockFile    = "lock"        // held by the keeper as long as it lives
	BeganFile   = "began.json"  // written before the supervisor is started: from here on the step has run
	ResultFile  = "result.json" // written when all of the step is dead
	RequestFile = "request"     // written by evlab: a reason, or Kill
	StdoutFile  = "stdout.log"  // with frames
	StderrFile  = "stderr.log"
	InDir       = "in"
)

// Kill in RequestFile asks the keeper to kill the supervisor, too.
const Kill = "kill"

// Host says how the keeper confines a step.
type Host struct {
	Nonce      string `json:"nonce"`
	Namespaces bool   `json:"namespaces"`
	User       int    `json:"user"` // numeric user and group to become; -1 stays as it is
	Binds      []Bind `json:"binds,omitempty"`
	Scratch    int64  `json:"scratch"`   // bytes of /tmp
	Processes  int    `json:"processes"` // processes and threads
	Self       string `json:"self"`      // supervisor's file inside
	In         string `json:"in"`        // plan's folder inside
}

// Bind shows a file or folder of the machine inside the sandbox.
type Bind struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Write bool   `json:"write,omitempty"`
}

// Began is the content of BeganFile.
type Began struct {
	At     time.Time `json:"at"`
	Keeper int       `json:"keeper"` // process id; means something only while the lock is held
}

// HostResult is the content of ResultFile.
type HostResult struct {
	Began time.Time `json:"began"`
	Over  time.Time `json:"over"`
	Exit  int       `json:"exit"` // of the supervisor, as a shell counts
}
