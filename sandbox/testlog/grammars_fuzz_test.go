package testlog_test

import (
	"io"
	"maps"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"evlab/sandbox/testlog"
)

// passing are the words of each grammar, one of which a report has to hold for any test of it to have passed. An expected
// failure counts as passed, too.
var passing = map[string][]string{
	testlog.GoTestJSON: {"pass", `\u`}, testlog.JUnit: {"testcase"}, "trx": {"Passed", "Warning", "&#"}, "jest-json": {"passed", `\u`},
	"mocha-json": {"passes", `\u`}, "rspec-json": {"passed", `\u`}, "googletest-json": {"testsuite", `\u`}, "cargo-json": {"ok", `\u`},
	testlog.Parsed: {"pass", "xfail", "PASS", `\u`}, "tap": {"ok"}, testlog.Pytest: {"PASSED", "XFAIL"}, "unittest": {"ok", "expected failure"}, "sympy": {"ok", "f"}, "go-test": {"PASS"}, "cargo": {"ok", "bench: "},
	"jest": {"✓", "√"}, "jest-lines": {"PASSED"}, "vitest": {"✓", "√"}, "mocha": {"✔", "✓", "√"}, "karma": {"✔"}, "maven": {"SUCCESS", "Tests run: "},
	"gradle": {"PASSED"}, "ant": {"PASS"}, "ctest": {"Passed"}, "googletest": {"OK"}, "automake": {"PASS", "XFAIL"}, "redis": {"ok"}, "micropython": {"pass"},
	"rspec-lines": {"passed"}, "minitest": {"."}, "test-unit": {"."}, "testdox": {"✔", "⚠"}, "dotnet": {"Passed"},
	"parse_log_pytest": {"PASSED", "XFAIL"}, "parse_log_pytest@v4": {"PASSED", "XFAIL"}, "parse_log_pytest_options": {"PASSED", "XFAIL"},
	"parse_log_pytest_v2": {"PASSED", "XFAIL"}, "parse_log_pytest_v2@v4": {"PASSED", "XFAIL"}, "parse_log_matplotlib": {"PASSED", "XFAIL"},
	"parse_log_seaborn": {"PASSED"}, "live_pytest": {"PASSED"}, "parse_log_django": {"ok", "OK"}, "parse_log_sympy": {"ok"}, "parse_log_gotest": {"PASS"},
	"parse_log_cargo": {"ok"}, "parse_log_jest": {"✓"}, "parse_log_jest_json": {"PASSED"}, "parse_log_react_pdf": {"PASS"},
	"parse_log_emotion": {"PASS"}, "parse_log_vitest": {"✓"}, "parse_log_karma": {"✔"}, "parse_log_tap": {"ok"}, "parse_log_maven": {"SUCCESS"},
	"parse_log_maven@v4": {"SUCCESS"}, "parse_log_gradle_custom": {"PASSED"}, "parse_log_ant": {"PASS"},
	"parse_log_googletest": {"OK"}, "parse_log_jq": {"PASS"}, "parse_log_redis": {"ok"}, "parse_log_micropython_test": {"pass"},
	"parse_log_rspec_transformed_json": {"passed"}, "parse_log_minitest": {"."}, "parse_log_ruby_unit": {"."}, "parse_log_phpunit": {"✔"}, "parse_log_cucumber": {"."},

	"parse_log_doctest": {"SubCase"}, "parse_log_calypso": {"✓"}, "parse_log_highlightjs": {"✓", "✔"}, "parse_log_lighthouse@mocha": {"✔"}, "parse_log_lighthouse@json": {"passes"},
	"parse_log_prismjs": {"passes"}, "parse_log_next": {"✓"}, "parse_log_next@1.27": {"✓"}, "parse_log_quarto_cli": {"ok"},
	"parse_log_bpmn_js": {}, "parse_log_chart_js": {}, "parse_log_eslint": {}, "parse_log_marked": {}, "parse_log_openlayers": {}, "parse_log_p5js": {}, // failures only

	"parse_log_pytest@rebench": {"PASSED"}, "parse_log_pytest_options@rebench": {"PASSED"}, "parse_log_pytest_v2@rebench": {"PASSED"}, "parse_log_pytest_nebo": {"PASSED"},
	"parse_combined_test_reports": {"testcase"}, "parse_log_sbt": {"testcase"}, "parse_log_gradlew_v1": {"testcase"}, "parse_logs_r_junit": {"testcase"},
	"parse_java_mvn": {"Tests run:", "testcase", "SUCCESS", "Running"}, "parse_java_mvn_v2": {"SUCCESS", "Tests run:"}, "parse_logs_kotlin_junit": {"Tests run:"},
	"parse_log_gradle_custom@rebench": {"PASSED"}, "parse_log_scala": {"[info]"}, "parse_log_scala_v2": {"+"}, "parse_log_scala_v3": {"[info]"}, "parse_log_lein": {"lein test"},
	"parse_log_elixir": {"test"}, "parse_log_haskell": {"OK", "PASS", "✓", "✔"}, "parse_log_haskell_v2": {""}, "parse_log_ocaml": {"OK", "PASS"}, "parse_log_ocaml_v2": {"Output["},
	"parse_log_ocaml_v3": {"["}, "parse_log_ocaml_v4": {"PASSED"}, "parse_log_ruby_v1": {"PASS"}, "parse_log_ruby_v2": {"."}, "parse_log_phpunit@rebench": {"✔"},
	"parse_log_php_v1": {"✓", "✔"}, "parse_log_react_pdf@rebench": {"PASS"}, "parse_log_js": {"✔"}, "parse_log_js_2": {"✔"}, "parse_log_js_3": {"ok"}, "parse_log_js_4": {"✓", "✔"},
	"parse_log_npx": {"✔"}, "parse_log_cpp": {"PASSED"}, "parse_log_cpp_v2": {"passed"}, "parse_log_cpp_v3": {"ok", "ran", "passed"},
	"parse_log_cpp_v4": {"passed"}, "parse_lue_nvim": {"Success"}, "parse_log_julia": {"Test Summary:"}, "parse_log_r": {"✔"}, "parse_log_r_v2": {"* checking"},
	"parse_log_dart": {"success", `\u`}, "parse_log_dart_v2": {".dart"}, "parse_log_dart_v3": {".dart"}, "parse_log_swift": {"passed"}, "parse_log_csharp": {"Passed"},

	"multi_gotest": {"PASS"}, "multi_gotest_each": {"PASS"}, "multi_cargo": {"ok"}, "multi_maven": {"Tests run: "}, "multi_gson": {"Tests run:"}, "multi_checkstyle": {"Running"},
	"multi_gradle": {"> Task :", "PASSED"}, "multi_jib": {"> Task :", "PASSED"}, "multi_ctest": {"Passed"}, "multi_catch2": {"passed", "success"},
	"multi_googletest": {"OK", "Passed"}, "multi_automake": {"PASS"}, "multi_redis": {"ok"}, "multi_php": {"PASS"}, "multi_bitcoin": {"Passed"}, "multi_jest": {"PASS", "✓"},
	"multi_darkreader": {"PASS", "✓"}, "multi_jest_files": {"PASS"}, "multi_redux": {"PASS", "✓"}, "multi_commander": {"PASS", "✓"}, "multi_insomnia": {"PASS", "✓"},
	"multi_mocha": {"✔"}, "multi_mocha_json": {"passes"}, "multi_mocha_json_files": {"passes"}, "multi_mongoose": {"✔"}, "multi_async": {"✓"}, "multi_vitest": {"✓"},
	"multi_nuxt": {"✓"}, "multi_trpc": {"✓"}, "multi_zx": {"ok"},
}

