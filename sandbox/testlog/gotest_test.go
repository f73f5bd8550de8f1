package testlog_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"evlab/sandbox/testlog"
)

// Lines of a report, so that a case reads as what happened.
func start(pkg string) string          { return line("start", pkg, "", "") }
func run(pkg, test string) string      { return line("run", pkg, test, "") }
func pass(pkg, test string) string     { return line("pass", pkg, test, "") }
func fail(pkg, test string) string     { return line("fail", pkg, test, "") }
func skip(pkg, test string) string     { return line("skip", pkg, test, "") }
func says(pkg, test, o string) string  { return line("output", pkg, test, o) }
func ran(pkg, test, how string) string { return run(pkg, test) + line(how, pkg, test, "") }

func line(action, pkg, test, output string) string {
	data, err := json.Marshal(struct {
		Time, Action, Package string
		Test, Output          string `json:",omitempty"`
	}{"2026-01-01T00:00:00Z", action, pkg, test, output})
	if err != nil {
		panic(err)
	}
	return string(data) + "\n"
}

const (
	passed, failed, skipped, missing = testlog.Passed, testlog.Failed, testlog.Skipped, testlog.Missing
	unfinished, buildFailed          = testlog.Unfinished, testlog.BuildFailed
)

type outcomes map[string]testlog.Outcome

