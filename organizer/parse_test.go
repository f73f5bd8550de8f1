package organizer_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"evlab/evidence"
	"evlab/organizer"
)

const wholeCertificate = `{
  "schema": "serbench-mss-v1",
  "state_id": "task-1",
  "groups": [
    {"id": "a", "acceptable_ids": ["x.go#A", "y.go#A"], "minimum_required": 2, "necessity_weight": 2.5, "role": "definition",
     "rationale": "both halves", "quotes": [{"unit_id": "x.go#A", "text": "func A"}]},
    {"id": "b", "acceptable_ids": ["x.go#A"], "necessity_weight": 1}
  ],
  "alternative_minimal_sets": [["x.go#A", "z.go#Z"]]
}`

func TestParseCertificateReadsEveryField(t *testing.T) {
	got, err := organizer.ParseCertificate("c.json", []byte(wholeCertificate))
	if err != nil {
		t.Fatal(err)
	}
	want := &organizer.Certificate{
		Schema: organizer.CertificateSchema, StateID: "task-1",
		Groups: []organizer.Group{
			{ID: "a", AcceptableIDs: []string{"x.go#A", "y.go#A"}, MinimumRequired: 2, NecessityWeight: 2.5, Role: "definition",
				Rationale: "both halves", Quotes: []organizer.Quote{{UnitID: "x.go#A", Text: "func A"}}},
			{ID: "b", AcceptableIDs: []string{"x.go#A"}, MinimumRequired: 1, NecessityWeight: 1},
		},
		AlternativeMinimalSets: [][]string{{"x.go#A", "z.go#Z"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseCertificateRefuses(t *testing.T) {
	group := func(fields string) string {
		return `{"schema":"serbench-mss-v1","state_id":"s","groups":[` + fields + `]}`
	}
	for _, c := range []struct{ name, data, want string }{
		{"nothing", ``, "c.json:1:1: reading JSON: unexpected end"},
		{"a broken document, with its place", "{\n \"schema\": \"serbench-mss-v1\",\n  x }", "c.json:3:3: reading JSON: invalid character 'x'"},
		{"what follows the document", `{} {}`, "c.json:1:4: reading JSON: invalid character '{' after top-level value"},
		{"a list", `[]`, "c.json:1:1: expected an object, found []"},
		{"bytes that are not UTF-8", "{\"schema\":\n\"\xff\"}", "c.json:2:2: byte 0xff is not UTF-8"},
		{"another schema", `{"schema":"serbench-mss-v2"}`, `c.json:1:11: schema: "serbench-mss-v2" is not the schema "serbench-mss-v1"`},
		{"a key in another case", `{"Schema":"serbench-mss-v1"}`, `unknown field "Schema"; expected schema, state_id, groups, alternative_minimal_sets`},
		{"a missing field", `{"schema":"serbench-mss-v1"}`, "the field groups is missing"},
		{"a repeated field", `{"state_id":"a","state_id":"b"}`, "c.json:1:28: state_id: the field is given twice"},
		{"an empty state id", `{"state_id":" "}`, "state_id: expected an id, found an empty string"},
		{"no groups", `{"groups":[]}`, "groups: expected at least one group"},
		{"null groups", `{"groups":null}`, "groups: expected a list, found null"},
		{"a group without ids", group(`{"id":"a","acceptable_ids":[],"necessity_weight":1}`), "groups[0].acceptable_ids: expected at least one unit id"},
		{"a unit twice", group(`{"id":"a","acceptable_ids":["u","u"],"necessity_weight":1}`), `groups[0].acceptable_ids[1]: the unit id "u" is listed twice`},
		{"an empty unit id", group(`{"id":"a","acceptable_ids":[""],"necessity_weight":1}`), "groups[0].acceptable_ids[0]: expected an id"},
		{"a number for a unit id", group(`{"id":"a","acceptable_ids":[7],"necessity_weight":1}`), "groups[0].acceptable_ids[0]: expected a string, found 7"},
		{"a group id twice", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":1},{"id":"a","acceptable_ids":["v"],"necessity_weight":1}`), `groups[1]: the group id "a" is groups[0]'s too`},
		{"no weight", group(`{"id":"a","acceptable_ids":["u"]}`), "groups[0]: the field necessity_weight is missing"},
		{"a zero weight", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":0}`), "groups[0].necessity_weight: expected a positive weight, found 0"},
		{"a negative weight", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":-1}`), "expected a positive weight, found -1"},
		{"an infinite weight", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":1e999}`), "expected a finite number, found 1e999"},
		{"a weight in words", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":"1"}`), `expected a number, found "1"`},
		{"more required than there are", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":1,"minimum_required":2}`), "groups[0].minimum_required: 2 are required of 1 acceptable ids"},
		{"less than one required", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":1,"minimum_required":-1}`), "groups[0].minimum_required: expected at least 1, found -1"},
		{"half a unit required", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":1,"minimum_required":0.5}`), "expected a whole number, found 0.5"},
		{"an unknown field of a group", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":1,"gold":true}`), `groups[0]: unknown field "gold"`},
		{"an empty quote", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":1,"quotes":[{"unit_id":"u","text":" "}]}`), "groups[0].quotes[0].text: expected the quoted words"},
		{"a quote of no unit", group(`{"id":"a","acceptable_ids":["u"],"necessity_weight":1,"quotes":[{"text":"x"}]}`), "groups[0].quotes[0]: the field unit_id is missing"},
		{"an empty branch", `{"alternative_minimal_sets":[["u"],[]]}`, "alternative_minimal_sets[1]: expected at least one unit id"},
		{"a unit twice in a branch", `{"alternative_minimal_sets":[["u","u"]]}`, "alternative_minimal_sets[0][1]: the unit id"},
		{"a file that is too large", `{"state_id":"` + strings.Repeat("x", organizer.MaxCertificate) + `"}`, "at most 1048576 are read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := organizer.ParseCertificate("c.json", []byte(c.data))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
			if got != nil {
				t.Errorf("a certificate came with the error: %+v", got)
			}
		})
	}
}

func TestParseCertificateReportsEveryFaultWithItsLine(t *testing.T) {
	_, err := organizer.ParseCertificate("c.json", []byte(`{
  "schema": "other",
  "state_id": "s",
  "extra": [1, 2],
  "groups": [
    {"id": "a",
     "acceptable_ids": ["u", 3],
     "necessity_weight":   -2 },
    7
  ]
}`))
	want := []string{
		`c.json:2:13: schema: "other" is not`,
		`c.json:4:12: unknown field "extra"`,
		`c.json:7:30: groups[0].acceptable_ids[1]: expected a string, found 3`,
		`c.json:8:28: groups[0].necessity_weight: expected a positive weight, found -2`,
		`c.json:9:5: groups[1]: expected an object, found 7`,
	}
	got := strings.Split(fmt.Sprint(err), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d faults, want %d:\n%v", len(got), len(want), err)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("fault %d is %q, want %q", i, got[i], want[i])
		}
	}
}

func TestParseCertificateBoundsWhatItReports(t *testing.T) {
	_, err := organizer.ParseCertificate("c.json", []byte("["+strings.Repeat("0,", 5000)+"0]"))
	if n := strings.Count(fmt.Sprint(err), "\n") + 1; n != 1 {
		t.Errorf("%d faults for one wrong value", n)
	}
	_, err = organizer.ParseCertificate("c.json", []byte(`{"groups":[`+strings.Repeat("0,", 5000)+"0]}"))
	if n := strings.Count(fmt.Sprint(err), "\n") + 1; n != 101 || !strings.HasSuffix(err.Error(), "further faults are not listed") {
		t.Errorf("%d lines for 5001 wrong groups, want 101", n)
	}
}

func TestCheckUnits(t *testing.T) {
	c, err := organizer.ParseCertificate("c.json", []byte(wholeCertificate))
	if err != nil {
		t.Fatal(err)
	}
	units := []evidence.Unit{{ID: "x.go#A", Text: "// A\nfunc\t A() {}\n"}, {ID: "y.go#A"}, {ID: "z.go#Z"}}
	if err := c.CheckUnits(units); err != nil {
		t.Errorf("with white space that differs: %v", err)
	}
	units[0].Text = "func B() {}"
	err = c.CheckUnits(units[:1])
	for _, want := range []string{
		`groups[0] (a).acceptable_ids[1]: there is no unit "y.go#A"`,
		`groups[0] (a).quotes[0]: "func A" does not occur in unit x.go#A`,
		`alternative_minimal_sets[0][1]: there is no unit "z.go#Z"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want one with %s", err, want)
		}
	}
}

func FuzzParseCertificate(f *testing.F) {
	f.Add([]byte(wholeCertificate))
	f.Add([]byte(`{"schema":"serbench-mss-v1","state_id":"s","groups":[{"id":"a","acceptable_ids":["u"],"necessity_weight":1e-300}]}`))
	f.Add([]byte(`{"groups":[{}],"groups":[[]],"":null}`))
	f.Add([]byte(` { "schema" : 1 , "state_id":{"a":[1,{"b":2}]} } `))
	f.Add([]byte("{\"state_id\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := organizer.ParseCertificate("f", data)
		if err != nil {
			if c != nil {
				t.Fatal("a certificate came with an error")
			}
			return
		}
		for _, g := range c.Groups {
			if g.ID == "" || g.Required() < 1 || g.Required() > len(g.AcceptableIDs) || !(g.NecessityWeight > 0) {
				t.Fatalf("accepted %+v", g)
			}
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		back, err := organizer.ParseCertificate("f", again)
		if err != nil || !reflect.DeepEqual(c, back) {
			t.Fatalf("not read back: %v\n%s", err, again)
		}
		everything := map[string]bool{}
		for _, g := range c.Groups {
			for _, id := range g.AcceptableIDs {
				everything[id] = true
			}
		}
		var ids []string
		for id := range everything {
			ids = append(ids, id)
		}
		if !c.Complete(ids) || c.GroupRecall(ids) != 1 {
			t.Fatalf("all acceptable ids together don't complete %s", again)
		}
	})
}
