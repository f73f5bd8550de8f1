package testlog

import (
	"regexp"
	"strconv"
	"strings"
)

// quarto is parse_log_quarto_cli, for Deno's tests up to its list of failures. Temporary files have numbers in the order in which they
// come up; a test without a result failed.
type quarto struct {
	*builder
	files map[string]int
	over  bool
}

var (
	quartoTest   = regexp.MustCompile(`\[(?:smoke|unit)\]`)
	quartoFiles  = []*regexp.Regexp{regexp.MustCompile(`/tmp/(\w+)\.qmd`), regexp.MustCompile(`/tmp/(\w+)/`)}
	quartoResult = regexp.MustCompile(`\.\.\.\s*(ok|FAILED)\b`)
	quartoEnd    = regexp.MustCompile(`^(?:ok|FAILED) \| \d+ passed`)
)

func newQuarto(b *builder) lineReader { return &quarto{builder: b, files: map[string]int{}} }

func (q *quarto) line(text string) {
	if quartoEnd.MatchString(text) {
		q.seen, q.ended = true, true
	}
	q.over = q.over || strings.Contains(text, "ERRORS") || strings.Contains(text, "failures:")
	if q.over || !quartoTest.MatchString(text) {
		return
	}
	for _, shape := range quartoFiles {
		if file := shape.FindString(text); file != "" {
			n, known := q.files[file]
			if !known {
				n = len(q.files)
				if len(file) <= maxName && q.keeps(n, len(file)) {
					q.files[strings.Clone(file)] = n
				}
			}
			text = shape.ReplaceAllString(text, "/tmp/"+strconv.Itoa(n))
		}
	}
	name, _, _ := strings.Cut(text, "...")
	name = strings.TrimSpace(name)
	switch m := quartoResult.FindStringSubmatch(text); {
	case strings.HasPrefix(text, "test result:"), strings.Contains(text, "INFO"),
		strings.Contains(text, "passed") && strings.Contains(text, "failed") && strings.Contains(text, "steps"):
	case m == nil:
		q.first(name, Failed)
	case m[1] == "ok":
		q.test(name, Passed)
	default:
		q.test(name, Failed)
	}
}

func (q *quarto) end() {}
