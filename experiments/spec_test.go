package experiments_test

import (
	"errors"
	"strings"
	"testing"

	"evlab/experiments"
)

func good() experiments.Spec {
	s := experiments.Defaults()
	s.Name = "good"
	s.Cohort.Name = "demo"
	s.Conditions = []experiments.ConditionSpec{{Kind: "bm25"}, {Kind: "none"}}
	s.Executors = []experiments.ExecutorSpec{{Kind: "simulated"}}
	s.Contrasts = []experiments.ContrastSpec{{Metric: "strict", A: "bm25", B: "none"}}
	s.FillIn()
	return s
}

func TestCheckAcceptsWhatIsComplete(t *testing.T) {
	s := good()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestCheckNamesTheKey(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*experiments.Spec)
		key    string // of the only fault
	}{
		"no name":               {func(s *experiments.Spec) { s.Name = "" }, "name"},
		"name with a slash":     {func(s *experiments.Spec) { s.Name = "a/b" }, "name"},
		"two cohorts":           {func(s *experiments.Spec) { s.Cohort.Path = "/x" }, "cohort"},
		"no cohort":             {func(s *experiments.Spec) { s.Cohort.Name = "" }, "cohort"},
		"cohort name is a path": {func(s *experiments.Spec) { s.Cohort.Name = "../x" }, "cohort.name"},
		"tasks without repos":   {func(s *experiments.Spec) { s.Cohort = experiments.CohortSource{Tasks: "t"} }, "cohort.repos"},
		"repos without tasks":   {func(s *experiments.Spec) { s.Cohort.Repos = "r" }, "cohort.tasks"},
		"task twice":            {func(s *experiments.Spec) { s.Tasks = []string{"a", "a"} }, "tasks[1]"},
		"no kind":               {func(s *experiments.Spec) { s.Conditions[0].Kind = "" }, "conditions[0].kind"},
		"names that differ in case": {func(s *experiments.Spec) {
			s.Conditions = append(s.Conditions, experiments.ConditionSpec{Name: "None", Kind: "none"})
		}, "conditions[2].name"},
		"parameters of none": {func(s *experiments.Spec) { s.Conditions[1].K1 = 1 }, "conditions[1]"},
		"no executors":       {func(s *experiments.Spec) { s.Executors = nil }, "executors"},
		"engine with scheme": {func(s *experiments.Spec) { s.Engine = "http://a:1" }, "engine"},
		"engine, no port":    {func(s *experiments.Spec) { s.Engine = "localhost" }, "engine"},
		"engine, port 0":     {func(s *experiments.Spec) { s.Engine = "localhost:0" }, "engine"},
		"bare IPv6":          {func(s *experiments.Spec) { s.Engine = "::1:7233" }, "engine"},
		"contrast of itself": {func(s *experiments.Spec) { s.Contrasts[0].B = "bm25" }, "contrasts[0].b"},
		"contrast twice":     {func(s *experiments.Spec) { s.Contrasts = append(s.Contrasts, s.Contrasts[0]) }, "contrasts[1]"},
		"too few draws":      {func(s *experiments.Spec) { s.Contrasts[0].Draws = 99 }, "contrasts[0].draws"},
	} {
		s := good()
		c.change(&s)
		err := s.Check()
		var f experiments.Fault
		if !errors.As(err, &f) || f.Key != c.key || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one fault at %s", name, err, c.key)
		}
	}
}

func TestSeveralExecutorsNeedOneNamed(t *testing.T) {
	s := good()
	s.Executors = append(s.Executors, experiments.ExecutorSpec{Name: "other", Kind: "simulated"})
	s.Contrasts[0].Executor = ""
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "simulated, other") {
		t.Errorf("got %v", err)
	}
}

// TestContrastOfExecutors: who means two models is told which command contrasts them, and not that they are no conditions alone.
func TestContrastOfExecutors(t *testing.T) {
	s := good()
	s.Contrasts[0].A, s.Contrasts[0].Executor = s.Executors[0].Name, s.Executors[0].Name
	err := s.Check()
	var f experiments.Fault
	if !errors.As(err, &f) || f.Key != "contrasts[0].a" || !strings.Contains(err.Error(), "is an executor") || !strings.Contains(err.Error(), "evlab compare") {
		t.Errorf("got %v", err)
	}
}

func TestEngineAddresses(t *testing.T) {
	for _, engine := range []string{"localhost:7233", "10.0.0.1:1", "[::1]:65535"} {
		s := good()
		s.Engine = engine
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", engine, err)
		}
	}
}

func TestDiagnosticsHaveAReference(t *testing.T) {
	s := good()
	s.Conditions = append(s.Conditions, experiments.ConditionSpec{Kind: "oracle-mss"})
	s.FillIn()
	if c := s.Conditions[2]; c.Reference != "bm25" || c.MaxItems != 8 || c.Name != "oracle-mss" || !c.Diagnostic() {
		t.Errorf("got %+v", c)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "django__django-1": true, "x@y=z+1.0": true, "9": true, strings.Repeat("a", 128): true,
		"": false, ".": false, "..": false, "-a": false, "a/b": false, "a b": false, "é": false, "a\n": false,
		strings.Repeat("a", 129): false,
		"con":                    false, "NUL.txt": false, "aux.tar.gz": false, "Com1": false, "lpt9": false, // devices on Windows
		"con-1": true, "console": true, "nul_": true, "com10": true, "x.con": true,
	} {
		if err := experiments.CheckName("task", name); (err == nil) != ok {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}

func TestSuggest(t *testing.T) {
	kinds := []string{"bm25", "none", "oracle-mss"}
	kinds = append(kinds, "sympy__sympy-13", "sympy__sympy-14")
	for word, want := range map[string]string{
		"oracle": ` (did you mean "oracle-mss"?)`, "mss": ` (did you mean "oracle-mss"?)`, "sympy-14": ` (did you mean "sympy__sympy-14"?)`,
		"sympy": "", "or": "", "oraculous": "",
		"BM25": ` (did you mean "bm25"?)`, "orcle-mss": ` (did you mean "oracle-mss"?)`, "nnone": ` (did you mean "none"?)`,
		"dense": "", "": "", "x": "", strings.Repeat("none", 100): "",
	} {
		if got := experiments.Suggest(word, kinds); got != want {
			t.Errorf("%.20q: got %q, want %q", word, got, want)
		}
	}
}
