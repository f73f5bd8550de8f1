package terminal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"
	"unicode"

	"evlab/terminal"
)

func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"plain":           "plain",
		"größe 測試 🙂":      "größe 測試 🙂",
		"a\x1b[31mb":      `a\x1b[31mb`,
		"a\nb\tc\r":       `a\nb\tc\r`,
		"\u202egnp.exe":   `\u202egnp.exe`,
		"zero\u200bwidth": `zero\u200bwidth`,
		"\u0085\u009b31m": `\x85\x9b31m`,
		"\xff\xfe":        `\xff\xfe`,
		"\ufffd":          "\ufffd",
		"\U000e0041tag":   `\U000e0041tag`,
		"nul\x00":         `nul\x00`,
		"line\u2028break": `line\u2028break`,
		"no\u00a0break":   "no\u00a0break",
		`a backslash \n`:  `a backslash \n`,
	} {
		if got := terminal.Safe(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := terminal.SafeLines("a\tb\n\x07c\r\n"); got != "a\tb\n\\x07c\\r\n" {
		t.Errorf("lines: %q", got)
	}
}

// TestSafeJSON: the content is the same, and a terminal has nothing to act upon.
func TestSafeJSON(t *testing.T) {
	for _, text := range []string{"plain", "größe 測試 🙂", "\x1b]0;x\x07\x7f", "\u202egnp\u2066 \u009b2J", "\U000e0041tag", "a\nb\tc\r", "x\u200dy\ufffd\xff"} {
		plain, err := json.Marshal(map[string]string{text: text})
		if err != nil {
			t.Fatal(err)
		}
		safe := terminal.SafeJSON(plain)
		var want, got map[string]string
		if err := errors.Join(json.Unmarshal(plain, &want), json.Unmarshal(safe, &got)); err != nil || !maps.Equal(got, want) {
			t.Errorf("%q became %s (%v)", text, safe, err)
		}
		if string(safe) != terminal.Safe(string(safe)) {
			t.Errorf("%q is shown as %s", text, safe)
		}
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range terminal.Safe(s) {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%q keeps %U", s, r)
			}
		}
		for _, width := range []int{0, 1, 7} {
			if cut := terminal.Truncate(terminal.Safe(s), width); terminal.StringWidth(cut) > width {
				t.Errorf("%q cut to %d is %q", s, width, cut)
			}
		}
	})
}

func TestWidths(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "abc": 3, "größe": 5, "測試": 4, "e\u0301": 1, "\x1b[1;31mred\x1b[0m": 3, "🙂": 2, "…": 1,
	} {
		if got := terminal.StringWidth(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdef", 5, "abcd…"}, {"abcdef", 1, "…"}, {"abcdef", 0, ""}, {"測試試", 4, "測…"},
		{"\x1b[34mabcdef\x1b[0m", 3, "\x1b[34mab…\x1b[0m"}, {"\x1b[34ma\x1b[0mbcdef", 3, "\x1b[34ma\x1b[0mb…"},
	} {
		if got := terminal.Truncate(c.s, c.width); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.s, c.width, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	table := terminal.NewTable("TASK", ">TOKENS", "~REASON")
	table.Row("größe", "7", "prompt changed 3f2a -> 9c01 and then again to something long")
	table.Row("測試", "12345", "")
	table.Row("\x1b[34mx\x1b[0m", "1", "short", "beyond")
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, "TASK   TOKENS  REASON\n" +
			"größe       7  prompt changed 3f2a -> 9c01 and then again to something long\n" +
			"測試    12345\n" +
			"\x1b[34mx\x1b[0m           1  short\n"},
		{40, "TASK   TOKENS  REASON\n" +
			"größe       7  prompt changed 3f2a -> 9…\n" +
			"測試    12345\n" +
			"\x1b[34mx\x1b[0m           1  short\n"},
		{20, "TASK    größe\nTOKENS  7\nREASON  prompt\n        changed 3f2a\n        -> 9c01 and\n        then again\n        to something\n        long\n" +
			"\nTASK    測試\nTOKENS  12345\n" +
			"\nTASK    \x1b[34mx\x1b[0m\nTOKENS  1\nREASON  short\n"},
	} {
		var out bytes.Buffer
		if err := table.Write(&out, c.width, terminal.NewStyle(false)); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("width %d: got\n%swant\n%s", c.width, out.String(), c.want)
		}
	}
	var out bytes.Buffer
	untitled := terminal.NewTable("", "")
	untitled.Row("a", "b")
	if err := untitled.Write(&out, 0, terminal.NewStyle(true)); err != nil || out.String() != "a  b\n" {
		t.Errorf("untitled: %q, %v", out.String(), err)
	}
}

func TestColour(t *testing.T) {
	for _, c := range []struct {
		choice string
		env    string // space separated
		tty    bool
		want   bool
	}{
		{"auto", "TERM=xterm", true, true},
		{"auto", "TERM=xterm", false, false},
		{"auto", "TERM=dumb", true, false},
		{"auto", "", true, false},
		{"auto", "TERM=xterm NO_COLOR=1", true, false},
		{"auto", "TERM=xterm NO_COLOR=", true, true},
		{"auto", "CLICOLOR_FORCE=1", false, true},
		{"auto", "CLICOLOR_FORCE=0", false, false},
		{"auto", "NO_COLOR=1 CLICOLOR_FORCE=1", true, false},
		{"always", "NO_COLOR=1 TERM=dumb", false, true},
		{"never", "TERM=xterm CLICOLOR_FORCE=1", true, false},
	} {
		getenv := func(name string) string {
			for kv := range strings.SplitSeq(c.env, " ") {
				if k, v, _ := strings.Cut(kv, "="); k == name {
					return v
				}
			}
			return ""
		}
		if got, err := terminal.Colour(c.choice, getenv, c.tty); err != nil || got != c.want {
			t.Errorf("%s with %q on a terminal %v: %v, %v", c.choice, c.env, c.tty, got, err)
		}
	}
	if _, err := terminal.Colour("yes", func(string) string { return "" }, true); err == nil {
		t.Error("yes is a choice")
	}
	if got := terminal.NewStyle(false).Bad("x"); got != "x" {
		t.Errorf("no colour: %q", got)
	}
	if got := terminal.NewStyle(true).Bad("x"); got != "\x1b[1;31mx\x1b[0m" {
		t.Errorf("colour: %q", got)
	}
}

func TestBuffersAreNoTerminals(t *testing.T) {
	var b bytes.Buffer
	if terminal.IsTerminal(&b) || terminal.Width(&b) != terminal.DefaultWidth {
		t.Error("a buffer is a terminal")
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", -time.Hour: "0s", 499 * time.Millisecond: "0s", 59 * time.Second: "59s", 250 * time.Second: "4m10s",
		time.Hour + 4*time.Minute + 29*time.Second: "1h04m", 51 * time.Hour: "2d03h",
	} {
		if got := terminal.Duration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
