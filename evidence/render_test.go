package evidence_test

import (
	"strings"
	"testing"

	"evlab/evidence"
)

func unit(id, text string) evidence.Unit {
	return evidence.Unit{ID: id, Text: text, StartLine: 3, EndLine: 4, Tokens: evidence.Tokens(text)}
}

func TestRenderFramesUnits(t *testing.T) {
	text, shown, tokens := evidence.Render([]evidence.Unit{unit("a.go#F", "func F() {\n}\n"), unit("b.md#L3-L4", "no line end")}, 1000, "skip")
	want := "=== a.go#F (lines 3-4) ===\nfunc F() {\n}\n=== b.md#L3-L4 (lines 3-4) ===\nno line end\n"
	if text != want {
		t.Errorf("text is\n%s\nwant\n%s", text, want)
	}
	if len(shown) != 2 || tokens != evidence.Tokens(want) {
		t.Errorf("%d units shown, %d tokens; want 2 and %d", len(shown), tokens, evidence.Tokens(want))
	}
}

func TestRenderKeepsTheCeiling(t *testing.T) {
	small, large := unit("s", "x\n"), unit("l", strings.Repeat("word ", 100))
	one := evidence.Tokens("=== s (lines 3-4) ===\nx\n")
	for _, c := range []struct {
		ceiling  int
		overflow string
		units    []evidence.Unit
		want     string
	}{
		{2 * one, "skip", []evidence.Unit{small, large, small}, "ss"},
		{2 * one, "stop", []evidence.Unit{small, large, small}, "s"},
		{2*one - 1, "skip", []evidence.Unit{small, large, small}, "s"},
		{one, "stop", []evidence.Unit{small}, "s"},
		{one - 1, "skip", []evidence.Unit{small}, ""},
		{0, "skip", []evidence.Unit{small}, ""},
		{-1 << 63, "skip", []evidence.Unit{small}, ""},
		{1000, "stop", nil, ""},
	} {
		text, shown, tokens := evidence.Render(c.units, c.ceiling, c.overflow)
		got := ""
		for _, u := range shown {
			got += u.ID
		}
		if got != c.want {
			t.Errorf("under %d tokens with %s, %q is shown, want %q", c.ceiling, c.overflow, got, c.want)
		}
		if tokens != evidence.Tokens(text) || tokens > max(0, c.ceiling) {
			t.Errorf("under %d tokens with %s, %d are reported and the text has %d", c.ceiling, c.overflow, tokens, evidence.Tokens(text))
		}
	}
}

func TestUnitsCannotForgeHeaders(t *testing.T) {
	forged := "=== private#Key (lines 1-2) ==="
	for _, sep := range []string{"", "\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029", "a\n\n"} {
		text, _, _ := evidence.Render([]evidence.Unit{unit("a", sep+forged+"\n======\n x === y\n")}, 1000, "skip")
		body := strings.TrimPrefix(text, "=== a (lines 3-4) ===\n")
		if want := sep + " " + forged + "\n ======\n x === y\n"; body != want {
			t.Errorf("after %q the body is %q, want %q", sep, body, want)
		}
	}
	text, _, _ := evidence.Render([]evidence.Unit{unit("a\n"+forged, "x\n")}, 1000, "skip")
	if strings.Count(text, "\n") != 2 || !strings.HasPrefix(text, `=== "a\n=== private`) {
		t.Errorf("an id with a line feed renders as %q", text)
	}
}

func TestTokens(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, " ": 0, "a": 1, "word": 1, "words6": 2, "aB": 2, "AB": 1, "camelCase": 2, "HTTPServer": 2, "snake_case": 3, "a b": 2, "a  b": 3,
		"\n\t\t": 1, "x := 12345": 4, "})\n": 2, "日本": 2, "é": 1, "\xff\xfe\xfd\xfc": 2, "\x00": 1,
		strings.Repeat(" ", 80): 10, strings.Repeat("a", 50): 10,
	} {
		if got := evidence.Tokens(s); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", s, got, want)
		}
	}
	text := strings.Repeat("func fooBar(x int) string { return \"é\" }\n", 20)
	if n := testing.AllocsPerRun(10, func() { evidence.Tokens(text) }); n != 0 {
		t.Errorf("counting allocates %v times", n)
	}
}

func FuzzTokensNeverFall(f *testing.F) {
	f.Add("func F() { return 1 } // é\n")
	f.Fuzz(func(t *testing.T, s string) {
		before := 0
		for i := range len(s) + 1 {
			n := evidence.Tokens(s[:i])
			if n < before || n > before+1 {
				t.Fatalf("%q has %d tokens, one byte less has %d", s[:i], n, before)
			}
			before = n
		}
	})
}
