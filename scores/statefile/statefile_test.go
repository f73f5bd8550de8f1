package statefile_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/scores"
	"evlab/scores/statefile"
	"evlab/tabular"
)

const (
	stateA = `{"state_id":"a","instance_id":"i","repository":"o/r","language":"go","boundary":"before_edit","observed":["x"],"candidates":[{"id":"u","tokens":10,"text":"alpha beta"},{"id":"v","tokens":20,"text":"gamma"},{"id":"x","tokens":5,"observed":true}]}`
	stateB = `{"state_id":"b","repo":"o/q","state_type":"before_search","observed_evidence_ids":[],"candidate_evidence":[{"evidence_id":"w","token_count":7,"content_excerpt":"delta","observed_by_state":false,"source_path":"p.go","line_start":1}],"issue":"text","candidate_count":1}`
	certA  = `{"schema":"serbench-mss-v1","state_id":"a","groups":[{"id":"g1","acceptable_ids":["u","v"],"necessity_weight":2,"role":"r","rationale":"because","quotes":[{"unit_id":"u","text":"alpha  beta"}]}],"observed_evidence_ids":["x"],"retrieval_needed":true,"label_scope":"test","label_confidence":1}`
	certB  = `{"schema_version":"serbench-mss-v1","state_id":"b","required_evidence_groups":[{"group_id":"G1","acceptable_evidence_ids":["w"],"minimum_required":1,"necessity_weight":1.0,"role":"r","rationale":"because"}],"alternative_minimal_sets":[["w"]],"observed_evidence_ids":[],"optional_evidence_ids":[],"label_confidence":0.8,"label_scope":"calibration","label_sources":["one"],"metadata":{"any":1},"retrieval_needed":true,"item_id":"i","mss_id":"m","human_audit_status":"not_sampled","necessity_certificate":{},"sufficiency_certificate":{}}`
)

func lines(rows ...string) string { return strings.Join(rows, "\n") + "\n" }

