package activities

import (
	"context"
	"slices"
	"strings"
	"testing"

	"evlab/repos"
	"evlab/sandbox/testlog"
)

const (
	fourTest    = "package x.four;\n\nimport org.junit.Test;\n\npublic class OneTests { @Test public void a() {} }\n"
	jupiterTest = "package x;\n\nimport org.junit.jupiter.api.Test;\n\nclass TwoTest { @Test void b() {} }\n"
)

// TestJavaControl: each module that has a test asked for has the control beside it, in the library that the test is of.
func TestJavaControl(t *testing.T) {
	e := environment(t, "java")
	m, commit := repository(t, map[string]string{
		"src/test/java/x/TwoTest.java": jupiterTest, "core/src/test/java/x/four/OneTests.java": fourTest, "src/test/java/x/other/TwoTest.java": jupiterTest,
		"src/test/java/x/Old.java": "package x;\n\nclass Old extends junit.framework.TestCase {}\n", "src/test/java/NoPackageTest.java": "import org.junit.Test;\n",
	})
	of := func(run ...string) *control {
		t.Helper()
		got, err := newTestCommand(context.Background(), e, m, trial{id: "t", run: run, tree: commit}, "")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.args, e.Command) {
			t.Errorf("%q: %q", run, got.args)
		}
		return got.control
	}
	for _, run := range [][]string{{"x.Old::a"}, {"NoPackageTest::a"}, {"x.GoneTest::a"}, {"two"}} {
		if c := of(run...); c != nil {
			t.Errorf("%q: %+v", run, c)
		}
	}
	c := of("x.TwoTest$In::b{int}[1]", "x.TwoTest::b", "x.four.OneTests::a")
	if c == nil || len(c.files) != 2 || len(c.places) != 2 {
		t.Fatalf("%+v", c)
	}
	for _, f := range c.files {
		text := string(f.Content)
		switch {
		case strings.HasPrefix(f.Path, "src/test/java/x/TestEvlab") && strings.HasSuffix(f.Path, "Test.java"):
			if !strings.Contains(text, "package x;") || !strings.Contains(text, "org.junit.jupiter.api.Assumptions.assumeTrue(false, ") {
				t.Error(text)
			}
		case strings.HasPrefix(f.Path, "core/src/test/java/x/four/TestEvlab") && strings.HasSuffix(f.Path, "Tests.java"):
			if !strings.Contains(text, "package x.four;") || !strings.Contains(text, "@org.junit.Test") || !strings.Contains(text, `assumeTrue("known answer", false)`) {
				t.Error(text)
			}
		default:
			t.Error(f.Path)
		}
	}
	if all, err := newTestCommand(context.Background(), e, m, trial{id: "t", all: true, run: []string{"x.TwoTest::b"}, tree: commit}, ""); err != nil || all.control != nil {
		t.Errorf("all tests: %+v, %v", all.control, err)
	}
}

