package tabular

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzValidJSON: whatever the bytes, encoding/json says the same.
func FuzzValidJSON(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-2.5e+3,0,true,false,null,"x\"\\\/\b\f\n\r\t\u00e9"]}`, ` [ ] `, `{}`, `{"a" : {"b":[[],{}]} , "c":0}`, `"`, `"\`, `"\u12g4"`, `"\x"`, "\"\x01\"", "\"\xff\"",
		`-`, `-0`, `01`, `1.`, `.5`, `1e`, `1e+`, `1E-0`, `0.0`, `-01`, `tru`, `truee`, `nul`, `[1,]`, `[,1]`, `[1 2]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1 "b":2}`, `[`, `{`, `[}`,
		`{]`, ``, ` `, `1 1`, "\ufeff1", `[1]]`, `"a":1`, "\v1",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := validJSON(text), json.Valid(text); got != want {
			t.Errorf("%q: %t, encoding/json says %t", text, got, want)
		}
	})
}

// TestValidJSONIsAsDeep as encoding/json goes, and no deeper.
func TestValidJSONIsAsDeep(t *testing.T) {
	for _, depth := range []int{maxDepth, maxDepth + 1, 1 << 20} {
		for _, brackets := range []string{"[]", "{}"} {
			open, inside := brackets[:1], ""
			if open == "{" {
				open, inside = `{"a":`, "1"
			}
			text := []byte(strings.Repeat(open, depth) + inside + strings.Repeat(brackets[1:], depth))
			if got, want := validJSON(text), json.Valid(text); got != want || got != (depth == maxDepth) {
				t.Errorf("%s, %d deep: %t, encoding/json says %t", brackets, depth, got, want)
			}
		}
	}
}

func BenchmarkValidJSON(b *testing.B) {
	line := []byte(`{"state_id":"s","method_id":"m","evidence_ids":["` + strings.Repeat(`evidence-000100000000000000000123","`, 384) + `"]}`)
	for name, valid := range map[string]func([]byte) bool{"here": validJSON, "encoding-json": json.Valid} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if !valid(line) {
					b.Fatal("it is JSON")
				}
			}
		})
	}
}
