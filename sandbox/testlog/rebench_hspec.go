package testlog

import (
	"regexp"
	"strings"
)

// hspec is parse_log_haskell_v2, for the tree that hspec prints. What has nothing below it is a test, which passed if it does not say
// otherwise; failures stand again in a list after the tree, by their whole names. The tree begins where cabal says that the suite runs;
// without that, at the first line that looks like a module, or with the log.
type hspec struct {
	*builder
	looks    int // which of these beginnings there was: 0 the log's, 1 a module, 2 the suite's
	failures int // 0 before that list, 1 in it, 2 after it
	late     bool
	titles   []string
	open     *hspecLine // whose next line says whether it is a test
	tree     map[string]Outcome
	failed   []string
}

type hspecLine struct {
	indent  int
	name    string
	outcome Outcome
}

func newHspec(b *builder) lineReader { return &hspec{builder: b, tree: map[string]Outcome{}} }

var (
	hspecFailed  = regexp.MustCompile(`^(.*?)\s+FAILED\s*\[\d+\]$`)
	hspecPending = regexp.MustCompile(`(?i)^(.*?)\s+(?:PENDING|SKIPPED)\b.*$`)
	hspecHeading = regexp.MustCompile(`^\d+\)\s+(.*)$`)
	hspecNoise   = []string{
		"Downloading", "Building", "Installing", "Completed", "Starting", "Preprocessing", "Configuring", "Linking", "Resolving dependencies",
		"Build profile", "In order, the following will be built", "Error:", "Test suite ", "Running ",
	}
	hspecEnds = []string{"To rerun use:", "Randomized with seed", "Finished in ", "Test suite "}
)

func (h *hspec) line(text string) {
	plain := strings.TrimSpace(text)
	running := strings.HasPrefix(text, "Test suite ") && strings.Contains(text, ": RUNNING...")
	switch {
	case running && h.looks < 2:
		h.begin(2)
		h.late = h.failures > 0 // a tree that begins after the list of failures is none
		h.seen = true
		return
	case plain == "Failures:" && h.failures == 0:
		h.failures = 1
		h.close(0)
		h.seen = true
		return
	}
	if h.failures > 0 {
		if h.looks == 0 && hspecModule(text) {
			h.looks, h.late = 1, true
		}
		if h.failures == 1 {
			h.failure(plain)
		}
		return
	}
	if h.looks == 0 && hspecModule(text) {
		h.begin(1)
	}
	if plain != "" && plain != "Golden and Actual output didn't change" {
		h.node(len(text)-len(strings.TrimLeft(text, " ")), plain)
	}
}

// hspecModule reports whether a line may be the first of a tree.
func hspecModule(text string) bool {
	if strings.HasPrefix(text, " ") || !strings.Contains(text, ".") {
		return false
	}
	for _, noise := range hspecNoise {
		if strings.Contains(text, noise) {
			return false
		}
	}
	return true
}

// begin forgets the lines before the tree.
func (h *hspec) begin(looks int) {
	h.looks, h.titles, h.open = looks, nil, nil
	clear(h.tree)
}

// failure reads a line of the list of failures.
func (h *hspec) failure(plain string) {
	for _, end := range hspecEnds {
		if strings.HasPrefix(plain, end) {
			h.failures = 2
			return
		}
	}
	m := hspecHeading.FindStringSubmatch(plain)
	if m == nil {
		return
	}
	parts := strings.Split(m[1], ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if name := joined(parts, "."); len(name) <= maxName && h.keeps(len(h.failed), len(name)) {
		h.failed = append(h.failed, name)
	}
}

// node reads a line of the tree.
func (h *hspec) node(indent int, plain string) {
	h.close(indent)
	line := hspecLine{indent: indent, name: plain, outcome: Passed}
	if m := hspecFailed.FindStringSubmatch(plain); m != nil {
		line.name, line.outcome = strings.TrimSpace(m[1]), Failed
	} else if m := hspecPending.FindStringSubmatch(plain); m != nil {
		line.name, line.outcome = strings.TrimSpace(m[1]), Skipped
	}
	level := min(indent/2, maxJSONDepth)
	h.titles = h.titles[:min(level, len(h.titles))]
	for len(h.titles) < level {
		h.titles = append(h.titles, "")
	}
	h.titles = append(h.titles, strings.Clone(line.name[:min(len(line.name), maxName+1)]))
	h.open = &line
}

// close decides on the open line, after which one with the indent follows.
func (h *hspec) close(indent int) {
	if h.open == nil || indent > h.open.indent {
		return
	}
	var titles []string
	for _, title := range h.titles {
		if title != "" {
			titles = append(titles, title)
		}
	}
	name := joined(titles, ".")
	if _, known := h.tree[name]; len(name) <= maxName && (known || h.keeps(len(h.tree), len(name))) {
		h.tree[name] = h.open.outcome
	}
	h.open = nil
}

func (h *hspec) end() {
	h.close(0)
	if !h.late {
		for name, o := range h.tree {
			h.test(withoutTiming(name), o)
		}
	}
	for _, name := range h.failed {
		h.test(withoutTiming(name), Failed)
	}
	h.ended = h.seen
}
