package workflows

// Workflow types, as histories name them.
const (
	ExperimentType = "evlab.Experiment.v1"
	TaskType       = "evlab.Task.v1"
	CellType       = "evlab.Cell.v1"
)

// Activity types, as histories name them, by role.
const (
	ListTasks    = "evlab.ListTasks.v1"    // organizer
	OpenTask     = "evlab.OpenTask.v1"     // organizer
	BuildBundle  = "evlab.BuildBundle.v1"  // organizer: retrieval of the diagnostics
	Score        = "evlab.Score.v1"        // organizer
	GiveUp       = "evlab.GiveUp.v1"       // organizer: records cells that have no verdict
	Aggregate    = "evlab.Aggregate.v1"    // organizer
	Retrieve     = "evlab.Retrieve.v1"     // inference
	Propose      = "evlab.Propose.v1"      // inference
	Prepare      = "evlab.Prepare.v1"      // sandbox
	Preflight    = "evlab.Preflight.v1"    // sandbox
	ApplyPatch   = "evlab.ApplyPatch.v1"   // sandbox
	RunTests     = "evlab.RunTests.v1"     // sandbox
	ReleaseImage = "evlab.ReleaseImage.v1" // sandbox
)

// Task queues, one per role: the queue is the privilege boundary. A worker of one role holds the stores of that role
// and no others.
const (
	OrganizerQueue = "organizer" // reads the private side; also carries the workflows
	InferenceQueue = "inference" // will hold model keys; never the private side
)

// SandboxQueue is the queue of the workers that run untrusted code on one system, "sandbox.linux-amd64".
func SandboxQueue(system string) string { return "sandbox." + system }

// FaultType is the type of an application error that an activity returns for a fault of infrastructure; its class is
// the error's first detail.
const FaultType = "Fault"

// TaskFaultType is the type of the error that says a task itself is unusable (its hidden tests do not apply, its
// bundle can't be built): its cells are excluded, with the error's text as the reason.
const TaskFaultType = "TaskFault"

// ProgressQuery is the Experiment's query for its counts.
const ProgressQuery = "progress"
