package experiments

// Verdict is what became of a cell. The set is closed; the string is its wire form.
type Verdict string

// The first four are results; the last three say that there is none, which is never counted as a failure.
const (
	Resolved    Verdict = "resolved"     // fail-to-pass and pass-to-pass hold and the task's environment is complete
	Unresolved  Verdict = "unresolved"   // the patch applied and a test that had to pass did not
	Empty       Verdict = "empty"        // the executor proposed nothing, or a patch that changes nothing
	ApplyFailed Verdict = "apply-failed" // the patch does not apply to the base commit, or is refused by name
	Infra       Verdict = "infra"        // evlab, the engine or the sandbox failed; Record.Class says how
	Excluded    Verdict = "excluded"     // the cell can't be asked; Record.Reason says why
	Pending     Verdict = "pending"      // not done yet
)

// Verdicts lists the closed set, results first.
var Verdicts = [...]Verdict{Resolved, Unresolved, Empty, ApplyFailed, Infra, Excluded, Pending}

// Valid reports whether v is of the closed set.
func (v Verdict) Valid() bool {
	for _, w := range Verdicts {
		if v == w {
			return true
		}
	}
	return false
}

// Decided reports whether v is a result: something that a contrast may count. Infra, Excluded and Pending are not.
func (v Verdict) Decided() bool {
	switch v {
	case Resolved, Unresolved, Empty, ApplyFailed:
		return true
	}
	return false
}
