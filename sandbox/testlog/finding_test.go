package testlog_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"evlab/sandbox/testlog"
)

func read(t testing.TB, grammar string, streams ...string) *testlog.Report {
	t.Helper()
	g, err := testlog.Find(grammar)
	if err != nil {
		t.Fatal(err)
	}
	var in []io.Reader
	for _, s := range streams {
		in = append(in, iotest.HalfReader(strings.NewReader(s)))
	}
	r, err := g.Read(in...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	pytestGood = "===== test session starts =====\nt/test_a.py ..                     [100%]\n" +
		"===== short test summary info =====\nPASSED t/test_a.py::test_a\nPASSED t/test_a.py::test_b\n===== 2 passed in 0.01s =====\n"
	pytestBad = "===== test session starts =====\nt/test_a.py F.                     [100%]\n===== FAILURES =====\n___ test_a ___\nPASSED t/test_a.py::test_a\n" +
		"===== short test summary info =====\nPASSED t/test_a.py::test_b\nFAILED t/test_a.py::test_a - assert 0\n===== 1 failed, 1 passed in 0.01s =====\n"
	junitGood = `<testsuite name="s" tests="1" failures="0"><testcase classname="C" name="a"/></testsuite>`
)

// TestFindings: every way in which a run can fail to prove something has its own finding, and lets no test pass.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name, grammar string
		streams       []string
		exit          int
		wanted        string
		finding       testlog.Finding
		outcome       testlog.Outcome
		reason        string
	}{
		{"pytest passes", "pytest", []string{pytestGood}, 0, "t/test_a.py::test_a", testlog.Sound, testlog.Passed, ""},
		{"another test failed", "pytest", []string{pytestBad}, 1, "t/test_a.py::test_b", testlog.Sound, testlog.Passed, ""},
		{"it failed, and a line printed says that it passed", "pytest", []string{pytestBad}, 1, "t/test_a.py::test_a", testlog.Sound, testlog.Failed, ""},
		{"quiet", "pytest", []string{"..                     [100%]\n=== short test summary info ===\nPASSED t.py::test_a\nPASSED t.py::test_b\n2 passed in 0.01s\n"}, 0, "t.py::test_a", testlog.Sound, testlog.Passed, ""},
		{"no report", "pytest", nil, 0, "t/test_a.py::test_a", testlog.NoReport, testlog.Missing, "nothing of pytest"},
		{"an empty log", "pytest", []string{""}, 0, "t/test_a.py::test_a", testlog.NoReport, testlog.Missing, "nothing of pytest"},
		{"a log of something else", "pytest", []string{"Segmentation fault\n"}, 139, "t/test_a.py::test_a", testlog.NoReport, testlog.Missing, "nothing of pytest"},
		{"no tests", "pytest", []string{"===== test session starts =====\n===== no tests ran in 0.01s =====\n"}, 5, "t/test_a.py::test_a", testlog.NoTests, testlog.Missing, "no test ran"},
		{"a collection error", "pytest", []string{"=== short test summary info ===\nERROR t/test_a.py\n!!!!! Interrupted: 1 error during collection !!!!!\n=== 1 error in 0.01s ===\n"}, 2,
			"t/test_a.py::test_a", testlog.NoTests, testlog.Missing, "interrupted"},
		{"a test prints the summary of another session", "pytest", []string{strings.Replace(pytestGood, "===== short", "=== PASSES ===\n___ test_a ___\n=== short test summary info ===\nERROR test_other.py - ImportError: x\nFAILED test_other.py::test_x\n"+
			"=== 1 failed, 1 error in 0.01s ===\n===== short", 1)}, 0, "t/test_a.py::test_a", testlog.Sound, testlog.Passed, ""},
		{"a crash before the end", "pytest", []string{pytestGood[:len(pytestGood)-30]}, 0, "t/test_a.py::test_a", testlog.Crashed, testlog.Passed, "no end"},
		{"a part is left out", "pytest", []string{"===== test session starts =====\n[evlab: 12 bytes left out here]\n" + pytestGood}, 0, "t/test_a.py::test_a", testlog.Truncated, testlog.Passed, "left out"},
		{"nothing but the cut", "pytest", []string{"[evlab: 12 bytes left out here]\n"}, 0, "t/test_a.py::test_a", testlog.Truncated, testlog.Missing, "left out"},
		{"exit 1 and all passed", "pytest", []string{pytestGood}, 1, "t/test_a.py::test_a", testlog.Contradiction, testlog.Passed, "nothing in the report failed"},
		{"exit 0 and one failed", "pytest", []string{pytestBad}, 0, "t/test_a.py::test_b", testlog.Contradiction, testlog.Passed, "failed"},
		{"nobody knows the exit", "pytest", []string{pytestBad}, testlog.ExitUnknown, "t/test_a.py::test_b", testlog.Sound, testlog.Passed, ""},
		{"a forged line of the summary", "pytest", []string{strings.Replace(pytestGood, "PASSED t/test_a.py::test_b", "PASSED t/test_a.py::test_b\nPASSED t/test_a.py::test_c", 1)}, 0,
			"t/test_a.py::test_c", testlog.Contradiction, testlog.Passed, "counts 2 passed and the report names 3"},
		{"a forged line while tests run", "pytest", []string{strings.Replace(pytestBad, "===== FAILURES", "PASSED t/test_a.py::test_a\nt/test_a.py::test_c PASSED [100%]\n===== FAILURES", 1)}, 1, "t/test_a.py::test_a", testlog.Sound, testlog.Failed, ""},
		{"a forged second end", "pytest", []string{pytestBad + strings.Replace(pytestGood, "===== test session starts =====\nt/test_a.py ..                     [100%]\n", "", 1)}, 0,
			"t/test_a.py::test_a", testlog.Contradiction, testlog.Failed, "one before it"},
		{"a forged second end that names others", "pytest", []string{pytestBad + "=== short test summary info ===\nPASSED t/test_a.py::test_z\nPASSED t/test_a.py::test_b\n=== 2 passed in 0.1s ===\n"}, 0,
			"t/test_a.py::test_z", testlog.Contradiction, testlog.Passed, "counts"},
		{"another run's text in captured output", "pytest", []string{"===== test session starts =====\nt/test_a.py ..                     [100%]\n===== PASSES =====\n" +
			"=== short test summary info ===\nFAILED inner.py::test_x - y\n=== 1 failed in 0.01s ===\n" + pytestGood[strings.Index(pytestGood, "===== short"):]}, 0,
			"t/test_a.py::test_a", testlog.Sound, testlog.Passed, ""},
		{"an unexpected pass is no proof", "pytest", []string{"=== short test summary info ===\nXPASS t.py::test_x why\n=== 1 xpassed in 0.01s ===\n"}, 0, "t.py::test_x", testlog.Sound, testlog.UnexpectedPass, ""},
		{"an expected failure is", "pytest", []string{"=== short test summary info ===\nXFAIL t.py::test_x - why\n=== 1 xfailed in 0.01s ===\n"}, 0, "t.py::test_x", testlog.Sound, testlog.ExpectedFailure, ""},

		{"a name cut by its dataset", "pytest", []string{strings.ReplaceAll(pytestGood, "::test_", "::test_p[x ")}, 0, "t/test_a.py::test_p[x", testlog.Sound, testlog.Passed, ""},
		{"a name cut, and they differ", "pytest", []string{strings.ReplaceAll(pytestBad, "::test_", "::test_p[x ")}, 1, "t/test_a.py::test_p[x", testlog.Sound, testlog.Ambiguous, ""},
		{"a whole name is no prefix", "pytest", []string{pytestGood}, 0, "t/test_a.py::test_", testlog.Sound, testlog.Missing, ""},

		{"junit passes", "junit", []string{junitGood}, 0, "C.a", testlog.Sound, testlog.Passed, ""},
		{"two files", "junit", []string{junitGood, strings.Replace(junitGood, `"a"`, `"b()"`, 1)}, 0, "C#b", testlog.Sound, testlog.Passed, ""},
		{"one file is cut", "junit", []string{junitGood, junitGood[:60]}, 0, "C > a", testlog.Crashed, testlog.Passed, "ends before"},
		{"one file is empty", "junit", []string{junitGood, ""}, 0, "C > a", testlog.Crashed, testlog.Passed, ""},
		{"no file", "junit", nil, 0, "C > a", testlog.NoReport, testlog.Missing, ""},
		{"no test in it", "junit", []string{`<testsuite name="s" tests="0"/>`}, 0, "C > a", testlog.NoTests, testlog.Missing, ""},
		{"it states more tests", "junit", []string{strings.Replace(junitGood, `tests="1"`, `tests="3"`, 1)}, 0, "C > a", testlog.Contradiction, testlog.Passed, "states 3 tests"},
		{"it states fewer tests", "junit", []string{strings.Replace(junitGood, `tests="1"`, `tests="0"`, 1)}, 0, "C > a", testlog.Contradiction, testlog.Passed, "states 0 tests"},
		{"it states failures", "junit", []string{strings.Replace(junitGood, `failures="0"`, `failures="1"`, 1)}, 1, "C > a", testlog.Contradiction, testlog.Passed, "names none"},
		{"entities", "junit", []string{`<!DOCTYPE x [<!ENTITY a "b">]>` + junitGood}, 0, "C > a", testlog.NoReport, testlog.Missing, ""},
		{"pytest's names", "junit", []string{`<testsuite><testcase classname="t.test_a.T" name="test_p[a b]"/><testcase classname="t.test_a" name="test_q"/></testsuite>`}, 0, "t/test_a.py::T::test_p[a", testlog.Sound, testlog.Passed, ""},
		{"unittest's names", "junit", []string{`<testsuite><testcase classname="app.tests.T" name="test_q"/></testsuite>`}, 0, "test_q (app.tests.T.test_q)", testlog.Sound, testlog.Passed, ""},
		{"a program's word", "parsed-json", []string{`{"tests": [{"name": "a", "status": "PASSED"}]}`}, 0, "a", testlog.Sound, testlog.Passed, ""},
		{"a status that its commands may have swallowed", "parsed-json", []string{`{"tests": [{"name": "a", "status": "PASSED"}, {"name": "b", "status": "FAILED"}]}`}, 0, "a", testlog.Sound, testlog.Passed, ""},
		{"a status that nothing explains", "parsed-json", []string{`{"tests": [{"name": "a", "status": "PASSED"}]}`}, 1, "a", testlog.Contradiction, testlog.Passed, "nothing in the report failed"},
		{"a word that is none", "parsed-json", []string{`{"tests": [{"name": "a", "status": "fine"}]}`}, 1, "a", testlog.Contradiction, testlog.Errored, "no outcome"},
		{"half an answer", "parsed-json", []string{`{"tests": [{"name": "a", "status": "PASSED"}, {"name": "b"`}, 0, "a", testlog.Crashed, testlog.Passed, "ends before"},
		{"an answer without tests", "parsed-json", []string{`{"tests": []}`}, 0, "a", testlog.NoTests, testlog.Missing, ""},
		{"another answer", "parsed-json", []string{`[{"name": "a", "status": "PASSED"}]`}, 0, "a", testlog.NoReport, testlog.Missing, ""},
		{"a file with folders above it", "jest-json", []string{`{"testResults":[{"name":"/w/src/a.test.ts","assertionResults":[{"ancestorTitles":["m"],"title":"x","status":"passed"}]}]}`}, 0, "src/a.test.ts > m > x", testlog.Sound, testlog.Passed, ""},
		{"durations in names", "parse_log_vitest", []string{" ✓ a.ts > x (12 ms)\n"}, 0, "a.ts > x (9 ms)", testlog.Sound, testlog.Passed, ""},

		{"cargo passes", "cargo", []string{"running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"}, 0, "a", testlog.Sound, testlog.Passed, ""},
		{"cargo is killed", "cargo", []string{"running 2 tests\ntest a ... ok\n"}, 101, "a", testlog.Crashed, testlog.Passed, ""},
		{"cargo's binary exits while it tests, and the next one passes", "cargo", []string{"running 2 tests\n\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"}, 0, "a", testlog.Contradiction, testlog.Passed, "has no result"},
		{"cargo names one more", "cargo", []string{"running 1 test\ntest b ... ok\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"}, 0, "a", testlog.Contradiction, testlog.Passed, "counts 1"},
		{"cargo does not compile", "cargo", []string{"error[E0425]: cannot find\nerror: could not compile `a` (lib test) due to 1 previous error\n"}, 101, "a", testlog.NoTests, testlog.Missing, ""},
		{"TAP falls short of its plan", "tap", []string{"1..2\nok 1 a\n"}, 0, "a", testlog.Crashed, testlog.Passed, "the plan has 2"},
		{"TAP goes beyond it", "tap", []string{"ok 1 a\nok 2 b\n1..1\n"}, 0, "a", testlog.Contradiction, testlog.Passed, "counts 1"},
		{"TAP bails out", "tap", []string{"1..1\nok 1 a\nBail out! no database\n"}, 1, "a", testlog.Crashed, testlog.Passed, "bailed out"},
		{"TAP without a plan", "tap", []string{"ok 1 a\n"}, 0, "a", testlog.Crashed, testlog.Passed, ""},
		{"ctest finds none", "ctest", []string{"No tests were found!!!\n"}, 0, "a", testlog.NoTests, testlog.Missing, ""},
		{"jest cannot load a file", "jest-json", []string{`{"testResults":[{"name":"/w/a.js","status":"failed","assertionResults":[]}]}`}, 1, "a", testlog.NoTests, testlog.Missing, ""},
		{"jest's counts", "jest-json", []string{`{"numPassedTests":2,"testResults":[{"name":"a.js","assertionResults":[{"title":"x","status":"passed"}]}]}`}, 0, "x", testlog.Contradiction, testlog.Passed, "counts 2"},
		{"a cut document", "jest-json", []string{`{"testResults":[{"name":"a.js","assertionResults":[{"title":"x","status":"passed"}]}`}, 0, "x", testlog.Crashed, testlog.Passed, ""},
		{"googletest crashes", "googletest", []string{"[==========] Running 2 tests from 1 test suite.\n[ RUN      ] S.A\n[       OK ] S.A (0 ms)\n[ RUN      ] S.B\n"}, 139, "S.A", testlog.Crashed, testlog.Passed, ""},
		{"dotnet aborts", "dotnet", []string{"  Passed A.B [1 ms]\nThe active test run was aborted. Reason: Test host process crashed\n"}, 1, "A.B", testlog.Crashed, testlog.Passed, "aborted"},
		{"rspec has errors outside of examples and says 0", "rspec-json", []string{`{"examples":[{"full_description":"a","status":"passed"}],"summary":{"errors_outside_of_examples_count":1}}`}, 0, "a", testlog.Contradiction, testlog.Passed, ""},
		{"go test passes", "go-test-json", []string{start("p") + ran("p", "TestA", "pass") + pass("p", "")}, 0, "TestA", testlog.Sound, testlog.Passed, ""},
		{"go test does not build", "go-test-json", []string{start("p") + `{"Action":"fail","Package":"p","FailedBuild":"p"}` + "\n"}, 1, "p::TestA", testlog.NoTests, testlog.Missing, ""},
		{"go test is killed", "go-test-json", []string{start("p") + ran("p", "TestA", "pass")}, 137, "TestA", testlog.Crashed, testlog.Passed, "never ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := read(t, c.grammar, c.streams...).Judgement(c.exit, []string{c.wanted})
			if j.Finding != c.finding || j.Tests[0].Outcome != c.outcome || !strings.Contains(j.Reason, c.reason) || (j.Reason == "") != (j.Finding == testlog.Sound) {
				t.Errorf("%+v, want %s, %s, %q", j, c.finding, c.outcome, c.reason)
			}
			if j.Passed() != (c.finding == testlog.Sound && c.outcome.OK()) {
				t.Errorf("passed is %v", j.Passed())
			}
		})
	}
}