// anyCase are grammars that do not tell capital letters from small ones in these words.
var anyCase = map[string]bool{"parse_log_cpp_v3": true, "parse_log_cpp_v4": true, "multi_catch2": true}

// takesOut are grammars that take tabs, and colours without their escapes, out of a line: what stood around them is one word then.
var takesOut = map[string]bool{
	"parse_log_scala_v2": true, "parse_log_pytest_v2": true, "parse_log_pytest_v2@rebench": true, "parse_log_pytest_nebo": true,
}

// own are words that grammars put into names.
var own = map[string]bool{"None": true, "suite": true, "run": true, "NO": true, "TEST": true, "NAME": true, "FOUND": true, "YET": true}

// words are the letters and digits of a name, in runs: joined from titles, cut and unwrapped as a name may be, each run
// stands in the report somewhere.
func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// literal reports whether names stand in a report as they are: nothing of it is escaped, coloured or no text at all.
func literal(report string) bool {
	return utf8.ValidString(report) && !strings.ContainsAny(report, "\\&\x1b\r") && !strings.Contains(report, "MouseButton") && !strings.Contains(report, "/tmp/") && !strings.HasPrefix(report, "\ufeff")
}

// chunks gives a stream in pieces of sizes that a seed chooses.
type chunks struct {
	in   io.Reader
	seed uint32
}

func (c *chunks) Read(p []byte) (int, error) {
	c.seed = c.seed*1664525 + 1013904223
	return c.in.Read(p[:min(len(p), 1+int(c.seed>>24)%19)])
}

// everyGrammar is all of them, each with the words by which its tests pass.
func everyGrammar(t testing.TB) (all []testlog.Grammar) {
	t.Helper()
	for _, name := range testlog.Names() {
		g, err := testlog.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if passing[name] == nil {
			t.Fatalf("nobody says by which words tests of %s pass", name)
		}
		all = append(all, g)
	}
	return all
}

