package validation

import (
	"slices"
	"strings"
	"testing"
)

func measured(tests map[string]*test) *Task {
	t := &Task{listed: map[string]bool{}}
	for name, one := range tests {
		if one.phase != "others" {
			t.listed[name] = true
		}
	}
	for _, name := range []string{"fixed", "kept", "flaky before", "flaky after", "broken", "passes before", "absent before", "new", "old"} {
		if one := tests[name]; one != nil {
			t.sort(name, one)
		}
	}
	return t
}

func TestSort(t *testing.T) {
	p, f := "passed", "failed"
	tests := map[string]*test{
		"fixed":         {"fail_to_pass", []string{f, f}, []string{p, p, p}},
		"absent before": {"fail_to_pass", nil, []string{p, p, p}},
		"passes before": {"fail_to_pass", []string{p, p}, []string{p, p, p}},
		"kept":          {"pass_to_pass", []string{p, p}, []string{p, p, p}},
		"broken":        {"pass_to_pass", []string{p, p}, []string{f, f, f}},
		"flaky before":  {"pass_to_pass", []string{p, f}, []string{p, p, p}},
		"flaky after":   {"fail_to_pass", []string{f, f}, []string{p, f, p}},
		"new":           {"others", []string{"missing", "missing"}, []string{p, p, p}},
		"old":           {"others", []string{p, p}, []string{p, p, p}},
	}
	got := measured(tests)
	if want := []string{"fixed", "absent before", "new"}; !slices.Equal(got.FailToPass, want) {
		t.Errorf("fail-to-pass %q, want %q", got.FailToPass, want)
	}
	if want := []string{"kept", "passes before", "old"}; !slices.Equal(got.PassToPass, want) {
		t.Errorf("pass-to-pass %q, want %q", got.PassToPass, want)
	}
	if want := []string{"flaky before", "flaky after"}; !slices.Equal(got.Flaky, want) {
		t.Errorf("flaky %q, want %q", got.Flaky, want)
	}
	if len(got.Wrong) != 2 || !strings.Contains(got.Wrong[0], "broken is listed as pass_to_pass: passed before, failed after") || !strings.Contains(got.Wrong[1], "passes before") {
		t.Errorf("wrong %q", got.Wrong)
	}
	if got.UnlistedFailToPass != 1 || got.UnlistedPassToPass != 1 {
		t.Errorf("unlisted %d and %d", got.UnlistedFailToPass, got.UnlistedPassToPass)
	}
	if got.onlyFlaky(tests) {
		t.Error("a broken test is not flaky")
	}
	delete(tests, "broken")
	if got = measured(tests); !got.onlyFlaky(tests) {
		t.Error("what is left are flaky tests")
	}
	f2p, p2p := got.Lists()
	if !slices.Equal(f2p, []string{"fixed", "absent before"}) || !slices.Equal(p2p, []string{"kept", "passes before"}) {
		t.Errorf("a task with lists is asked with %q and %q", f2p, p2p)
	}
	for _, one := range tests {
		one.phase = "others"
	}
	if f2p, p2p = measured(tests).Lists(); len(f2p) != 3 || len(p2p) != 3 {
		t.Errorf("a task without lists is asked with %q and %q", f2p, p2p)
	}
}

func TestDeciding(t *testing.T) {
	log := "ok one\n--- FAIL: TestX (0.00s)\nE   assert 1 == 2\nFAILED a.py::test_y - boom\nPASSED a.py::test_z\n" + strings.Repeat("FAILED a.py::test_y again\n", 10)
	got := deciding([]byte(log), []string{"p::TestX", "a.py::test_y"}, 20)
	if len(got) != 13 || got[0] != "--- FAIL: TestX (0.00s)" || got[1] != "E   assert 1 == 2" {
		t.Errorf("%q", got)
	}
	if got := deciding([]byte(log), []string{"a.py::test_y"}, 3); len(got) != 3 {
		t.Errorf("%d lines, want the last 3", len(got))
	}
}
