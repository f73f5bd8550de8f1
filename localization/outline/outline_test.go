package outline_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/localization/outline"
)

var update = flag.Bool("update", false, "write the outlines that the files have now into testdata")

func shown(defs []outline.Definition) string {
	var b strings.Builder
	for _, d := range defs {
		fmt.Fprintf(&b, "%d-%d %s %s\n", d.Start, d.End, d.Kind, strings.Join(d.Name, "."))
	}
	return b.String()
}

// TestOutlines holds the outline of one file of each language, made of what readers of source stumble over: braces in
// strings and comments, nested templates, initialisers, heredocs, modifiers, branches of the preprocessor.
func TestOutlines(t *testing.T) {
	for _, name := range []string{"ledger.go", "ledger.py", "shop.ts", "Shop.java", "lib.rs", "shape.cpp", "shop.rb"} {
		source, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		defs, ok := outline.Of(name, source)
		if !ok {
			t.Errorf("%s has no outline", name)
			continue
		}
		golden := filepath.Join("testdata", name+".outline")
		if *update {
			if err := os.WriteFile(golden, []byte(shown(defs)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got := shown(defs); got != string(want) {
			t.Errorf("%s has the outline\n%s\nwant\n%s", name, got, want)
		}
		crlf := strings.ReplaceAll(string(source), "\n", "\r\n")
		if again, _ := outline.Of(name, []byte(crlf)); shown(again) != string(want) {
			t.Errorf("%s with CR LF has the outline\n%s\nwant\n%s", name, shown(again), want)
		}
	}
}