// TestEveryGrammarReadsEveryReport: a report of one runner, handed to the grammar of another, is no report or little of one, and
// makes no test pass that it does not name.
func TestEveryGrammarReadsEveryReport(t *testing.T) {
	for _, g := range everyGrammar(t) {
		for _, v := range vectors(t) {
			checkGrammar(t, g, v.report, uint32(v.line))
			checkGrammar(t, g, strings.ReplaceAll(v.report, "\n", "\r\n")+"\x00\xff\x1b[31m", 1)
		}
	}
}

// FuzzGrammars: no grammar of either mode panics; none has a test passed whose name, or whose passing, its text does not
// hold; and what comes out does not depend on the pieces in which a stream arrives, nor on how its lines end. One grammar is read at
// a time, which one the fuzzer chooses: all of them at once would be fifty times as slow.
func FuzzGrammars(f *testing.F) {
	all := everyGrammar(f)
	at := map[string]int{}
	for i, g := range all {
		at[g.Name] = i
	}
	for _, v := range vectors(f) {
		for _, name := range v.grammars {
			if i, listed := at[name]; listed { // further names of a grammar are none of their own
				f.Add(v.report, uint8(i), uint32(v.line))
			}
		}
	}
	f.Add(pytestGood+pytestBad, uint8(at[testlog.Pytest]), uint32(0))
	f.Add(junitGood+junitGood, uint8(at[testlog.JUnit]), uint32(0))
	f.Fuzz(func(t *testing.T, report string, which uint8, seed uint32) {
		checkGrammar(t, all[int(which)%len(all)], report, seed)
	})
}

func checkGrammar(t *testing.T, g testlog.Grammar, report string, seed uint32) {
	r := readAll(t, g, strings.NewReader(report))
	kept := 0
	for name, o := range r.Tests {
		kept += len(name)
		if name == "" || o == "" || o == missing || o == testlog.Ambiguous {
			t.Errorf("%s: %q is %q", g.Name, name, o)
		}
		if got := r.Judge([]string{name})[0]; got.Outcome.OK() && !o.OK() {
			t.Errorf("%s: %q is %s and judged %s", g.Name, name, o, got.Outcome)
		}
		if o.OK() {
			checkNamed(t, g, report, name)
		}
	}
	if kept > 64*len(report)+1<<10 {
		t.Errorf("%s: names of %d bytes out of %d", g.Name, kept, len(report))
	}
	finding, reason := r.Assess(0)
	if (finding == testlog.Sound) != (reason == "") || finding == testlog.Sound && (len(r.Tests) == 0 || !r.Complete) {
		t.Errorf("%s: %s %q of %d tests", g.Name, finding, reason, len(r.Tests))
	}
	r.CheckExit(1)
	for _, j := range r.Judge([]string{"", "a[", "a::b", "a > b", "x (y.z)", "a#b", "\x00"}) {
		if j.Outcome.OK() && len(r.Tests) == 0 {
			t.Errorf("%s: %+v of nothing", g.Name, j)
		}
	}
	same(t, g, "in small pieces", r, readAll(t, g, &chunks{strings.NewReader(report), seed}))
	same(t, g, "with its end and its last bytes at once", r, readAll(t, g, iotest.DataErrReader(strings.NewReader(report))))
	if g.OfLines() && !strings.Contains(report, "\r") {
		same(t, g, "with other ends of lines", r, readAll(t, g, strings.NewReader(strings.ReplaceAll(report, "\n", "\r\n"))))
	}
}

// checkNamed holds that a test that passed, and that it did, is in the report.
func checkNamed(t *testing.T, g testlog.Grammar, report, name string) {
	said := false
	for _, word := range passing[g.Name] {
		said = said || strings.Contains(report, word) || anyCase[g.Name] && regexp.MustCompile("(?i)"+word).MatchString(report)
	}
	if !said && !strings.ContainsAny(report, "\r\x1b") && !(takesOut[g.Name] && strings.ContainsAny(report, "[\t")) { // else a word may be in pieces
		t.Errorf("%s: %q passed, and nothing says so in %q", g.Name, name, report)
	}
	if !literal(report) || takesOut[g.Name] && strings.ContainsAny(report, "[\t") {
		return
	}
	if g.Name == "multi_catch2" { // its names are in small letters
		report = strings.ToLower(report)
	}
	for _, word := range words(name) {
		if !strings.Contains(report, word) && !own[word] {
			t.Errorf("%s: %q passed, and %q is not in %q", g.Name, name, word, report)
		}
	}
}

func readAll(t *testing.T, g testlog.Grammar, in io.Reader) *testlog.Report {
	r, err := g.Read(in)
	if err != nil {
		t.Fatalf("%s: %v", g.Name, err)
	}
	return r
}

// same holds that two readings of a report say the same.
func same(t *testing.T, g testlog.Grammar, how string, a, b *testlog.Report) {
	if !maps.Equal(a.Tests, b.Tests) || !maps.Equal(a.Packages, b.Packages) || a.Complete != b.Complete || a.Problem != b.Problem || a.Build != b.Build {
		t.Errorf("%s: %s it is another report:\n%+v\n%+v", g.Name, how, *a, *b)
	}
}