// folder writes files into a folder of their own.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readAll reads a cohort and predictions, and gives every fault without the folder's name.
func readAll(t testing.TB, dir string, predictions ...string) (*statefile.Cohort, *statefile.Predictions, []string) {
	t.Helper()
	files, err := statefile.Find(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	var faults tabular.Faults
	c, err := statefile.Read(t.Context(), files, &faults)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, p := range predictions {
		paths = append(paths, filepath.Join(dir, p))
	}
	p, err := statefile.ReadPredictions(paths, c, &faults)
	if err != nil {
		t.Fatal(err)
	}
	return c, p, texts(dir, faults.All())
}

func texts(dir string, errs []error) (list []string) {
	for _, err := range errs {
		list = append(list, strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	return list
}

func TestReadsBothSpellingsPlainAndZipped(t *testing.T) {
	predictions := lines(`{"state_id":"a","method_id":"m","evidence_ids":["v","x"]}`, `{"state_id":"b","method":"m","ranked_evidence_ids":["w"],"note":1}`)
	for name, files := range map[string]map[string]string{
		"plain":             {"states.jsonl": lines(stateA, stateB), "certificates.jsonl": lines(certA, certB)},
		"public, private":   {"public/states.jsonl": lines(stateA, stateB), "private/certificates.jsonl": lines(certB, certA)},
		"as released":       {"items.jsonl.gz": zipped(t, lines(stateA, stateB)), "labels.jsonl.gz": zipped(t, lines(certA, certB))},
		"byte order marks":  {"states.jsonl": "\xef\xbb\xbf" + lines(stateA, stateB), "certificates.jsonl": "\xef\xbb\xbf" + lines(certA, certB)},
		"CR LF, blank line": {"states.jsonl": stateA + "\r\n\r\n" + stateB + "\r\n", "certificates.jsonl": certA + "\r\n" + certB},
	} {
		t.Run(name, func(t *testing.T) {
			files["p.jsonl"] = predictions
			if strings.HasPrefix(name, "CR") {
				files["p.jsonl"] = "\xef\xbb\xbf" + strings.ReplaceAll(predictions, "\n", "\r\n")
			}
			c, p, faults := readAll(t, folder(t, files), "p.jsonl")
			if faults != nil {
				t.Fatalf("faults %q", faults)
			}
			if c.Len() != 2 || c.TokenSource != statefile.TokensGiven || len(p.Methods) != 1 || p.Rows != 2 || p.Notices.Len() != 0 {
				t.Fatalf("%d states, tokens %q, %d methods, %v", c.Len(), c.TokenSource, len(p.Methods), p.Notices.All())
			}
			b := c.State(1)
			if b.Repository != "o/q" || b.Boundary != "before_search" || b.Observed == nil || b.Pool[0] != (scores.Unit{ID: "w", Tokens: 7}) {
				t.Errorf("%+v", b)
			}
			r, err := scores.Score(c.Cohort, p.Methods, scores.Options{}, [2]string{})
			if err != nil || r.Methods[0].At[0].Complete != 1 {
				t.Errorf("%v, %+v", err, r)
			}
		})
	}
}

func TestUnitsAndCertificatesElsewhere(t *testing.T) {
	dir := folder(t, map[string]string{
		"states.jsonl":       lines(`{"state_id":"a","candidates":["u","v"]}`, `{"state_id":"b","candidates":["v"]}`),
		"units.jsonl":        lines(`{"id":"u","text":"one two three"}`, `{"evidence_id":"v","content_excerpt":"four"}`),
		"certificates.jsonl": lines(strings.ReplaceAll(certA, `,"observed_evidence_ids":["x"]`, ""), strings.ReplaceAll(strings.ReplaceAll(certB, `"w"`, `"v"`), "G1", "g")),
		"p.jsonl":            lines(`{"state_id":"a","method_id":"m","evidence_ids":["u"]}`),
	})
	c, p, faults := readAll(t, dir, "p.jsonl")
	if faults != nil || c.TokenSource != "evlab-approx-v1" || c.State(0).Pool[0].Tokens != 3 {
		t.Fatalf("faults %q, tokens %q, %+v", faults, c.TokenSource, c.State(0))
	}
	notices := texts(dir, p.Notices.All())
	if len(notices) != 1 || notices[0] != `p.jsonl: method "m" has no row for state "b": it counts zero` {
		t.Errorf("notices %q", notices)
	}
	// One file of states that carry their certificates.
	whole := folder(t, map[string]string{"all.jsonl": lines(strings.TrimSuffix(stateA, "}") + `,"certificate":` + certA + "}")})
	var fs tabular.Faults
	one, err := statefile.Read(t.Context(), statefile.Files{States: filepath.Join(whole, "all.jsonl")}, &fs)
	if err != nil || fs.Len() > 0 || one.Len() != 1 {
		t.Fatalf("%v, %v", err, fs.All())
	}
}

func TestFind(t *testing.T) {
	two := folder(t, map[string]string{"states.jsonl": "", "public/items.jsonl": "", "certificates.jsonl": ""})
	if _, err := statefile.Find(two, ""); err == nil || !strings.Contains(err.Error(), "are both there") {
		t.Errorf("two files of states: %v", err)
	}
	none := folder(t, map[string]string{"other.jsonl": ""})
	if _, err := statefile.Find(none, ""); err == nil || strings.Count(err.Error(), "there is no") != 2 {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := statefile.Find(filepath.Join(none, "missing"), ""); err == nil {
		t.Error("a folder that is not there")
	}
	public := folder(t, map[string]string{"states.jsonl": ""})
	if f, err := statefile.Find(public, "elsewhere.jsonl"); err != nil || f.Certificates != "elsewhere.jsonl" {
		t.Errorf("certificates elsewhere: %+v, %v", f, err)
	}
}

// TestEveryFaultAtOnce: cohort, certificates and predictions with every kind of fault, reported in one reading.
func TestEveryFaultAtOnce(t *testing.T) {
	dir := folder(t, map[string]string{
		"states.jsonl": lines(
			stateA, stateB,
			`{"state_id":"a","candidates":[]}`,
			`{"state_id":"c","boundary":"before_serch","candidates":[{"id":"u"},{"id":"u"},{"tokens":3},{"id":"t","tokens":-1},{"id":"n","tokens":"3"},7],"observed":"x"}`,
			`{"state_id":" ","repo":"a","repository":"b"}`,
			`not json`,
			`{"state_id":"d","candidates":[]}`,
		),
		"certificates.jsonl": lines(certA, certB, certA,
			strings.Replace(certA, `"a"`, `"c"`, 1),
			strings.Replace(certA, `"state_id":"a"`, `"state_id":"z"`, 1),
			`{"schema":"serbench-mss-v1","state_id":"d","groups":[{"id":"g","acceptable_ids":[],"necessity_weight":0}],"groops":1}`),
		"p.jsonl": lines(
			`{"state_id":"a","method_id":"m","evidence_ids":["v","w","nowhere","v",3,""]}`,
			`{"state_id":"a","method_id":"m","evidence_ids":["v"]}`,
			`{"state_id":"unknown","method_id":"m","evidence_ids":["v"]}`,
			`{"state_id":"b","method_id":"m","method":"n","evidence_ids":{}}`,
			`{"method_id":"m"}`,
			`{"state_id":"c","method_id":"m","evidence_ids":["any"]}`,
			`["a"]`,
			`{"state_id":"b","method_id":"m","evidence_ids":[]}`,
			`{"state_id":"b","method_id":"m","evidence_ids":["w"],"state_id":"a"}`,
			"\xff",
		),
	})
	_, p, faults := readAll(t, dir, "p.jsonl")
	want := []string{
		`certificates.jsonl:3: state_id: the certificate of state "a" is given in row 1 already`,
		`certificates.jsonl:6: groups[0].acceptable_ids: expected at least one unit id`,
		`certificates.jsonl:6: groups[0].necessity_weight: expected a positive weight, found 0`,
		`certificates.jsonl:6: unknown field "groops"; expected schema, `,
		`states.jsonl:3: state_id: state "a" is given at `,
		`states.jsonl:4: boundary: "before_serch" is not one of before_search, after_search, after_file_inspection, before_edit (did you mean "before_search"?)`,
		`states.jsonl:4: observed: expected a list, found "x"`,
		`states.jsonl:4: candidates: item 2: unit "u" is item 1 already`,
		`states.jsonl:4: candidates: item 3: it has no id: expected id or evidence_id`,
		`states.jsonl:4: candidates: item 4: expected a token count of at least 0, found -1`,
		`states.jsonl:4: candidates: item 5: field tokens: expected a whole number, found a string`,
		`states.jsonl:4: candidates: item 6: expected a unit or the id of one, found 7`,
		`states.jsonl:5: state_id: expected an id, found an empty text`,
		`states.jsonl:5: repository: repo is given too, for the same thing`,
		`states.jsonl:5: candidates: the field is missing: expected candidates or candidate_evidence`,
		`states.jsonl:6: column 2: reading JSON: invalid character 'o' in literal null`,
		`certificates.jsonl:5: state_id: there is no state "z" in `,
		`p.jsonl:1: evidence_ids: item 5: expected an evidence id, found 3`,
		`p.jsonl:1: evidence_ids: item 6: expected an evidence id, found an empty text`,
		`p.jsonl:1: evidence_ids: item 2: unit "w" is outside the pool of state "a"`,
		`p.jsonl:1: evidence_ids: item 3: there is no unit "nowhere"`,
		`p.jsonl:1: evidence_ids: item 4: unit "v" was returned before`,
		`p.jsonl:2: method "m" has a row for state "a" at `,
		`p.jsonl:3: state_id: there is no state "unknown" in `,
		`p.jsonl:4: method_id: method is given too, for the same thing`,
		`p.jsonl:4: evidence_ids: expected a list, found an object`,
		`p.jsonl:5: state_id: the field is missing: expected state_id`,
		`p.jsonl:5: evidence_ids: the field is missing: expected evidence_ids or ranked_evidence_ids`,
		`p.jsonl:7: expected an object, found a list`,
		`p.jsonl:9: state_id: the field is given twice`,
		`p.jsonl:10: column 1: byte 0xff is not UTF-8`,
	}
	for i := range max(len(want), len(faults)) {
		switch {
		case i >= len(faults):
			t.Errorf("missing: %s", want[i])
		case i >= len(want):
			t.Errorf("unexpected: %s", faults[i])
		case !strings.HasPrefix(faults[i], want[i]):
			t.Errorf("fault %d is\n  %s, want\n  %s", i, faults[i], want[i])
		}
	}
	if notices := texts(dir, p.Notices.All()); len(notices) != 1 || notices[0] != `p.jsonl:8: evidence_ids: the list is empty: state "b" counts zero for "m"` {
		t.Errorf("notices %q", notices)
	}
}

func TestALineOfFiftyMegabytes(t *testing.T) {
	dir := folder(t, map[string]string{
		"states.jsonl": lines(stateA), "certificates.jsonl": lines(certA),
		"p.jsonl": lines(`{"state_id":"a","method_id":"m","evidence_ids":["u"]}`, `{"state_id":"b","method_id":"`+strings.Repeat("m", 50<<20)+`"}`, `{"state_id":"a","method_id":"m"}`),
	})
	_, _, faults := readAll(t, dir, "p.jsonl")
	if len(faults) != 2 || faults[0] != "p.jsonl:2: the line has more than 52428800 bytes" || !strings.HasPrefix(faults[1], "p.jsonl:3: evidence_ids: the field is missing") {
		t.Errorf("faults %.200q", faults)
	}
}

func TestTokensOfTwoKindsAreNotMixed(t *testing.T) {
	dir := folder(t, map[string]string{
		"states.jsonl": lines(stateA, strings.Replace(stateB, `"token_count":7,`, "", 1)), "certificates.jsonl": lines(certA, certB),
		"p.jsonl": lines(`{"state_id":"a","method_id":"m","evidence_ids":["u"]}`),
	})
	c, p, faults := readAll(t, dir, "p.jsonl")
	r, err := scores.Score(c.Cohort, p.Methods, scores.Options{}, [2]string{})
	if faults != nil || err != nil {
		t.Fatal(faults, err)
	}
	if c.TokenSource != "" || r.NoTokens == nil || !strings.Contains(r.NoTokens.Error(), "the two are not the same measure") || r.Methods[0].At[0].Tokens != nil || len(r.Cutoffs) != 8 {
		t.Errorf("tokens %q, %v, cutoffs %v", c.TokenSource, r.NoTokens, r.Cutoffs)
	}
}

func TestCheck(t *testing.T) {
	good := folder(t, map[string]string{"states.jsonl": lines(stateA, stateB), "certificates.jsonl": lines(certA, certB)})
	for _, c := range []struct {
		name, from, to string // an edit of the good cohort
		rule           string // the one breach; empty for none
		want           string
	}{
		{"nothing", "", "", "", ""},
		{"an id without a unit", `["u","v"]`, `["u","q"]`, "unknown-unit", `groups[0] (g1).acceptable_ids[1]: there is no unit "q"`},
		{"a quote that is not there", `alpha  beta`, `alpha gamma`, "quote", `groups[0] (g1).quotes[0]: "alpha gamma" does not occur in unit u`},
		{"an observed unit that is acceptable", `["u","v"]`, `["u","x"]`, "observed-required", `groups[0] (g1).acceptable_ids[1]: "x" was observed already`},
		{"observed ids that differ", `"observed_evidence_ids":["x"]`, `"observed_evidence_ids":[]`, "", ""},
		{"observed ids that the state does not have", `"observed_evidence_ids":["x"]`, `"observed_evidence_ids":["x","y"]`, "observed-differs", `observed_evidence_ids[1]: "y" is not among the state's observed units`},
		{"a flag without an observed id", `"observed":["x"]`, `"observed":[]`, "overlap-flag", `candidates[2]: unit "x" says that it was observed, and it is not among the observed ids`},
		{"an observed id without a flag", `"observed_evidence_ids":[],"candidate`, `"observed_evidence_ids":["w"],"candidate`, "overlap-flag", `candidates[0]: unit "w" says that it was not observed, and it is among the observed ids`},
		{"an alternative that is no solution", `}]}],"observed_evidence_ids":["x"]`, `}]},{"id":"g2","acceptable_ids":["v"],"necessity_weight":1}],"alternative_minimal_sets":[["u"]],"observed_evidence_ids":["x"]`,
			"branch-incomplete", `alternative_minimal_sets[0]: it does not cover group g2`},
		{"a solution apart from the groups", `"observed_evidence_ids":["x"],"retr`, `"alternative_minimal_sets":[["x"]],"observed_evidence_ids":["x"],"retr`, "observed-required", `alternative_minimal_sets[0][0]: "x" was observed already`},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{}
			for _, name := range []string{"states.jsonl", "certificates.jsonl"} {
				data, err := os.ReadFile(filepath.Join(good, name))
				if err != nil {
					t.Fatal(err)
				}
				files[name] = string(data)
				if c.from != "" {
					files[name] = strings.Replace(string(data), c.from, c.to, 1)
				}
			}
			f, err := statefile.Find(folder(t, files), "")
			if err != nil {
				t.Fatal(err)
			}
			var faults tabular.Faults
			checked, err := statefile.Check(t.Context(), f, &faults)
			if err != nil || faults.Len() > 0 {
				t.Fatal(err, faults.All())
			}
			found := c.rule == ""
			for _, f := range checked.Findings {
				if f.Warning {
					continue
				}
				if c.rule == "" {
					t.Errorf("unexpected: %+v", f)
				}
				found = found || f.Rule == c.rule && f.Place+": "+f.Reason == c.want && f.Line > 0
			}
			if !found {
				t.Errorf("no %s (%s) among %+v", c.rule, c.want, checked.Findings)
			}
			if branched := 1 + strings.Count(c.to, "alternative"); checked.States != 2 || checked.Groups != 2+strings.Count(c.to, `"g2"`) || checked.Branched != branched {
				t.Errorf("%+v", checked)
			}
		})
	}
}

func TestPerState(t *testing.T) {
	dir := folder(t, map[string]string{
		"states.jsonl": lines(stateA, stateB), "certificates.jsonl": lines(certA, certB),
		"p.jsonl": lines(`{"state_id":"a","method_id":"m","evidence_ids":["x","v"]}`),
	})
	c, p, faults := readAll(t, dir, "p.jsonl")
	r, err := scores.Score(c.Cohort, p.Methods, scores.Options{}, [2]string{})
	if faults != nil || err != nil {
		t.Fatal(faults, err)
	}
	for _, ext := range []string{".jsonl", ".csv", ".parquet"} {
		file := filepath.Join(dir, "out"+ext)
		if err := statefile.WritePerState(file, r); err != nil {
			t.Fatal(err)
		}
		var fs tabular.Faults
		table, err := tabular.Open(file, &fs)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for row := range table.Rows() {
			task, _ := row.Get("task").Text()
			one, _ := row.Get("complete@1").Number()
			three, _ := row.Get("complete@3").Number()
			tokens, _ := row.Get("tokens@returned").Int()
			missing, _ := row.Get("missing").Bool()
			overlap, _ := row.Get("overlap").Text()
			got = append(got, fmt.Sprint(task, one, three, tokens, missing, overlap))
		}
		if err := table.Err(); err != nil || fs.Len() > 0 || strings.Join(got, ";") != "a0 1 25 falseyes;b0 0 0 trueno" {
			t.Errorf("%s: %v, %v, %q", ext, err, fs.All(), got)
		}
		table.Close()
	}
	if err := statefile.WritePerState(filepath.Join(dir, "out.txt"), r); err == nil {
		t.Error("a file whose name tells no format")
	}
}
