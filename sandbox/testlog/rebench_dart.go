package testlog

import (
	"encoding/json"
	"regexp"
	"strings"
)

// dartEvents is parse_log_dart, for the JSON reporter: each line is an event or a list of them. A skipped test is a success to it.
type dartEvents struct {
	*builder
	names map[string]string // by id
}

func newDartEvents(b *builder) lineReader { return &dartEvents{builder: b, names: map[string]string{}} }

// dartEvent is what counts of an event.
type dartEvent struct {
	Type string
	Test *struct {
		ID   json.Number
		Name string
	}
	TestID  json.Number
	Result  string
	Hidden  bool
	Skipped bool
}

func (d *dartEvents) line(text string) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "{"):
		var e dartEvent
		if json.Unmarshal([]byte(text), &e) == nil {
			d.event(&e)
		}
	case strings.HasPrefix(text, "["):
		var all []json.RawMessage
		if json.Unmarshal([]byte(text), &all) != nil {
			return
		}
		for _, raw := range all {
			var e dartEvent
			if json.Unmarshal(raw, &e) == nil {
				d.event(&e)
			}
		}
	}
}

func (d *dartEvents) event(e *dartEvent) {
	switch e.Type {
	case "testStart":
		if e.Test == nil || e.Test.ID == "" || e.Test.Name == "" || strings.HasPrefix(e.Test.Name, "loading ") {
			return
		}
		d.seen = true
		if id := e.Test.ID.String(); len(id)+len(e.Test.Name) <= maxName && d.keeps(len(d.names), len(id)+len(e.Test.Name)) {
			d.names[id] = e.Test.Name
		}
	case "testDone":
		o := map[string]Outcome{"success": Passed, "failure": Failed, "error": Errored}[e.Result]
		if o == "" && e.Skipped {
			o = Skipped
		}
		if name := withoutTiming(d.names[e.TestID.String()]); name != "" && o != "" && !e.Hidden {
			d.test(name, o)
		}
	case "done":
		d.ended = true
	}
}

func (d *dartEvents) end() {}

var (
	dartPackage = regexp.MustCompile(`^\[\w+\]:\s+\d{2}:\d{2}\s+\+(\d+):\s+(/[^:]+\.dart):\s+(.+)$`)
	dartLoading = regexp.MustCompile(`^\d+:\d+\s+\+\d+\s+-\d+:\s+loading\s+(/[^:]+\.dart)\s+\[E\]$`)
	dartLine    = regexp.MustCompile(`^\d+:\d+\s+\+\d+(?:\s+-\d+)?:\s+(/[^:]+\.dart):\s+(.+?)(?:\s+\[E\])?$`)
)

// rebenchPackages is parse_log_dart_v2: a test that has two lines, for its start and its end, passed.
func rebenchPackages(b *builder) func(string) (string, Outcome) {
	return func(text string) (string, Outcome) {
		if strings.Contains(strings.ToLower(text), "loading") {
			return "", ""
		}
		m := dartPackage.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil {
			return "", ""
		}
		name := joined([]string{m[2], m[3]}, ": ")
		if b.has(name) {
			return name, Passed
		}
		return name, Errored
	}
}

// rebenchDart is parse_log_dart_v3: what is not marked as an error passed.
func rebenchDart(text string) (string, Outcome) {
	if m := dartLoading.FindStringSubmatch(text); m != nil {
		return m[1], Errored
	}
	m := dartLine.FindStringSubmatch(text)
	switch {
	case m == nil:
		return "", ""
	case strings.Contains(text, "[E]"):
		return joined(m[1:3], ": "), Failed
	}
	return joined([]string{m[1], strings.TrimSpace(m[2])}, ": "), Passed
}
