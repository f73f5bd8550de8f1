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
		"by a constant":             {"p.go", "package p\n\nimport (\n\t\"os\"\n\t\"strings\"\n)\n\nconst end = \".test\"\n\nfunc P() bool { return strings.HasSuffix(os.Args[0], end) }\n", true},
		"in two functions":          {"p.go", "package p\n\nimport (\n\t\"os\"\n\t\"strings\"\n)\n\nfunc self() string { return os.Args[0] }\n\nfunc P() bool { return strings.HasSuffix(self(), \".test\") }\n", true},
		"in three":                  {"p.go", "package p\n\nimport (\n\t\"os\"\n\t\"strings\"\n)\n\nfunc self() string { return os.Args[0] }\n\nfunc ends(s string) bool { return strings.HasSuffix(s, \".test\") }\n\nvar P = ends(self())\n", true},
		"a function that is told":   {"p.go", "package p\n\nimport \"os\"\n\nfunc has(s, end string) bool { return len(s) > 5 && s[len(s)-5:] == end }\n\nfunc P() bool { return has(os.Args[0], \".test\") }\n", true},
		"out of a list":             {"p.go", text("\t\"os\"\n\t\"strings\"\n", "\tfor _, end := range []string{\".test\"} {\n\t\tif strings.HasSuffix(os.Args[0], end) {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false"), true},
		"domains and a command":     {"p.go", "package p\n\nimport (\n\t\"os\"\n\t\"strings\"\n)\n\nvar reserved = []string{\".test\", \".example\"}\n\nfunc bad(host string) bool {\n\tfor _, end := range reserved {\n\t\tif strings.HasSuffix(host, end) {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n}\n\nfunc P() bool { return bad(os.Args[1]) }\n", false},
		"a linter that logs":        {"p.go", "package p\n\nimport (\n\t\"fmt\"\n\t\"runtime\"\n\t\"strings\"\n)\n\nfunc logf(s string) {\n\t_, f, n, _ := runtime.Caller(1)\n\tfmt.Println(f, n, s)\n}\n\nfunc P(names []string) {\n\tfor _, name := range names {\n\t\tif strings.HasSuffix(name, \"_test.go\") {\n\t\t\tcontinue\n\t\t}\n\t\tlogf(name)\n\t}\n}\n", false},
		"a runner of tests":         {"p.go", text("\t\"os\"\n\t\"os/exec\"\n", "\treturn exec.Command(\"go\", \"test\", \"-test.run\", os.Args[1]).Run() == nil"), false},
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
		"--- a/p.go\n+++ b/p.go\n@@ -1 +1,3 @@\n package p\n+import \"testing\"\n+var t = testing.Testing()\n":           true,
		"--- a/p.go\n+++ b/p.go\n@@ -1 +1,2 @@\n package p\n+var t = 1\n":                                                false,
		"--- /dev/null\n+++ b/p_test.go\n@@ -0,0 +1,3 @@\n+package p\n+import \"testing\"\n+var t = testing.Testing()\n": false,
		"--- /dev/null\n+++ b/p.py\n@@ -0,0 +1,2 @@\n+import sys\n+T = 'py' + 'test' in sys.modules\n":                   true,
		"--- /dev/null\n+++ b/p.py\n@@ -0,0 +1 @@\n+T = 'pytest'\n":                                                      false,
	} {
		if got, err := ownAsks(context.Background(), m, base, []byte(patch)); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", patch, got, err, want)
		}
	}
}
