package localization

import "fmt"

// Label is what a target is worth (section F.4).
type Label string

// Labels. A target that has none is Unlabelled: it is never counted as wrong.
const (
	Precise    Label = "precise" // a correct and sufficiently local place
	Coarse     Label = "coarse"  // related, but it isolates no place to act on
	Wrong      Label = "wrong"   // unsupported or irrelevant
	Other      Label = "other"   // not precise, without a decision between coarse and wrong; people only
	Unlabelled Label = ""
)

// AllLabels are the labels that a target may get.
var AllLabels = []Label{Precise, Coarse, Wrong, Other}

// ParseLabel reads a label.
func ParseLabel(s string) (Label, error) {
	switch l := Label(s); l {
	case Precise, Coarse, Wrong, Other:
		return l, nil
	}
	return Unlabelled, fmt.Errorf("label %.40q: expected precise, coarse, wrong or other", s)
}

// Source is where labels come from.
type Source string

// Sources of labels.
const (
	Adjudicated Source = "adjudication"
	FromHunks   Source = "reference-hunks"
)

// Labelled is a label with what led to it.
type Labelled struct {
	Label Label
	Why   string // one line, without text of the executor's
}

// Key says whose target it is.
type Key struct {
	Task      string `json:"task"`
	Condition string `json:"condition"`
	Executor  string `json:"executor,omitempty"` // empty when there is one, without a name
}

// Labeller labels valid targets, from one source.
type Labeller interface {
	Source() Source
	Label(k Key, t Target) Labelled
}