func TestParseGoTest(t *testing.T) {
	for _, c := range []struct {
		name     string
		report   string
		tests    outcomes // what Judge says for these names
		packages outcomes
		problem  string // part of it; "" for none
		complete bool
		exit     int // with which CheckExit has nothing to say
	}{
		{"all pass", start("p") + ran("p", "TestA", "pass") + says("p", "", "PASS\n") + pass("p", ""),
			outcomes{"p::TestA": passed, "TestA": passed, "p::TestB": missing}, outcomes{"p": passed}, "", true, 0},
		{"one fails", start("p") + ran("p", "TestA", "pass") + ran("p", "TestB", "fail") + fail("p", ""),
			outcomes{"p::TestA": passed, "p::TestB": failed}, outcomes{"p": failed}, "", true, 1},
		{"skipped is not passed", start("p") + ran("p", "TestA", "skip") + ran("p", "TestB", "pass") + pass("p", ""),
			outcomes{"p::TestA": skipped}, outcomes{"p": passed}, "", true, 0},
		{"subtests", start("p") + run("p", "TestA") + ran("p", "TestA/x_y", "pass") + ran("p", "TestA/a/b#01", "fail") + fail("p", "TestA") + fail("p", ""),
			outcomes{"p::TestA/x_y": passed, "p::TestA/a/b#01": failed, "p::TestA": failed, "TestA/x_y": passed, "TestA/x": missing}, nil, "", true, 1},
		{"parallel", start("p") + run("p", "TestA") + line("pause", "p", "TestA", "") + ran("p", "TestB", "pass") + line("cont", "p", "TestA", "") + pass("p", "TestA") + pass("p", ""),
			outcomes{"p::TestA": passed, "p::TestB": passed}, nil, "", true, 0},
		{"a bare name means every package", start("p") + start("q") + ran("p", "TestA", "pass") + ran("q", "TestA", "fail") + pass("p", "") + fail("q", ""),
			outcomes{"TestA": failed, "p::TestA": passed, "q::TestA": failed, "r::TestA": missing}, nil, "", true, 1},
		{"lines between", "go: downloading x\n" + start("p") + "WARNING: noise {\n{not json}\n\n[1,2]\n" + ran("p", "TestA", "pass") + "\r\n" + pass("p", ""),
			outcomes{"p::TestA": passed}, nil, "", true, 0},
		{"no package", "", outcomes{"p::TestA": missing, "TestA": missing}, outcomes{}, "no package", false, 1},
		{"only noise", "panic: the go command is gone\n", outcomes{"TestA": missing}, outcomes{}, "no package", false, 2},
		{"no test files", start("p") + says("p", "", "?   \tp\t[no test files]\n") + skip("p", ""),
			outcomes{"p::TestA": missing}, outcomes{"p": skipped}, "no test ran", true, 0},
		{"no tests to run", start("p") + says("p", "", "testing: warning: no tests to run\n") + pass("p", ""),
			outcomes{"p::TestA": missing}, outcomes{"p": passed}, "no test ran", true, 0},
		{"build failure of now", `{"ImportPath":"b [b.test]","Action":"build-output","Output":"# b\n"}` + "\n" + `{"ImportPath":"b [b.test]","Action":"build-fail"}` + "\n" +
			start("b") + says("b", "", "FAIL\tb [build failed]\n") + `{"Action":"fail","Package":"b","Elapsed":0,"FailedBuild":"b [b.test]"}` + "\n",
			outcomes{"b::TestA": missing}, outcomes{"b": buildFailed}, "no test ran", true, 1},
		{"build failure of old", "# b\n./b.go:3: nonsense\n" + says("b", "", "FAIL\tb [build failed]\n") + fail("b", ""),
			outcomes{"b::TestA": missing}, outcomes{"b": buildFailed}, "no test ran", true, 1},
		{"one of two does not build", start("p") + ran("p", "TestA", "pass") + pass("p", "") + start("b") + `{"Action":"fail","Package":"b","FailedBuild":"b"}` + "\n",
			outcomes{"p::TestA": passed, "b::TestA": missing}, outcomes{"p": passed, "b": buildFailed}, "", true, 1},
		{"setup failure", says("b", "", "FAIL\tb [setup failed]\n") + fail("b", ""), outcomes{}, outcomes{"b": buildFailed}, "no test ran", true, 1},
		{"a test that prints a build failure", start("p") + run("p", "TestA") + says("p", "TestA", "FAIL\tp [build failed]\n") + fail("p", "TestA") + fail("p", ""),
			outcomes{"p::TestA": failed}, outcomes{"p": failed}, "", true, 1},
		{"panic", start("p") + ran("p", "TestA", "pass") + run("p", "TestB") + says("p", "TestB", "panic: oh\n") + fail("p", "TestB") + fail("p", ""),
			outcomes{"p::TestA": passed, "p::TestB": failed, "p::TestC": missing}, outcomes{"p": failed}, "", true, 1},
		{"time-out", start("p") + run("p", "TestSlow") + says("p", "TestSlow", "panic: test timed out after 1s\n") + fail("p", ""),
			outcomes{"p::TestSlow": unfinished, "p::TestLater": missing}, outcomes{"p": failed}, "", true, 1},
		{"passes and a test is still open", start("p") + run("p", "TestA") + pass("p", ""),
			outcomes{"p::TestA": unfinished}, outcomes{"p": passed}, "passed although", true, 1},
		{"TestMain fails", start("p") + ran("p", "TestA", "pass") + says("p", "", "FAIL\n") + fail("p", ""),
			outcomes{"p::TestA": passed}, outcomes{"p": failed}, "none of its tests did", true, 1},
		{"cut between events", start("p") + ran("p", "TestA", "pass") + run("p", "TestB"),
			outcomes{"p::TestA": passed, "p::TestB": unfinished}, outcomes{"p": unfinished}, "never ended", false, 1},
		{"cut in an event", start("p") + ran("p", "TestA", "pass") + pass("p", "")[:20],
			outcomes{"p::TestA": passed}, outcomes{"p": unfinished}, "middle of an event", false, 1},
		{"left out", start("p") + ran("p", "TestA", "pass") + "\n[evlab: 1234 bytes left out here]\nst\":\"p\"}\n" + pass("p", ""),
			outcomes{"p::TestA": passed, "p::TestB": missing}, outcomes{"p": passed}, "left out", false, 1},
		{"an end without a start", start("p") + ran("p", "TestB", "pass") + pass("p", "TestA") + pass("p", ""),
			outcomes{"p::TestA": failed}, nil, "ended more often", true, 0},
		{"printed before there are tests", start("p") + says("p", "TestA", "--- FAIL: TestA (0.00s)\n") + fail("p", "TestA") + pass("p", "TestB") + ran("p", "TestA", "pass") + pass("p", ""),
			outcomes{"p::TestA": passed, "p::TestB": missing}, outcomes{"p": passed}, "", true, 0},
		{"nothing but that", start("p") + pass("p", "TestA") + pass("p", ""),
			outcomes{"p::TestA": missing}, nil, "no test ran", true, 0},
		{"two ends", start("p") + run("p", "TestA") + pass("p", "TestA") + fail("p", "TestA") + fail("p", ""),
			outcomes{"p::TestA": failed}, nil, "ended more often", true, 1},
		{"two ends, the better one last", start("p") + run("p", "TestA") + fail("p", "TestA") + pass("p", "TestA") + fail("p", ""),
			outcomes{"p::TestA": failed}, nil, "ended more often", true, 1},
		{"the same name in the external package", start("p") + ran("p", "TestA", "fail") + ran("p", "TestA", "pass") + fail("p", ""),
			outcomes{"p::TestA": failed}, nil, "", true, 1},
		{"the same name, the second never ends", start("p") + ran("p", "TestA", "pass") + run("p", "TestA") + fail("p", ""),
			outcomes{"p::TestA": unfinished}, nil, "", true, 1},
		{"a parent passes over its child", start("p") + run("p", "TestA") + ran("p", "TestA/x", "fail") + pass("p", "TestA") + pass("p", ""),
			outcomes{"p::TestA": failed, "p::TestA/x": failed}, nil, "although its subtest", true, 1},
		{"a grandparent, too", start("p") + run("p", "TestA") + ran("p", "TestA/x/y", "fail") + pass("p", "TestA") + fail("p", ""),
			outcomes{"p::TestA": failed}, nil, "although its subtest", true, 1},
		{"the mark in output", start("p") + run("p", "TestA") + says("p", "TestA", "x\x16--- PASS: TestA\n") + pass("p", "TestA") + pass("p", ""),
			outcomes{"p::TestA": failed}, nil, "mark", true, 0},
		{"events after the package's end", start("p") + ran("p", "TestA", "fail") + fail("p", "") + ran("p", "TestB", "pass"),
			outcomes{"p::TestA": failed, "p::TestB": failed}, nil, "after the end", true, 1},
		{"printed events", start("p") + run("p", "TestA") + says("p", "TestA", pass("p", "TestA")) + says("p", "TestA", "--- PASS: TestA (0.00s)\n") + fail("p", "TestA") + fail("p", ""),
			outcomes{"p::TestA": failed}, nil, "", true, 1},
		{"a package that ends twice", start("p") + ran("p", "TestA", "pass") + fail("p", "") + pass("p", ""),
			outcomes{"p::TestA": passed}, outcomes{"p": failed}, "ended twice", true, 1},
		{"unknown actions", start("p") + line("attr", "p", "TestA", "") + line("artifacts", "p", "TestA", "") + ran("p", "TestA", "pass") + pass("p", ""),
			outcomes{"p::TestA": passed}, nil, "", true, 0},
		{"examples and fuzz seeds", start("p") + ran("p", "ExampleF", "pass") + run("p", "FuzzF") + ran("p", "FuzzF/seed#0", "pass") + pass("p", "FuzzF") + pass("p", ""),
			outcomes{"ExampleF": passed, "p::FuzzF/seed#0": passed}, nil, "", true, 0},
		{"the separator in a subtest's name", start("p") + run("p", "TestA") + ran("p", "TestA/a::b", "pass") + pass("p", "TestA") + pass("p", ""),
			outcomes{"p::TestA/a::b": passed, "TestA/a::b": passed, "q::TestA/a::b": missing}, nil, "", true, 0},
		{"the separator at a subtest's end", start("p") + run("p", "TestA") + ran("p", "TestA/a::", "pass") + pass("p", "TestA") + pass("p", ""),
			outcomes{"p::TestA/a::": passed, "TestA/a::": passed, "q::TestA/a::": missing, "TestA/b::": missing}, nil, "", true, 0},
		{"the separator in a package's name", start("p") + ran("p", "TestA", "pass") + pass("p", "") + ran("q::TestX", "y", "pass"),
			outcomes{"q::TestX::y": missing, "q::TestX": missing}, outcomes{"p": passed}, "cannot be told apart", true, 0},
		{"packages that are written otherwise", start("x.org/m/calc") + ran("x.org/m/calc", "TestA", "pass") + run("x.org/m/calc", "TestB") + ran("x.org/m/calc", "TestB/a.TestC", "pass") + pass("x.org/m/calc", "TestB") + pass("x.org/m/calc", ""),
			outcomes{"calc::TestA": passed, "m/calc::TestA": passed, "./calc::TestA": passed, "calc/calc_test.go::TestA": passed, "a_test.go::TestA": passed, "calc.TestA": passed, "x.org/m/calc.TestA": passed,
				"calc.TestB/a.TestC": passed, "calc::TestB/a.TestC": passed, "TestB/a.TestC": passed, "alc::TestA": missing, "org/calc::TestA": missing, "calc.TestC": missing, "calc::Nothing": missing, ".TestA": missing}, nil, "", true, 0},
		{"an end of a path that two packages have", start("x.org/a/p") + start("x.org/b/p") + ran("x.org/a/p", "TestA", "pass") + ran("x.org/b/p", "TestA", "fail") + ran("x.org/b/p", "TestB", "pass") + pass("x.org/a/p", "") + fail("x.org/b/p", ""),
			outcomes{"p::TestA": testlog.Ambiguous, "a/p::TestA": passed, "p.TestB": passed, "x.org/a/p::TestB": missing, "x.org/a/p.TestB": missing}, nil, "", true, 1},
		{"an endless line", start("p") + ran("p", "TestA", "pass") + strings.Repeat("x", 3<<20) + "\n" + pass("p", ""),
			outcomes{"p::TestA": passed}, nil, "longer than", false, 1},
		{"names that are none", start("p") + ran("p", "TestA", "pass") + pass("p", ""),
			outcomes{"": missing, "::": missing, "::TestA": missing, "p::": missing, "p": missing}, nil, "", true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := testlog.ParseGoTest(iotest.HalfReader(strings.NewReader(c.report)))
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range c.tests {
				got := r.Judge([]string{name})[0]
				if got.Outcome != want || got.Name != name || (got.Detail == "") != (want == passed) {
					t.Errorf("%q: %+v, want %s", name, got, want)
				}
			}
			for name, want := range c.packages {
				if r.Packages[name] != want {
					t.Errorf("package %s %s, want %s", name, r.Packages[name], want)
				}
			}
			if c.packages != nil && len(r.Packages) != len(c.packages) {
				t.Errorf("packages %v", r.Packages)
			}
			if !strings.Contains(r.Problem, c.problem) || (c.problem == "") != (r.Problem == "") {
				t.Errorf("problem %q, want %q", r.Problem, c.problem)
			}
			if r.Complete != c.complete {
				t.Errorf("complete is %v", r.Complete)
			}
			if said := r.CheckExit(c.exit); said != "" {
				t.Errorf("exit %d: %s", c.exit, said)
			}
		})
	}
}

