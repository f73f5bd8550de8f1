package terminal

import (
	"fmt"
	"strings"
)

// drawLocked draws the status line over itself. What fits of it depends on the width: the figures first, then the bar,
// then the time, then the items that run.
func (p *Progress) drawLocked() {
	p.eraseLocked()
	// The last column stays free: writing to it makes some terminals wrap.
	p.writeLocked(p.barLocked(clampWidth(p.width()) - 1))
	p.drawn = true
}

func (p *Progress) barLocked(columns int) string {
	if !p.any {
		return Truncate(p.phase.String()+"  "+Duration(p.clock.Now().Sub(p.start)), columns)
	}
	s := p.last
	line := fmt.Sprintf("%d/%d", s.Done, s.Total)
	if columns >= 40 {
		line = bar(s, min(columns/5, 30)) + " " + line
	}
	add := func(text string) {
		longer := line + "  " + text
		if text == "" || StringWidth(longer) > columns {
			return
		}
		line = longer
	}
	add(strings.Join(s.counts(), ", "))
	add(Duration(p.clock.Now().Sub(p.start)))
	if s.ended() < s.Total {
		add("left " + s.rangeText())
	}
	rest := Safe(s.Note)
	if running := Safe(strings.Join(append(s.Preparing[:len(s.Preparing):len(s.Preparing)], s.Running...), ", ")); rest == "" {
		rest = running
	} else if running != "" {
		rest += " | " + running
	}
	if free := columns - StringWidth(line) - 2; free >= 8 && columns >= 40 {
		add(Truncate(rest, free))
	}
	return Truncate(line, columns)
}

// bar is ASCII: every font has it, and nothing about it depends on the locale. Cells that ended without a verdict are x:
// they are over, and they are not done.
func bar(s Snapshot, cells int) string {
	done, ended := 0, 0
	if s.Total > 0 {
		done = min(max(s.Done*cells/s.Total, 0), cells)
		ended = min(max(s.ended()*cells/s.Total, done), cells)
	}
	return "[" + strings.Repeat("#", done) + strings.Repeat("x", ended-done) + strings.Repeat("-", cells-ended) + "]"
}
