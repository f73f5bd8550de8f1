package datasets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"evlab/organizer"
)

// Kind is what a file or folder holds, as its beginning shows.
type Kind string

// Kinds. KindUnknown is anything that its beginning does not tell; a message can say nothing about it.
const (
	KindUnknown      Kind = ""
	KindTasks        Kind = "tasks (rows with base_commit)"
	KindTable        Kind = "a table of tasks (repository, base and fix)"
	KindPredictions  Kind = "predictions (rows with a model's patch)"
	KindStates       Kind = "states with pools (rows with state_id)"
	KindCertificates Kind = "certificates of states"
	KindRankings     Kind = "rankings (rows of state, method and evidence)"
	KindOutcomes     Kind = "outcomes (rows of task and condition)"
	KindGrades       Kind = "grades that evlab evaluate wrote"
	KindReviews      Kind = "reviews (rows of item, reviewer and verdict)"
	KindExperiment   Kind = "an experiment"
	KindFamily       Kind = "a family of contrasts"
	KindCohort       Kind = "a cohort with repositories of its own"
	KindImported     Kind = "a cohort that evlab import made"
	KindRun          Kind = "a run"
)

// Command is the evlab command that takes path, which is of the kind; empty when the kind is unknown.
func (k Kind) Command(path string) string {
	forms := map[Kind]string{
		KindTasks:        "evlab evaluate --tasks %s --repos DIR --predictions FILE",
		KindTable:        "evlab import %s --repos DIR",
		KindPredictions:  "evlab evaluate --tasks FILE --repos DIR --predictions %s",
		KindStates:       "evlab score --cohort %s --predictions FILE",
		KindCertificates: "evlab cohort check STATES --certificates %s",
		KindRankings:     "evlab score --cohort COHORT --predictions %s",
		KindOutcomes:     "evlab contrast --outcomes %s --metric METRIC --a A --b B",
		KindGrades:       "evlab contrast --outcomes %s --metric resolved --a MODEL --b MODEL",
		KindReviews:      "evlab agree %s",
		KindExperiment:   "evlab run %s",
		KindFamily:       "evlab contrast --outcomes FILE --family %s",
		KindCohort:       "evlab evaluate --tasks %s --predictions FILE",
		KindImported:     "evlab evaluate --tasks %s --repos DIR --predictions FILE",
		KindRun:          "evlab status %s",
	}
	if k == KindUnknown {
		return ""
	}
	if k == KindRun {
		path = filepath.Base(path)
	}
	return fmt.Sprintf(forms[k], path)
}

// WrongKindError says that a file or folder holds something else than was asked for.
type WrongKindError struct {
	Path     string
	Is, Want Kind
}

func (e *WrongKindError) Error() string {
	return fmt.Sprintf("%s holds %s, and was to hold %s", e.Path, e.Is, e.Want)
}

// expect refuses a path that certainly holds something else. What it can't tell is for the reader to find out.
func expect(path string, want ...Kind) error {
	if is := KindOf(path); is != KindUnknown && !slices.Contains(want, is) {
		return &WrongKindError{Path: path, Is: is, Want: want[0]}
	}
	return nil
}

// maxHead bounds what is read of a file to tell its kind: a first row has a repair and its tests in it.
const maxHead = 8 << 20

// KindOf looks at the beginning of a regular file, or at the names in a folder. A pipe is left alone: what is read of it is
// gone.
func KindOf(path string) Kind {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return KindUnknown
	case info.IsDir():
		return folderKind(path)
	case !info.Mode().IsRegular():
		return KindUnknown
	}
	in, err := os.Open(path)
	if err != nil {
		return KindUnknown
	}
	defer in.Close() // read only: a failing close loses nothing
	head := make([]byte, 64<<10)
	n, err := io.ReadFull(in, head)
	if err != nil && n == 0 {
		return KindUnknown
	}
	head = head[:n]
	text := bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n")
	switch {
	case len(text) == 0:
		return KindUnknown
	case text[0] == '{' || text[0] == '[':
		rest := io.LimitReader(in, maxHead)
		return rowsKind(json.NewDecoder(io.MultiReader(bytes.NewReader(text), rest)))
	}
	if kind := yamlKind(text); kind != KindUnknown {
		return kind
	}
	header, _, _ := bytes.Cut(text, []byte("\n"))
	return columnsKind(strings.FieldsFunc(string(header), func(r rune) bool { return strings.ContainsRune(",;\t\r\"", r) }))
}