func TestCheckExitContradicts(t *testing.T) {
	good := start("p") + ran("p", "TestA", "pass") + pass("p", "")
	for _, c := range []struct {
		report string
		exit   int
		want   string
	}{
		{good, 1, "nothing in the report failed"},
		{good, 137, "nothing in the report failed"},
		{start("p") + ran("p", "TestA", "fail") + fail("p", ""), 0, "package p failed"},
		{start("p") + ran("p", "TestA", "fail") + pass("p", ""), 0, "test p::TestA failed"},
		{start("p") + ran("p", "TestA", "pass"), 0, "package p unfinished"},
		{"", 0, "not complete"},
		{good[:len(good)-5], 0, "unfinished"},
	} {
		r, err := testlog.ParseGoTest(strings.NewReader(c.report))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.CheckExit(c.exit); !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.report, got, c.want)
		}
	}
}

func TestJudgeKeepsTheOrder(t *testing.T) {
	r, err := testlog.ParseGoTest(strings.NewReader(start("p") + ran("p", "TestA", "pass") + ran("p", "TestB", "fail") + fail("p", "")))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"TestB", "p::TestA", "TestB", "nonsense::TestA"}
	for i, j := range r.Judge(names) {
		if j.Name != names[i] {
			t.Errorf("%d: %+v", i, j)
		}
	}
	if len(r.Judge(nil)) != 0 {
		t.Error("an answer without a question")
	}
}

