package testlog

import (
	"regexp"
	"strconv"
	"strings"
)

// walkRSpec reads rspec --format json. Files that could not be loaded have no example and a count of their own.
func walkRSpec(b *builder, j *jsonScanner) {
	stated := map[string]int{"example_count": -1, "failure_count": -1, "errors_outside_of_examples_count": -1}
	named, failed := 0, 0
	j.object(func(key string) {
		switch key {
		case "examples":
			b.seen = true
			j.list(func() {
				name, o := "", Errored
				j.object(func(key string) {
					switch key {
					case "full_description":
						name = j.text()
					case "status":
						switch j.text() {
						case "passed":
							o = Passed
						case "failed":
							o = Failed
						case "pending":
							o = Skipped
						}
					default:
						j.skip()
					}
				})
				named++
				if o.Bad() {
					failed++
				}
				b.test(name, o)
			})
		case "summary":
			j.object(func(key string) {
				if _, wanted := stated[key]; wanted {
					stated[key] = j.count()
				} else {
					j.skip()
				}
			})
		default:
			j.skip()
		}
	})
	if j.err != nil {
		return
	}
	if n := stated["example_count"]; n >= 0 {
		b.wants("examples", n, named)
	}
	if n := stated["failure_count"]; n >= 0 {
		b.wants("failures", n, failed)
	}
	if stated["errors_outside_of_examples_count"] > 0 {
		b.scope("errors outside of examples", BuildFailed)
	}
}

var (
	rspecLine    = regexp.MustCompile(`^(.+) - (passed|failed|pending)$`)
	rspecFailed  = regexp.MustCompile(`^\s*(.+) \(FAILED - \d+\)$`)
	rspecPending = regexp.MustCompile(`^\s*(.+) \(PENDING: .*\)$`)
)

// rspecLines reads "description - status", which SWE-bench makes out of RSpec's JSON, and what the documentation format
// says of failed and pending examples. Passing ones have no word there.
func rspecLines(text string) (string, Outcome) {
	if m := rspecLine.FindStringSubmatch(text); m != nil {
		return m[1], map[string]Outcome{"passed": Passed, "failed": Failed, "pending": Skipped}[m[2]]
	}
	if m := rspecFailed.FindStringSubmatch(text); m != nil {
		return m[1], Failed
	}
	if m := rspecPending.FindStringSubmatch(text); m != nil {
		return m[1], Skipped
	}
	return "", ""
}

// compatRSpec is parse_log_rspec_transformed_json: pending examples are dropped.
func compatRSpec(text string) (string, Outcome) {
	if m := rspecCompat.FindStringSubmatch(text); m != nil {
		return m[1], map[string]Outcome{"passed": Passed, "failed": Failed}[m[2]]
	}
	return "", ""
}

var rspecCompat = regexp.MustCompile(`^(.+) - (passed|failed)`) // wherever the line goes on to

// minitest reads the lines of minitest -v.
type minitest struct {
	*builder
	named int
}

var (
	minitestLine   = regexp.MustCompile(`^(.+?)(?:\. )? = [\d.]+ s = ([.FES])$`)
	minitestTotals = regexp.MustCompile(`^(\d+) (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ skips`)
	minitestCompat = regexp.MustCompile(`^(.+)\. .*=.*(\.|F|E)(.*)$`)
	minitestWords  = map[string]Outcome{".": Passed, "F": Failed, "E": Errored, "S": Skipped}
)

func (t *minitest) line(text string) {
	if m := minitestTotals.FindStringSubmatch(text); m != nil {
		t.seen, t.ended = true, true
		if n, err := strconv.Atoi(m[1]); err == nil {
			t.wants("runs", n, t.named)
		}
		return
	}
	if m := minitestLine.FindStringSubmatch(text); m != nil {
		t.named++
		t.test(m[1], minitestWords[m[2]])
	}
}

func (t *minitest) end() {}

// compatMinitest is parse_log_minitest: names without ". " after them are dropped. It takes the point in the seconds of a skipped
// test for a pass; a skipped test did not pass, and is dropped here.
func compatMinitest(text string) (string, Outcome) {
	if m := minitestCompat.FindStringSubmatch(text); m != nil && !strings.HasSuffix(m[3], " = S") {
		return m[1], map[string]Outcome{".": Passed, "F": Failed, "E": Failed}[m[2]]
	}
	return "", ""
}

// testUnit reads test-unit --verbose=verbose.
type testUnit struct {
	*builder
	named int
}

var (
	testUnitLine   = regexp.MustCompile(`^\s*(?:test: )?(.+?):\s+([.FEOP])(?:: \([\d.]+\))?\s*$`)
	testUnitTotals = regexp.MustCompile(`^(\d+) tests, \d+ assertions, \d+ failures, \d+ errors, \d+ pendings, \d+ omissions`)
	testUnitWords  = map[string]Outcome{".": Passed, "F": Failed, "E": Errored, "O": Skipped, "P": Skipped}
)

func (t *testUnit) line(text string) {
	if m := testUnitTotals.FindStringSubmatch(text); m != nil {
		t.seen, t.ended = true, true
		if n, err := strconv.Atoi(m[1]); err == nil {
			t.wants("tests", n, t.named)
		}
		return
	}
	if m := testUnitLine.FindStringSubmatch(text); m != nil {
		t.named++
		t.test(m[1], testUnitWords[m[2]])
	}
}

func (t *testUnit) end() {}

// compatRubyUnit is parse_log_ruby_unit: an error is a failure.
func compatRubyUnit(text string) (string, Outcome) {
	m := testUnitCompat.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	o := testUnitWords[m[2]]
	if o == Errored {
		o = Failed
	}
	return m[1], o
}

// compatCucumber is parse_log_cucumber, for --format progress: a feature passed if the last of its dots is one.
func compatCucumber(text string) (string, Outcome) {
	if m := cucumberCompat.FindStringSubmatch(text); m != nil {
		return m[1], map[string]Outcome{".": Passed, "F": Failed}[m[2]]
	}
	return "", ""
}

var cucumberCompat = regexp.MustCompile(`^(.*) \.+(\.|F)`)

var testUnitCompat = regexp.MustCompile(`^(?:test: )?(.+):\s+(\.|[EFO]\b)`)
