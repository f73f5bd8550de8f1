package terminal_test

import (
	"bytes"
	"strings"
	"testing"

	"evlab/terminal"
)

func written(t *testing.T, table *terminal.Table, width int) string {
	t.Helper()
	var out bytes.Buffer
	if err := table.Write(&out, width, terminal.NewStyle(false)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := terminal.StringWidth(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("width %d: a line of %d columns, %q", width, n, line)
		}
	}
	return out.String()
}

// TestNarrowNumbers: numbers go in bands of columns, each under the keys, which are shortened no more than they have to be.
func TestNarrowNumbers(t *testing.T) {
	table := terminal.NewTable("~method", ">@1", ">@3", ">4096 tok", ">returned")
	table.Row("mss-complement", "33.33", "83.33", "100.00", "100.00")
	table.Row("bm25", "0.00", "0.00", "83.33", "100.00")
	for width, want := range map[int]string{
		60: "method             @1     @3  4096 tok  returned\n" +
			"mss-complement  33.33  83.33    100.00    100.00\n" +
			"bm25             0.00   0.00     83.33    100.00\n",
		44: "method         @1     @3  4096 tok  returned\n" +
			"mss-compl…  33.33  83.33    100.00    100.00\n" +
			"bm25         0.00   0.00     83.33    100.00\n",
		30: "method             @1     @3\n" +
			"mss-complement  33.33  83.33\n" +
			"bm25             0.00   0.00\n" +
			"\n" +
			"method          4096 tok\n" +
			"mss-complement    100.00\n" +
			"bm25               83.33\n" +
			"\n" +
			"method          returned\n" +
			"mss-complement    100.00\n" +
			"bm25              100.00\n",
		20: "method         @1\n" +
			"mss-compl…  33.33\n" +
			"bm25         0.00\n" +
			"\n" +
			"method         @3\n" +
			"mss-compl…  83.33\n" +
			"bm25         0.00\n" +
			"\n" +
			"method      4096 tok\n" +
			"mss-compl…    100.00\n" +
			"bm25           83.33\n" +
			"\n" +
			"method      returned\n" +
			"mss-compl…    100.00\n" +
			"bm25          100.00\n",
	} {
		if got := written(t, table, width); got != want {
			t.Errorf("width %d: got\n%swant\n%s", width, got, want)
		}
	}
}

// TestNarrowNamesStayApart: names that begin alike are not shortened to the same.
func TestNarrowNamesStayApart(t *testing.T) {
	table := terminal.NewTable("~method", ">@1", ">@3")
	table.Row("qwen3-embedding-mmr", "1.00", "2.00")
	table.Row("qwen3-embedding-rerank", "3.00", "4.00")
	for width, want := range map[int]string{
		28: "method                    @1\n" +
			"qwen3-embedding-mmr     1.00\n" +
			"qwen3-embedding-rerank  3.00\n" +
			"\n" +
			"method                    @3\n" +
			"qwen3-embedding-mmr     2.00\n" +
			"qwen3-embedding-rerank  4.00\n",
		20: "method  qwen3-embedding-mmr\n@1      1.00\n@3      2.00\n\n" +
			"method  qwen3-embedding-rerank\n@1      3.00\n@3      4.00\n",
	} {
		var out bytes.Buffer
		if err := table.Write(&out, width, terminal.NewStyle(false)); err != nil || out.String() != want {
			t.Errorf("width %d: got\n%swant\n%s", width, out.String(), want)
		}
	}
}

// TestNarrowWords: rows of words become lines, and what stands for the row above is said again.
func TestNarrowWords(t *testing.T) {
	table := terminal.NewTable(">tasks", "the method of the interval", ">holds", "how")
	table.Row("23", "percentile", "82.9%", "")
	table.Row("", "bonett-price", "99.5%", "a sum over all tables")
	want := "tasks           23\n" +
		"the method of the interval\n" +
		"                percentile\n" +
		"holds           82.9%\n" +
		"\n" +
		"tasks           23\n" +
		"the method of the interval\n" +
		"                bonett-price\n" +
		"holds           99.5%\n" +
		"how             a sum over\n" +
		"                all tables\n"
	if got := written(t, table, 28); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := written(t, terminal.NewTable("a title of many words", "another one"), 20); got != "" {
		t.Errorf("no rows: %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s             string
		width, indent int
		want          string
	}{
		{"one two three", 80, 0, "one two three"},
		{"one two three", 7, 0, "one two\nthree"},
		{"one  two\nthree", 7, 0, "one two\nthree"},
		{"one two three", 12, 4, "one two\n    three"},
		{"測試 測試", 6, 0, "測試\n測試"},
		{"a-word-of-many-columns b", 8, 2, "a-word-of-many-columns\n  b"},
		{"\x1b[1mone\x1b[0m two", 7, 0, "\x1b[1mone\x1b[0m two"},
		{"", 8, 2, ""},
	} {
		if got := terminal.Wrap(c.s, c.width, c.indent); got != c.want {
			t.Errorf("%q at %d, %d: %q, want %q", c.s, c.width, c.indent, got, c.want)
		}
	}
}

func TestColumns(t *testing.T) {
	for value, want := range map[string]int{"": 0, "40": 40, "5": terminal.MinWidth, "100000": terminal.MaxWidth, "0": 0, "-3": 0, "wide": 0} {
		if got := terminal.Columns(func(string) string { return value }); got != want {
			t.Errorf("COLUMNS=%s: %d, want %d", value, got, want)
		}
	}
}
