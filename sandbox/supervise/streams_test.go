package main

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"evlab/sandbox/plan"
)

// pour sends text through a stream in pieces of random length and returns what came out.
func pour(text []byte, limit int64, seed uint64) []byte {
	var out bytes.Buffer
	s := newStream(&out, "N", limit)
	random := rand.New(rand.NewPCG(seed, 1))
	for len(text) > 0 {
		n := min(len(text), 1+random.IntN(5000))
		s.take(text[:n])
		text = text[n:]
	}
	s.flush()
	return out.Bytes()
}

func TestStreamPassesWhatIsAffordable(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "a line": "hello\n", "no newline": "hello", "many lines": strings.Repeat("0123456789\n", 1000),
	} {
		if got := pour([]byte(text), 1<<20, 7); string(got) != text {
			t.Errorf("%s: %d bytes became %d", name, len(text), len(got))
		}
	}
}

func TestStreamKeepsHeadAndTail(t *testing.T) {
	var text bytes.Buffer
	for i := range 200_000 {
		text.WriteString(strings.Repeat("x", i%7))
		text.WriteByte('\n')
	}
	text.WriteString("the end")
	const limit = 256 << 10
	for seed := range uint64(5) {
		got := pour(text.Bytes(), limit, seed)
		cost := len(got) + plan.LineCost*bytes.Count(got, []byte{'\n'})
		if cost > limit+1000 {
			t.Errorf("costs %d of %d", cost, limit)
		}
		head, rest, found := bytes.Cut(got, plan.Opening("N"))
		record, tail, _ := bytes.Cut(rest, []byte{'\n'})
		if !found || !bytes.HasPrefix(text.Bytes(), head) || !bytes.HasSuffix(text.Bytes(), tail) || len(head) < limit/30 || len(tail) < limit/100 {
			t.Errorf("head %d, tail %d bytes", len(head), len(tail))
		}
		want := plan.Frame("N", plan.Record{Event: plan.Gap, Bytes: int64(text.Len() - len(head) - len(tail))})
		if string(want) != string(plan.Opening("N"))+string(record)+"\n" {
			t.Errorf("the gap is told as %s, want %s", record, want)
		}
	}
}

func TestStreamCutsLongLines(t *testing.T) {
	text := bytes.Repeat([]byte("abc"), 40_000)
	got := pour(text, 1<<20, 3)
	longest := 0
	for line := range bytes.Lines(got) {
		longest = max(longest, len(line))
	}
	if longest > 16<<10 {
		t.Errorf("a line has %d bytes", longest)
	}
	join := plan.Frame("N", plan.Record{Event: plan.Join})
	if back := bytes.ReplaceAll(got, join, nil); !bytes.Equal(back, text) {
		t.Errorf("%d bytes became %d", len(text), len(back))
	}
}
