package terminal

import "fmt"

// phase is what happens before there is anything to count cells of: a name, and how far it is when that is known.
type phase struct {
	name        string
	done, total int
}

func (p phase) String() string {
	if p.total == 0 {
		return Safe(p.name) + " ..."
	}
	return fmt.Sprintf("%s %d/%d", Safe(p.name), p.done, p.total)
}

// Phase says what is done before the first Update: "starting the engine", or "freezing tasks" with done of total. A pipe
// gets a line for each name and one every 30 s, a terminal each figure; after the first Update it shows nothing. The empty
// name ends the phase: what follows is not waited for, or is a question.
func (p *Progress) Phase(name string, done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.any || p.mode == None {
		return
	}
	same := p.phase.name == name
	p.phase = phase{name, done, total}
	if name == "" {
		p.stop()
		p.eraseLocked()
		return
	}
	switch since := p.clock.Now().Sub(p.lastAt); {
	case same && p.mode != TTY: // the heartbeat shows how far it is
	case !same || since >= frame:
		p.showLocked()
	default:
		p.scheduleLocked(frame - since)
	}
}

// phaseEvent is a phase as a JSON line. Total is 0 while it is not known.
type phaseEvent struct {
	Type    string  `json:"type"` // phase
	Time    string  `json:"time"`
	Elapsed float64 `json:"elapsed_seconds"`
	Phase   string  `json:"phase"`
	Done    int     `json:"done"`
	Total   int     `json:"total"`
}

func (p *Progress) phaseEventLocked() phaseEvent {
	now := p.clock.Now()
	return phaseEvent{"phase", stamp(now), now.Sub(p.start).Round(1e9).Seconds(), p.phase.name, p.phase.done, p.phase.total}
}
