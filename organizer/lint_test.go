package organizer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"evlab/organizer"
)

const releasedCertificate = `{"schema_version":"serbench-mss-v1","state_id":"s","required_evidence_groups":[
 {"group_id":"G1","acceptable_evidence_ids":["a","b"],"minimum_required":1,"necessity_weight":3.0,"rationale":"why","role":"bug_location","quotes":[{"evidence_id":"a","text":"x"}]},
 {"group_id":"G2","acceptable_evidence_ids":["c"],"minimum_required":1,"necessity_weight":2.0,"rationale":"why","role":"bug_location"}],
 "alternative_minimal_sets":[["a","c"],["b","c"]],"observed_evidence_ids":["o"],"optional_evidence_ids":[],"retrieval_needed":true,
 "label_scope":"calibration_public","label_confidence":0.8,"label_sources":["one"],"metadata":{"tier":"t"},"item_id":"i","mss_id":"m",
 "human_audit_status":"not_sampled","necessity_certificate":{"status":"accepted"},"sufficiency_certificate":{"status":"valid"}}`

func TestParseCertificateReadsTheReleasedSpelling(t *testing.T) {
	c, err := organizer.ParseCertificate("c.json", []byte(releasedCertificate))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Groups) != 2 || c.Groups[0].ID != "G1" || !slices.Equal(c.Groups[0].AcceptableIDs, []string{"a", "b"}) || c.Groups[0].Quotes[0].UnitID != "a" ||
		len(c.AlternativeMinimalSets) != 2 || !slices.Equal(c.Observed, []string{"o"}) || !*c.RetrievalNeeded || c.Scope != "calibration_public" || *c.Confidence != 0.8 {
		t.Errorf("%+v", c)
	}
	for _, x := range []struct{ name, from, to, want string }{
		{"the two spellings are not mixed", `"group_id":"G1"`, `"id":"G1"`, `required_evidence_groups[0]: unknown field "id"; expected group_id, acceptable_evidence_ids`},
		{"both names of the list", `"item_id"`, `"groups":[],"item_id"`, `unknown field "groups"`},
		{"a confidence above 1", `0.8`, `1.8`, "label_confidence: expected a confidence from 0 to 1, found 1.8"},
		{"a truth value in words", `"retrieval_needed":true`, `"retrieval_needed":"yes"`, `retrieval_needed: expected true or false, found "yes"`},
		{"metadata that is none", `{"tier":"t"}`, `[]`, "metadata: expected an object, found []"},
		{"an observed id twice", `["o"]`, `["o","o"]`, `observed_evidence_ids[1]: the unit id "o" is listed twice`},
		{"another schema", `serbench-mss-v1`, `serbench-mss-v2`, `schema_version: "serbench-mss-v2" is not the schema`},
	} {
		if _, err := organizer.ParseCertificate("c.json", []byte(strings.Replace(releasedCertificate, x.from, x.to, 1))); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: got %v, want one with %s", x.name, err, x.want)
		}
	}
}

func TestFaultsOfARowHaveItsLine(t *testing.T) {
	_, err := organizer.ParseCertificateRow("all.jsonl", 7, []byte(`{"schema":"serbench-mss-v1","state_id":"s","groups":[]}`))
	if err == nil || err.Error() != "all.jsonl:7:53: groups: expected at least one group" {
		t.Errorf("got %v", err)
	}
}

func TestLint(t *testing.T) {
	text := func(id string) (string, bool, bool) {
		known := map[string]string{"a": "alpha beta", "b": "gamma", "c": "delta", "o": "seen", "p": "other"}
		return known[id], known[id] != "", known[id] != "" || id == "blind"
	}
	whole := func() *organizer.Certificate {
		c, err := organizer.ParseCertificate("c.json", []byte(strings.Replace(releasedCertificate, `"text":"x"`, `"text":"alpha  beta"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	no := false
	for _, x := range []struct {
		name string
		edit func(*organizer.Certificate)
		want string // rule at place, besides the ungrounded second group; breaches have a mark
	}{
		{"nothing", func(*organizer.Certificate) {}, ""},
		{"an unknown unit", func(c *organizer.Certificate) { c.Groups[0].AcceptableIDs[1] = "q" },
			"!unknown-unit groups[0] (G1).acceptable_ids[1]; branch-apart alternative_minimal_sets[1]"},
		{"a false quote", func(c *organizer.Certificate) { c.Groups[0].Quotes[0].Text = "beta alpha" }, "!quote groups[0] (G1).quotes[0]"},
		{"a quote of a unit without text", func(c *organizer.Certificate) { c.Groups[0].Quotes[0].UnitID = "blind" }, "quote-unchecked groups[0] (G1).quotes[0]"},
		{"an incomplete alternative", func(c *organizer.Certificate) { c.AlternativeMinimalSets[1] = []string{"b"} }, "!branch-incomplete alternative_minimal_sets[1]"},
		{"an alternative apart", func(c *organizer.Certificate) { c.AlternativeMinimalSets[1] = []string{"p"} }, "branch-apart alternative_minimal_sets[1]"},
		{"an alternative with a unit too many", func(c *organizer.Certificate) { c.AlternativeMinimalSets[1] = []string{"a", "b", "c"} },
			"branch-excess alternative_minimal_sets[1][0]; branch-excess alternative_minimal_sets[1][1]"},
		{"an alternative twice, in another order", func(c *organizer.Certificate) { c.AlternativeMinimalSets[1] = []string{"c", "a"} }, "branch-twice alternative_minimal_sets[1]"},
		{"a group that another implies", func(c *organizer.Certificate) { c.Groups[0].AcceptableIDs = []string{"a", "b", "c"} },
			"implied-group groups[0] (G1); branch-excess alternative_minimal_sets[0][0]; branch-excess alternative_minimal_sets[1][0]"},
		{"two equal groups", func(c *organizer.Certificate) { c.Groups[1].AcceptableIDs = []string{"b", "a"} },
			"implied-group groups[1] (G2); branch-excess alternative_minimal_sets[0][1]; branch-excess alternative_minimal_sets[1][1]"},
		{"an observed unit that is required", func(c *organizer.Certificate) { c.Groups[1].AcceptableIDs = []string{"c", "o"} }, "!observed-required groups[1] (G2).acceptable_ids[1]"},
		{"observed ids that the state has not", func(c *organizer.Certificate) { c.Observed = []string{"o", "p"} }, "!observed-differs observed_evidence_ids[1]"},
		{"observed ids that only the state has", func(c *organizer.Certificate) { c.Observed = []string{} }, "!observed-differs observed_evidence_ids"},
		{"nothing to retrieve", func(c *organizer.Certificate) { c.RetrievalNeeded = &no }, "retrieval-unneeded retrieval_needed"},
		{"undeclared", func(c *organizer.Certificate) { c.Scope, c.Confidence = "", nil }, "undeclared-property label_scope; undeclared-property label_confidence"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := whole()
			x.edit(c)
			var got []string
			for _, f := range c.Lint(text, []string{"o"}) {
				if f.Rule == organizer.RuleUngrounded {
					continue // the second group has no quote in all of these
				}
				mark := "!"
				if f.Warning {
					mark = ""
				}
				got = append(got, fmt.Sprintf("%s%s %s", mark, f.Rule, f.Place))
			}
			if strings.Join(got, "; ") != x.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), x.want)
			}
		})
	}
}
