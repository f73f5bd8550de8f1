package terminal

import (
	"encoding/json"
	"time"
)

// UIVersion is the version of evlab's JSON output. A minor step adds fields, a major one changes or takes away.
const UIVersion = "1.0"

// Version is the first line of every stream of JSON lines.
type Version struct {
	Type string `json:"type"` // version
	UI   string `json:"ui"`
}

// event is a snapshot as a JSON line. Times are RFC 3339 in UTC, durations seconds.
type event struct {
	Type     string   `json:"type"` // progress
	Time     string   `json:"time"`
	Elapsed  float64  `json:"elapsed_seconds"`
	Total    int      `json:"total"`
	Done     int      `json:"done"`
	Cached   int      `json:"cached"`
	Infra    int      `json:"infra"`
	Excluded int      `json:"excluded"`
	Running  []string `json:"running"`
	// Preparing names what is made ready before cells can begin.
	Preparing []string `json:"preparing,omitempty"`
	Left      *[2]int  `json:"left_seconds"` // lower and upper end; null while there is no estimate
	Note      string   `json:"note,omitempty"`
}

type message struct {
	Type string `json:"type"` // message
	Time string `json:"time"`
	Text string `json:"text"`
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func (p *Progress) eventLocked() event {
	s := p.last
	e := event{
		Type: "progress", Time: stamp(p.clock.Now()), Elapsed: p.clock.Now().Sub(p.start).Round(time.Second).Seconds(),
		Total: s.Total, Done: s.Done, Cached: s.Cached, Infra: s.Infra, Excluded: s.Excluded, Running: s.Running, Preparing: s.Preparing, Note: s.Note,
	}
	if p.noted {
		e.Note = ""
	}
	if e.Running == nil {
		e.Running = []string{}
	}
	if low, high, ok := s.Range(); ok {
		e.Left = &[2]int{int(low.Round(time.Second).Seconds()), int(high.Round(time.Second).Seconds())}
	}
	return e
}

// jsonLocked writes one line; the stream's first is the version.
func (p *Progress) jsonLocked(v any) {
	if !p.headed {
		p.headed = true
		p.jsonLocked(Version{Type: "version", UI: UIVersion})
	}
	line, err := json.Marshal(v)
	if err != nil { // strings and numbers only: can't be
		return
	}
	p.writeLocked(string(SafeJSON(line)) + "\n")
}
