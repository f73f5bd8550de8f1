package activities

import (
	"context"
	"testing"

	"evlab/repos"
)

// TestProgramsThatAskWhetherTheyAreTested: such a question is seen where base has it not, whatever the import is called,
// and only in the program.
func TestProgramsThatAskWhetherTheyAreTested(t *testing.T) {
	text := func(imports, body string) string {
		return "package p\n\nimport (\n" + imports + ")\n\nfunc P() bool {\n" + body + "\n}\n"
	}
	const asked = "\treturn testing.Testing()"
	m, base := repository(t, map[string]string{"old.go": text("\t\"testing\"\n", asked), "p.go": "package p\n"})
	for name, c := range map[string]struct {
		path, text string
		asks       bool
	}{
		"testing.Testing":           {"p.go", text("\t\"testing\"\n", asked), true},
		"by another name":           {"p.go", text("\tx \"testing\"\n", "\treturn x.Testing()"), true},
		"as a value":                {"p.go", text("\t\"testing\"\n", "\tf := testing.Testing\n\treturn f()"), true},
		"a flag of the tests":       {"new.go", text("\t\"flag\"\n", "\treturn flag.Lookup(\"test.v\") != nil"), true},
		"the binary's name":         {"p.go", text("\t\"os\"\n\t\"strings\"\n", "\treturn strings.HasSuffix(os.Args[0], \".test\")"), true},
		"the binary's folder":       {"p.go", text("\t\"os\"\n\t\"strings\"\n", "\treturn strings.Contains(os.Args[0], \"/go-build\")"), true},
		"an argument":               {"p.go", text("\t\"os\"\n\t\"strings\"\n", "\treturn strings.HasPrefix(os.Args[1], \"-test.v\")"), true},
		"in two pieces":             {"p.go", text("\t\"os\"\n\t\"strings\"\n", "\treturn strings.HasSuffix(os.Args[0], \".te\"+(\"st\"))"), true},
		"a flag of the set":         {"p.go", text("\t\"flag\"\n", "\treturn flag.CommandLine.Lookup(\"test.v\") != nil"), true},
		"among all flags":           {"p.go", text("\t\"flag\"\n\t\"strings\"\n", "\tis := false\n\tflag.VisitAll(func(f *flag.Flag) { is = is || strings.HasPrefix(f.Name, \"test.\") })\n\treturn is"), true},
		"what was built":            {"p.go", text("\t\"runtime/debug\"\n\t\"strings\"\n", "\ti, _ := debug.ReadBuildInfo()\n\treturn strings.HasSuffix(i.Path, \".test\")"), true},
		"the kernel":                {"p.go", text("\t\"os\"\n\t\"strings\"\n", "\tb, _ := os.ReadFile(\"/proc/self/cmdline\")\n\treturn strings.Contains(string(b), \"-test.run\")"), true},
		"the caller's file":         {"p.go", text("\t\"runtime\"\n\t\"strings\"\n", "\t_, f, _, _ := runtime.Caller(1)\n\treturn strings.HasSuffix(f, \"_test.go\")"), true},
		"the stack":                 {"p.go", text("\t\"runtime/debug\"\n\t\"strings\"\n", "\treturn strings.Contains(string(debug.Stack()), \"testing.tRunner\")"), true},
		"the stack for a log":       {"p.go", text("\t\"runtime/debug\"\n\t\"fmt\"\n", "\tfmt.Println(\"testing it\", string(debug.Stack()))\n\treturn true"), false},
		"a name with that ending":   {"p.go", text("\t\"strings\"\n", "\treturn strings.HasSuffix(\"a\", \"_test.go\")"), false},
		"asked at base":             {"old.go", text("\t\"testing\"\n", "\t_ = 1\n"+asked), false},
		"asked twice there":         {"old.go", text("\t\"testing\"\n", "\t_ = testing.Testing\n"+asked), true},
		"a test":                    {"p_test.go", text("\t\"testing\"\n", asked), false},
		"a comment":                 {"p.go", text("\t_ \"testing\"\n", "\t// testing.Testing()\n\treturn true"), false},
		"another package's Testing": {"p.go", text("\ttesting \"x.org/mode\"\n", asked), false},
		"a flag of its own":         {"p.go", text("\t\"flag\"\n", "\treturn flag.Lookup(\"tests\") != nil"), false},
		"go-build for a cache":      {"p.go", text("\t\"path\"\n", "\treturn path.Join(\"a\", \"go-build\") == \"\""), false},
		"a file's ending":           {"p.go", text("\t\"strings\"\n", "\treturn strings.HasSuffix(\"a\", \".test\")"), false},
	} {
		got, err := asks(context.Background(), m, base, repos.Delta{Files: []repos.File{{Path: c.path, Mode: "100644", Content: []byte(c.text)}}})
		if err != nil || (got != "") != c.asks {
			t.Errorf("%s: %q, %v; want that it asks: %v", name, got, err, c.asks)
		}
	}
	moved := repos.Delta{Remove: []string{"old.go"}, Files: []repos.File{{Path: "moved.go", Mode: "100644", Content: []byte(text("\t\"testing\"\n", asked))}}}
	if got, err := asks(context.Background(), m, base, moved); err != nil || got != "" {
		t.Errorf("a file that was moved: %q, %v", got, err)
	}
	for patch, want := range map[string]bool{
		"--- a/p.go\n+++ b/p.go\n@@ -1 +1,2 @@\n package p\n+var t = testing.Testing()\n":           true,
		"--- a/p.go\n+++ b/p.go\n@@ -1,2 +1 @@\n package p\n-var t = testing.Testing()\n":           false,
		"--- a/p_test.go\n+++ b/p_test.go\n@@ -1 +1,2 @@\n package p\n+var t = testing.Testing()\n": false,
	} {
		if got := patchAsks([]byte(patch)); got != want {
			t.Errorf("%s: %v, want %v", patch, got, want)
		}
	}
}