func folderKind(dir string) Kind {
	there := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	switch {
	case there("run.json") && there("contract.json"):
		return KindRun
	case IsImported(dir):
		return KindImported
	case there("cohort.json") && there("public"):
		return KindCohort
	}
	return KindUnknown
}

// rowsKind tells JSON rows by the fields of the first. A stream of evlab's own begins with lines about itself.
func rowsKind(dec *json.Decoder) Kind {
	const preamble = 3
	for range preamble {
		keys, about, ok := firstKeys(dec)
		if !ok {
			return columnsKind(keys)
		}
		if about != "version" && about != "run" {
			return columnsKind(keys)
		}
	}
	return KindUnknown
}

// firstKeys are the keys of the next object, or of the first one in a list, and its type where it has one. ok is false when
// the text ended, or was no JSON, before the object did: the keys are those before that.
func firstKeys(dec *json.Decoder) (keys []string, about string, ok bool) {
	token, err := dec.Token()
	if err == nil && token == json.Delim('[') {
		token, err = dec.Token()
	}
	if err != nil || token != json.Delim('{') {
		return nil, "", false
	}
	for dec.More() {
		token, err := dec.Token()
		key, isKey := token.(string)
		if err != nil || !isKey || len(keys) == maxHeadKeys {
			return keys, about, false
		}
		keys = append(keys, key)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return keys, about, false
		}
		if key == "type" {
			about = strings.Trim(string(value), `"`)
		}
		if key == "schema" && strings.Trim(string(value), `"`) == organizer.CertificateSchema {
			keys = append(keys, organizer.CertificateSchema)
		}
	}
	_, err = dec.Token()
	return keys, about, err == nil
}

const maxHeadKeys = 10_000

// columnsKind tells rows by the names of their fields.
func columnsKind(names []string) Kind {
	there := func(name string) bool { return slices.Contains(names, name) }
	anyOf := func(wanted ...string) bool { return slices.ContainsFunc(wanted, there) }
	all := func(wanted ...string) bool {
		return !slices.ContainsFunc(wanted, func(name string) bool { return !there(name) })
	}
	switch {
	case all(organizer.CertificateSchema, "groups") && !anyOf("candidates", "candidate_evidence", "state"):
		return KindCertificates
	case anyOf("model_patch"), anyOf("model_name_or_path") && anyOf("patch", "fix_patch"):
		return KindPredictions
	case all("state_id") && anyOf("candidates", "candidate_evidence"):
		return KindStates
	case anyOf("state_id") && anyOf("evidence_ids", "ranked_evidence_ids"):
		return KindRankings
	case all("base_commit", "instance_id") && !there("state_id"), all("org", "number", "fix_patch", "base"):
		return KindTasks
	case anyOf("repo", "repository") && anyOf("base", "base_commit") && anyOf("fix", "fix_commit") && !anyOf("condition", "state_id"):
		return KindTable
	case all("instance_id", "model_name_or_path", "verdict"):
		return KindGrades
	case all("item", "reviewer", "verdict"):
		return KindReviews
	case all("task", "condition"):
		return KindOutcomes
	}
	return KindUnknown
}

var topKey = regexp.MustCompile(`(?m)^([a-z_]+):`)

// yamlKind tells an experiment and a family by the keys that stand at the beginning of a line.
func yamlKind(text []byte) Kind {
	keys := map[string]bool{}
	for _, m := range topKey.FindAllSubmatch(text, -1) {
		keys[string(m[1])] = true
	}
	switch {
	case keys["conditions"] || keys["executors"] || keys["cohort"]:
		return KindExperiment
	case keys["contrasts"]:
		return KindFamily
	}
	return KindUnknown
}