// TestUnittestNamesOfPytest: datasets name tests of unittest's classes as unittest does, whatever runs them.
func TestUnittestNamesOfPytest(t *testing.T) {
	r := read(t, "pytest", "=== test session starts ===\n=== short test summary info ===\nPASSED t/unit/test_a.py::CaseTest::test_a\nPASSED t/unit/test_b.py::CaseTest::test_a\n"+
		"PASSED t/unit/test_c.py::CaseTest::test_c\nFAILED u/test_c.py::CaseTest::test_c - x\n=== 1 failed, 3 passed in 0.01s ===\n")
	for name, want := range map[string]testlog.Outcome{
		"test_a (t.unit.test_a.CaseTest)": passed, "test_a (test_b.CaseTest.test_a)": passed, "unit.test_a.CaseTest.test_a": passed, "test_c (unit.test_c.CaseTest)": passed,
		"test_c (test_c.CaseTest)": testlog.Ambiguous, "test_a (x.test_a.CaseTest)": testlog.Missing, "it.test_a.CaseTest.test_a": testlog.Missing, "CaseTest.test_a": testlog.Missing,
	} {
		if got := r.Judge([]string{name})[0]; got.Outcome != want {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
}

// TestConfirm: a line that only the log has is a line that somebody printed.
func TestConfirm(t *testing.T) {
	log := strings.NewReplacer("2 passed", "3 passed", "PASSED t/test_a.py::test_b", "PASSED t/test_a.py::test_b\nPASSED t/test_a.py::test_c").Replace(pytestGood)
	file := `<testsuite><testcase classname="t.test_a" name="test_a"/><testcase classname="t.test_a" name="test_b"><failure/></testcase></testsuite>`
	r := read(t, "pytest", log)
	if j := r.Judgement(0, []string{"t/test_a.py::test_c"}); !j.Passed() {
		t.Errorf("alone it proves nothing? %+v", j)
	}
	r.Confirm(read(t, "junit", file))
	for name, want := range map[string]testlog.Outcome{"t/test_a.py::test_a": passed, "t/test_a.py::test_b": failed, "t/test_a.py::test_c": failed} {
		got := r.Judge([]string{name})[0]
		if got.Outcome != want || want == failed && !strings.Contains(got.Detail, "the junit report") || got.Alone != (name == "t/test_a.py::test_c") {
			t.Errorf("%+v, want %s", got, want)
		}
	}
	if finding, reason := r.Assess(0); finding != testlog.Sound {
		t.Errorf("a doubt about one test is no reason not to believe the others: %s %q", finding, reason)
	}
	for _, second := range []string{"", "no XML", `<testsuite><testcase classname="t.test_a" name="test_a"/>`} {
		r = read(t, "pytest", pytestGood)
		var streams []string
		if second != "" {
			streams = append(streams, second)
		}
		r.Confirm(read(t, "junit", streams...))
		if finding, reason := r.Assess(0); finding != testlog.Contradiction || !strings.Contains(reason, "should confirm it") {
			t.Errorf("with %q as the second report: %s %q", second, finding, reason)
		}
	}
}

// TestConfirmGivesAnEnd: pytest that is told to be very quiet prints no totals; one that was ended early has no file.
func TestConfirmGivesAnEnd(t *testing.T) {
	quiet := "..\n=== short test summary info ===\nPASSED t/test_a.py::test_a\nPASSED t/test_a.py::test_b\n"
	file := `<testsuite><testcase classname="t.test_a" name="test_a"/><testcase classname="t.test_a" name="test_b"/></testsuite>`
	for _, c := range []struct {
		log, file string
		finding   testlog.Finding
	}{
		{quiet, file, testlog.Sound},
		{quiet, "", testlog.Crashed},
		{"[evlab: 12 bytes left out here]\n" + quiet, file, testlog.Truncated},
		{"nothing\n", file, testlog.NoReport},
	} {
		r := read(t, "pytest", c.log)
		r.Confirm(read(t, "junit", c.file))
		if finding, reason := r.Assess(0); finding != c.finding {
			t.Errorf("%q beside %q: %s (%s), want %s", c.log, c.file, finding, reason, c.finding)
		}
	}
}

// TestConfirmNames: pytest's two reports spell a test in two ways, and some settings change the second.
func TestConfirmNames(t *testing.T) {
	for _, c := range [][3]string{ // of the log, class and name of the file
		{"t/test_a.py::test_p[a - b::c[d]/x.py::y]", "t.test_a", "test_p[a - b::c[d]/x.py::y]"},
		{"t/test_a.py::TestC::test_m", "t.test_a.TestC", "test_m"},
		{"t/test_a.py::TestC::TestInner::test_m[1.5]", "t.test_a.TestC.TestInner", "test_m[1.5]"},
		{"pkg/mod.py::pkg.mod.func", "pkg.mod", "pkg.mod.func"},
		{"README.rst::README.rst", "README.rst", "README.rst"},
		{"docs/guide.rst::guide.rst", "docs.guide.rst", "guide.rst"},
		{"specs/a.yaml::a case", "specs.a.yaml", "a case"},
		{"t/test_a.py::test_a", "nightly.t.test_a", "test_a"}, // --junitprefix
		{"t/test_a.py::test_a[x]", "chosen by a fixture", "test_a[x]"},
	} {
		log := "=== test session starts ===\n=== short test summary info ===\nPASSED " + c[0] + "\n=== 1 passed in 0.01s ===\n"
		for outcome, want := range map[string]testlog.Outcome{"": passed, "<failure/>": failed, "<error/>": failed, "<skipped/>": failed} {
			r := read(t, "pytest", log)
			r.Confirm(read(t, "junit", `<testsuite><testcase classname="`+c[1]+`" name="`+c[2]+`">`+outcome+`</testcase></testsuite>`))
			if j := r.Judge([]string{c[0]})[0]; j.Outcome != want {
				t.Errorf("%s beside %s, %s with %q: %+v", c[0], c[1], c[2], outcome, j)
			}
		}
	}
}

// TestTerminalNoise: colours, links, carriage returns and bytes that are no text change nothing.
func TestTerminalNoise(t *testing.T) {
	noisy := strings.ReplaceAll(pytestGood, "PASSED t/", "\x1b[32mPASSED\x1b[0m \x1b]8;;file:///x\x07t/")
	noisy = "\xff\xfe\x00 junk \x1b\n" + strings.ReplaceAll(noisy, "\n", "\r\n")
	if j := read(t, "pytest", noisy).Judgement(0, []string{"t/test_a.py::test_a", "t/test_a.py::test_b"}); !j.Passed() {
		t.Errorf("%+v", j)
	}
}

// TestReadersFail: an error of the stream is the stream's, in every grammar.
func TestReadersFail(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, name := range testlog.Names() {
		g, err := testlog.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, before := range []string{"", "{", "<testsuite>", "<TestRun><a b='"} {
			if r, err := g.Read(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))); !errors.Is(err, broken) || r != nil {
				t.Errorf("%s after %q: %+v %v", name, before, r, err)
			}
		}
	}
}

