package testlog_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"evlab/sandbox/testlog"
)

// repeated is a stream of lines, each made when it is read.
func repeated(n int, line func(i int) string) io.Reader {
	i := 0
	return &pieces{next: func() (string, bool) {
		if i++; i > n {
			return "", false
		}
		return line(i), true
	}}
}

type pieces struct {
	next func() (string, bool)
	rest string
}

func (p *pieces) Read(b []byte) (int, error) {
	for p.rest == "" {
		more := false
		if p.rest, more = p.next(); !more {
			return 0, io.EOF
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// TestLogsMadeToCost: logs in which every line costs more than the one before it are read in a time and a memory near those of
// others of their size. What can't be kept is said, and is no report to believe.
func TestLogsMadeToCost(t *testing.T) {
	testlog.Bound(t, 50_000, 24<<20)
	long := strings.Repeat("x", 16<<10)
	indent := func(n int) string { return strings.Repeat(" ", n) }
	for _, c := range []struct {
		name, grammar string
		in            io.Reader
		finding       testlog.Finding
	}{
		{"parents with long names after many children", "tap", io.MultiReader(
			repeated(20_000, func(i int) string { return fmt.Sprintf("%sok %d t%d\n", indent(9), i, i) }),
			repeated(9, func(i int) string { return fmt.Sprintf("%sok %d %s\n", indent(9-i), i, long[:4<<10]) })), testlog.Truncated},
		{"long titles above many tests", "jest", io.MultiReader(strings.NewReader("PASS a.test.js\n"),
			repeated(200, func(i int) string { return indent(i+1) + long[:8<<10] + "\n" }),
			repeated(20_000, func(i int) string { return indent(300) + fmt.Sprintf("✓ t%d\n", i) })), testlog.Crashed},
		{"the same", "mocha", io.MultiReader(
			repeated(200, func(i int) string { return indent(i+1) + long[:8<<10] + "\n" }),
			repeated(20_000, func(i int) string { return indent(300) + fmt.Sprintf("✔ t%d\n", i) })), testlog.Crashed},
		{"the same", "parse_log_karma", io.MultiReader(strings.NewReader("Starting browser\n"),
			repeated(200, func(i int) string { return indent(i+1) + long[:8<<10] + "\n" }),
			repeated(20_000, func(i int) string { return indent(300) + fmt.Sprintf("✔ t%d\n", i) })), testlog.Crashed},
		{"the same", "multi_mongoose", io.MultiReader(
			repeated(200, func(i int) string { return indent(i+1) + long[:8<<10] + "\n" }),
			repeated(20_000, func(i int) string { return indent(300) + fmt.Sprintf("✔ t%d\n", i) })), testlog.NoTests},
		{"the same", "parse_log_haskell_v2", io.MultiReader(strings.NewReader("Test suite s: RUNNING...\n"),
			repeated(200, func(i int) string { return indent(2*i) + long[:8<<10] + "\n" }),
			repeated(20_000, func(i int) string { return indent(600) + fmt.Sprintf("t%d\n", i) })), testlog.NoTests},
		{"indents without end", "multi_async", repeated(10_000, func(i int) string { return indent(i) + "✓ t\n" }), testlog.Sound},
		{"documents without end", "parse_combined_test_reports", io.MultiReader(strings.NewReader("<?xml <testsuites>\n"), repeated(60_000, func(i int) string {
			return fmt.Sprintf("<testcase name=\"%d\"/>\n", i)
		})), testlog.Truncated},
		{"commands and classes without end", "parse_java_mvn", repeated(60_000, func(i int) string {
			return fmt.Sprintf("Running c.T%d\n-Dtest=c.T%d\nBUILD SUCCESS\n", i, i)
		}), testlog.Truncated},
		{"a failure's name without end", "parse_log_eslint", repeated(20_000, func(i int) string { return "  1) " + strings.Repeat("\t", 1<<10) + "\n" }), testlog.NoReport},
		{"numbers without a colon", "parse_log_p5js", repeated(200_000, func(i int) string { return "1)\n" }), testlog.NoReport},
		{"programs without end", "parse_log_ocaml_v2", repeated(60_000, func(i int) string { return fmt.Sprintf("Running[%d]: (p%d)\n", i, i) }), testlog.Truncated},
		{"many broken classes and many tests", "unittest", io.MultiReader(
			repeated(20_000, func(i int) string { return fmt.Sprintf("setUpClass (m.C%d) ... ERROR\n", i) }),
			repeated(20_000, func(i int) string { return fmt.Sprintf("test_%d (m.D%d) ... ok\n", i, i) })), testlog.Crashed},
		{"a message of nothing but dashes", "pytest", io.MultiReader(strings.NewReader("t.py::test_"+strings.Repeat(" - ", 5000)+"x PASSED\n=== short test summary info ===\n"),
			repeated(100, func(i int) string { return fmt.Sprintf("FAILED t.py::test_%d%s\n", i, strings.Repeat(" - ", 300_000)) })), testlog.Crashed},
		{"subtests of nothing but slashes", "go-test-json", io.MultiReader(strings.NewReader(start("p")),
			repeated(2_000, func(i int) string { return ran("p", fmt.Sprintf("T%d%s", i, strings.Repeat("/", 8_000)), "fail") }), strings.NewReader(fail("p", ""))), testlog.Sound},
		{"long names without end", "go-test", repeated(1_000, func(i int) string { return fmt.Sprintf("=== RUN   T%d%s\n", i, long) }), testlog.Crashed},
		{"names without end", "go-test", repeated(60_000, func(i int) string { return fmt.Sprintf("=== RUN   T%d\n", i) }), testlog.Truncated},
		{"commands without end", "parse_log_maven", repeated(2_000, func(i int) string { return fmt.Sprintf("-Dtest=T%d%s\n", i, long[:15<<10]) }), testlog.Truncated},
		{"starts without end", "cargo-json", repeated(2_000, func(i int) string {
			return fmt.Sprintf("{\"type\":\"test\",\"event\":\"started\",\"name\":\"%d%s\"}\n", i, long[:15<<10])
		}), testlog.Truncated},
		{"classes without end", "trx", io.MultiReader(strings.NewReader("<TestRun>"), repeated(2_000, func(i int) string {
			return fmt.Sprintf("<UnitTest id='%d'><TestMethod className='%s'/></UnitTest>\n", i, long[:15<<10])
		}), strings.NewReader("</TestRun>")), testlog.Truncated},
		{"tests of one file without end", "jest-json", io.MultiReader(strings.NewReader(`{"testResults":[{"assertionResults":[`), repeated(2_000, func(i int) string {
			return fmt.Sprintf(`{"title":"%d%s","status":"passed"},`, i, long[:15<<10])
		}), strings.NewReader(`{}]}]}`)), testlog.Truncated},
	} {
		g, err := testlog.Find(c.grammar)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		r, err := g.Read(c.in)
		took := time.Since(began)
		runtime.GC()
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if finding, reason := r.Assess(testlog.ExitUnknown); finding != c.finding {
			t.Errorf("%s, %s: %s: %.300s", c.grammar, c.name, finding, reason)
		}
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 60<<20 {
			t.Errorf("%s, %s: %d MB are kept", c.grammar, c.name, kept>>20)
		}
		if took > time.Minute {
			t.Errorf("%s, %s: it took %s", c.grammar, c.name, took)
		}
		t.Logf("%s, %s: %s, %d MB made", c.grammar, c.name, took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
		runtime.KeepAlive(r)
	}
}
