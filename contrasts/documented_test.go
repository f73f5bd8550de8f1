package contrasts

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestDocumentedCoverage computes the summed columns of the two tables of docs/statistics.md anew, for cohorts of up to a hundred
// tasks; the larger ones take minutes on a busy machine.
func TestDocumentedCoverage(t *testing.T) {
	page, err := os.ReadFile("../docs/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	method := map[string]string{"percentile": MethodExact, "BCa": MethodBCa, "Tango": MethodTango, "Bonett-Price": MethodBonettPrice, "paired t": MethodClusterT,
		"mid-p": ByMidP, "exact test": BySignFlip}
	measured := map[string]Coverage{}
	compared := 0
	var titles []string
	tables := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case len(cells) < 3:
			titles = nil
		case cells[0] == "tasks" && cells[1] == "discordance" && tables < 2:
			titles = cells
			tables++
		case titles != nil && strings.HasSuffix(cells[1], "%"):
			n, err1 := strconv.Atoi(cells[0])
			percent, err2 := strconv.Atoi(strings.TrimSuffix(cells[1], "%"))
			if err1 != nil || err2 != nil {
				t.Fatalf("row %q", line)
			}
			if n > 100 {
				continue
			}
			key := func(name string) string { return fmt.Sprint(n, percent, name) }
			if _, done := measured[key(MethodExact)]; !done {
				share := float64(percent) / 100
				for _, c := range (Trial{N: n, Discordance: share, Diff: share / 2}).sum(t.Context()) {
					measured[key(c.Method)] = c
				}
			}
			for i, cell := range cells[2:] {
				if strings.HasPrefix(cell, "~") {
					continue
				}
				c, known := measured[key(method[titles[i+2]])]
				want := c.Holds
				if tables == 2 {
					want = c.Size
				}
				if got := fmt.Sprintf("%.1f", 100*want); !known || got != cell {
					t.Errorf("%d tasks, %d%%, %s: the page says %s, it is %s", n, percent, titles[i+2], cell, got)
				}
				compared++
			}
		}
	}
	if compared != 12*(5+7) {
		t.Errorf("%d figures were compared, the page has %d", compared, 12*(5+7))
	}
}