// TestLongStreams: output without bound is passed over by every grammar, and a name without bound is no name.
func TestLongStreams(t *testing.T) {
	for name, text := range map[string]string{
		"junit":     `<testsuite><testcase classname="C" name="a"><system-out>` + strings.Repeat("x<![CDATA[y]]>&#1;\x1b", 200_000) + `</system-out></testcase></testsuite>`,
		"jest-json": `{"testResults":[{"assertionResults":[{"title":"a","status":"passed","failureMessages":["` + strings.Repeat(`x\n`, 1_000_000) + `"]}]}]}`,
		"trx":       `<TestRun><Results><UnitTestResult testName="a" outcome="Passed"><Output>` + strings.Repeat("&lt;", 1_000_000) + `</Output></UnitTestResult></Results></TestRun>`,
	} {
		if j := read(t, name, text).Judgement(0, []string{"a"}); !j.Passed() {
			t.Errorf("%s: %+v", name, j)
		}
	}
	deep := strings.Repeat("<testsuite>", 10_000)
	if r := read(t, "junit", deep); len(r.Problem) == 0 || r.Complete {
		t.Errorf("deep XML: %+v", r)
	}
	if r := read(t, "jest-json", `{"testResults":`+strings.Repeat("[", 1_000_000)); r.Complete {
		t.Errorf("deep JSON: %+v", r)
	}
	long := "=== short test summary info ===\nPASSED " + strings.Repeat("x", 100_000) + "::a\n=== 1 passed in 0.1s ===\n"
	if r := read(t, "pytest", long); len(r.Tests) != 0 || !strings.Contains(r.Problem, "longer") {
		t.Errorf("long name: %d tests, %q", len(r.Tests), r.Problem)
	}
	over := strings.Replace(pytestBad, "___ test_a ___", strings.Repeat("z", 3<<20), 1)
	if f, _ := read(t, "pytest", over).Assess(1); f != testlog.Sound {
		t.Errorf("a long line in captured output: %s", f)
	}
}

func BenchmarkJUnit(b *testing.B) {
	one := `<testcase classname="com.example.SomeTest" name="testNumber" time="0.001"><system-out>some output of a test</system-out></testcase>`
	data := []byte(`<testsuite name="s">` + strings.Repeat(one+"\n", 100_000) + "</testsuite>")
	g, err := testlog.Find(testlog.JUnit)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := g.Read(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