func TestReaderFails(t *testing.T) {
	broken := errors.New("the disk is gone")
	if r, err := testlog.ParseGoTest(io.MultiReader(strings.NewReader(start("p")), iotest.ErrReader(broken))); !errors.Is(err, broken) || r != nil {
		t.Errorf("%+v %v", r, err)
	}
}

// flood makes a report that is larger than any machine's memory would like.
type flood struct{ left, n int }

func (f *flood) Read(b []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	f.left--
	f.n++
	return copy(b, says("p", fmt.Sprintf("Test%d", f.n%100), strings.Repeat("z", 3000))), nil
}

// TestMemory holds that output is not kept: 90 MB of it leave nothing behind.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := testlog.ParseGoTest(&flood{left: 30_000})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	runtime.KeepAlive(r)
}

func FuzzParseGoTest(f *testing.F) {
	f.Add(start("p") + run("p", "TestA") + ran("p", "TestA/x", "fail") + pass("p", "TestA") + pass("p", ""))
	f.Add(start("p") + says("p", "", "\x16") + `{"Action":"build-output","Output":"x"}` + "\n[evlab: 1 bytes left out here]\n")
	f.Add(`{"Action":"fail","Package":"b","FailedBuild":"b"}` + "\n{\"Action\"")
	f.Fuzz(func(t *testing.T, report string) {
		r, err := testlog.ParseGoTest(strings.NewReader(report))
		if err != nil {
			t.Fatal(err)
		}
		for key, o := range r.Tests {
			pkg, test, ok := strings.Cut(key, "::")
			if !ok || pkg == "" || test == "" || o == missing || o == "" {
				t.Errorf("%q %s", key, o)
			}
			j := r.Judge([]string{key})[0]
			if j.Outcome == passed && (o != passed || !strings.Contains(report, `"pass"`) && !strings.Contains(report, `\u`)) {
				t.Errorf("%q passed out of %q", key, report)
			}
			if r.Packages[pkg] == "" {
				t.Errorf("the package of %q is not there", key)
			}
		}
		if r.Complete && len(r.Packages) == 0 {
			t.Error("complete without a package")
		}
		r.CheckExit(0)
		r.CheckExit(1)
	})
}