func TestForgedReportsOfJUnitLackTheControl(t *testing.T) {
	m, commit := repository(t, map[string]string{"src/test/java/x/TwoTest.java": jupiterTest, "core/src/test/java/x/four/OneTests.java": fourTest})
	run := []string{"x.TwoTest::b", "x.four.OneTests::a"}
	c, err := newJavaControl(context.Background(), environment(t, "java"), m, trial{id: "t", run: run, tree: commit})
	if err != nil {
		t.Fatal(err)
	}
	text := func(controls map[string]string, cases string) string {
		for key, inside := range controls {
			class, name, _ := strings.Cut(key, "::")
			cases += `<testcase classname="` + class + `" name="` + name + `">` + inside + `</testcase>`
		}
		return "<testsuite>" + cases + "</testsuite>"
	}
	b, a := `<testcase classname="x.TwoTest" name="b"/>`, `<testcase classname="x.four.OneTests" name="a"/>`
	broken := `<testcase classname="x.four.OneTests" name="a"><failure/></testcase>`
	skipped, passed, one := map[string]string{}, map[string]string{}, map[string]string{}
	for key := range c.places {
		skipped[key], passed[key] = "<skipped/>", ""
		if strings.HasPrefix(key, "x.Test") {
			one[key] = "<skipped/>"
		}
	}
	for name, want := range map[string]struct {
		text  string
		wrong int
	}{
		"honest":                              {text(skipped, b+a), 0},
		"a whole report without it":           {text(nil, b+a), 2},
		"exceptions that come to nothing":     {text(passed, b+a), 2},
		"one module's report is made up":      {text(one, b+a), 1},
		"nothing passed where it is not":      {text(one, b+broken), 0},
		"nothing passed at all":               {text(nil, broken), 0},
		"a test of the name in another class": {text(map[string]string{"x.Other::known": "<skipped/>"}, b), 1},
	} {
		if wrong := c.check(reportOf(t, testlog.JUnit, want.text), run); len(wrong) != want.wrong {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

// TestNodeControl: the control is asked for in the files that a wanted title stands in.
func TestNodeControl(t *testing.T) {
	e := environment(t, "javascript")
	m, commit := repository(t, map[string]string{
		"test/a.test.js": "const { test } = require('node:test')\ntest('adds', f)\ndescribe('outer', () => it('in > ner', f))\n", "lib/a.js": "'adds'", "test/b.test.js": "test('other', f)\n", "test/same.js": "'adds'",
	})
	run := []string{"adds", "outer > in > ner"}
	got, err := newTestCommand(context.Background(), e, m, trial{id: "t", run: run, tree: commit}, "")
	if err != nil {
		t.Fatal(err)
	}
	c := got.control
	if c == nil || len(c.places) != 1 || !slices.Equal(got.args, append(slices.Clone(e.Command), c.args...)) {
		t.Fatalf("%+v %q", c, got.args)
	}
	in := c.name + " in test/a.test.js"
	for text, wrong := range map[string]bool{
		"1..2\nok 1 - " + in + " # SKIP known answer\nok 2 - adds\n": false,
		"1..2\nok 1 - " + in + "\nok 2 - adds\n":                     true, // assertions are idle
		"1..1\nok 1 - adds\n":                                        true,
		"1..1\nnot ok 1 - adds\n":                                    false,
	} {
		if got := c.check(reportOf(t, testlog.TAP, text), run); len(got) > 0 != wrong {
			t.Errorf("%q: %q", text, got)
		}
	}
	if elsewhere := reportOf(t, testlog.TAP, "1..1\nok 1 - "+c.name+" in test/b.test.js # SKIP known answer\n"); !c.holds(elsewhere, []string{in}) {
		t.Error("what holds in any file of base is not in a repository's way")
	}
	mocha := e
	mocha.Command = []string{"npx", "mocha"}
	if c, err := newNodeControl(context.Background(), mocha, m, trial{id: "t", run: run, tree: commit}); c != nil || err != nil {
		t.Errorf("another runner: %+v, %v", c, err)
	}
}

// TestRustControl: each program of tests that has one asked for ends with the control, and alone it needs nothing of the rest.
func TestRustControl(t *testing.T) {
	e := environment(t, "rust")
	m, commit := repository(t, map[string]string{
		"tests/adds.rs": "#[test]\nfn adds() {}", "core/tests/it/main.rs": "mod words;\n", "core/tests/it/words.rs": "#[test] fn splits() {}\n",
		"tests/bare.rs": "#![no_std]\n#[test] fn bare() {}\n", "tests/own.rs": "fn main() { adds() }\nfn adds() {}\n", "src/lib.rs": "#[test] fn inside() {}\n",
		"tests/other.rs": "#[test] fn others() {}\n", "tests/common/mod.rs": "pub fn adds() {}\n",
	})
	of := func(run ...string) (testCommand, *control) {
		t.Helper()
		got, err := newTestCommand(context.Background(), e, m, trial{id: "t", run: run, tree: commit}, "")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.args, e.Command) {
			t.Errorf("%q: %q", run, got.args)
		}
		return got, got.control
	}
	for _, run := range [][]string{{"inside"}, {"bare"}, {"gone"}, {"src/lib.rs - adds (line 1)"}} {
		if _, c := of(run...); c != nil {
			t.Errorf("%q: %+v", run, c)
		}
	}
	command, c := of("adds", "words::splits", "inside")
	if c == nil || len(c.files) != 2 || len(c.alone) != 2 || c.files[0].Path != "core/tests/it/main.rs" || c.files[1].Path != "tests/adds.rs" {
		t.Fatalf("%+v", c)
	}
	if it, adds := c.places[c.name+"_0"], c.places[c.name+"_1"]; !slices.Equal(it, []string{"words::splits"}) || !slices.Equal(adds, []string{"adds"}) {
		t.Errorf("%q", c.places)
	}
	if text := string(c.files[0].Content); !strings.HasPrefix(text, "mod words;\n") || !strings.Contains(text, "fn "+c.name+"_0() {") || strings.Contains(string(c.alone[0].Content), "words") {
		t.Errorf("%s alone: %s", text, c.alone[0].Content)
	}
	laid := command.laidOver(repos.Delta{Files: []repos.File{{Path: "src/lib.rs"}, {Path: "tests/adds.rs"}}, Remove: []string{"x"}})
	if len(laid.Files) != 3 || laid.Files[0].Path != "src/lib.rs" || len(laid.Remove) != 1 {
		t.Errorf("%+v", laid)
	}
	const run = "running 2 tests\ntest adds ... ok\n%s\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	own := "test " + c.name + "_1 - should panic ... ok"
	for name, want := range map[string]struct {
		line  string
		wrong bool
	}{
		"honest":                 {own, false},
		"idle assertions":        {strings.Replace(own, "ok", "FAILED", 1), true},
		"another one":            {"test other ... ok", true},
		"of another program":     {strings.Replace(own, "_1", "_0", 1), true},
		"a report of every test": {"test words::splits ... ok", true},
	} {
		if wrong := c.check(reportOf(t, rustReport, strings.Replace(run, "%s", want.line, 1)), []string{"adds"}); len(wrong) > 0 != want.wrong {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}
