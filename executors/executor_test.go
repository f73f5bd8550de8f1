package executors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"evlab/evidence"
)

func reader(base map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		text, ok := base[path]
		if !ok {
			return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
		}
		return []byte(text), nil
	}
}

func propose(t *testing.T, kind string, r Request) (Reply, error) {
	t.Helper()
	e, err := New(kind)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := e.Propose(t.Context(), r)
	again, errAgain := e.Propose(t.Context(), r)
	if !reflect.DeepEqual(reply, again) || fmt.Sprint(err) != fmt.Sprint(errAgain) {
		t.Errorf("another reply the second time:\n%+v, %v\n%+v, %v", reply, err, again, errAgain)
	}
	return reply, err
}

func TestNewKnowsItsKinds(t *testing.T) {
	if _, err := New("oracle"); err == nil || !strings.Contains(err.Error(), `"oracle" is no kind of executor; expected simulated or replay`) {
		t.Errorf("got %v", err)
	}
}

// TestEveryExecutor is what holds for all kinds.
func TestEveryExecutor(t *testing.T) {
	for kind, absent := range map[string]error{"simulated": ErrNoEdits, "replay": ErrNoPrediction} {
		if _, err := propose(t, kind, Request{Round: 1, Rounds: 1}); !errors.Is(err, absent) {
			t.Errorf("%s without input: %v", kind, err)
		}
		for _, r := range []Request{{Round: 0, Rounds: 1}, {Round: 2, Rounds: 1}, {}} {
			if _, err := propose(t, kind, r); err == nil || !strings.Contains(err.Error(), "can't be") {
				t.Errorf("%s in round %d of %d: %v", kind, r.Round, r.Rounds, err)
			}
		}
		e, err := New(kind)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Propose(ctx, Request{Input: []byte("x"), Round: 1, Rounds: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s after cancelling: %v", kind, err)
		}
	}
}

func TestReplay(t *testing.T) {
	patch := []byte("diff --git a/x b/x\r\n\xff no newline")
	got, err := propose(t, "replay", Request{Input: patch, Round: 1, Rounds: 3})
	if err != nil || !reflect.DeepEqual(got, Reply{Kind: Patch, Patch: patch, Text: string(patch)}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if &got.Patch[0] == &patch[0] {
		t.Error("the reply shares memory with the request")
	}
	for _, blank := range []string{"", " \n"} {
		got, err = propose(t, "replay", Request{Input: []byte(blank), Round: 1, Rounds: 3})
		if err != nil || !reflect.DeepEqual(got, Reply{Kind: Nothing, Text: blank}) {
			t.Errorf("blank input %q: got %+v, %v", blank, got, err)
		}
	}
}

func TestRepliesAreStoredToTheByte(t *testing.T) {
	for _, want := range []Reply{
		{Kind: Patch, Patch: []byte("\xff\x00\r\n"), Text: "\xff\x00\r\n", PromptTokens: 3, ReplyTokens: 4},
		{Kind: Ask, Ask: evidence.Ask{Need: "n", Hypothesis: "h", Subgoal: "s"}, Text: "<&>"},
		{Kind: Nothing},
	} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Reply
		if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v from %s, want %+v", got, err, data, want)
		}
	}
}

const twoEdits = `{"edits":[
 {"path":"x.go","before":"return a","after":"return a + b","otherwise":"return b","needs":["func Sum(a,  b int)","sums both"]},
 {"path":"y.go","before":"","after":"package y\n","needs":["make package y"]}],
 "ask":{"need":"how sums work","hypothesis":"a is alone","subgoal":"find Sum"}}`

var sumBase = map[string]string{"x.go": "package x\n\nfunc Sum(a, b int) int {\n\treturn a\n}\n"}

func simulate(t *testing.T, script, shown string, round, rounds int) (Reply, error) {
	t.Helper()
	return propose(t, "simulated", Request{Input: []byte(script), State: evidence.StateCard{Issue: "sums are wrong"}, Evidence: shown, Round: round,
		Rounds: rounds, ReadFile: reader(sumBase), Prompt: "a prompt of six tokens"})
}

func rendered(texts ...string) string {
	var units []evidence.Unit
	for i, text := range texts {
		units = append(units, evidence.Unit{ID: fmt.Sprintf("u.go#U%d", i), Path: "u.go", StartLine: 1, EndLine: 2, Text: text})
	}
	shown, _, _ := evidence.Render(units, 1<<20, "skip")
	return shown
}

func TestSimulatedReadsWhatItWasShown(t *testing.T) {
	right := "\treturn a + b\n"
	wrong := "\treturn b\n"
	const ask = "ask"
	for _, c := range []struct {
		name, shown   string
		round, rounds int
		want          string // the line that replaces "return a", or ask
		creates       bool
	}{
		{"nothing shown, rounds left", "", 1, 2, ask, false},
		{"nothing shown, last round", "", 2, 2, wrong, false},
		{"one of two phrases", rendered("func Sum(a,\n\tb int)"), 1, 1, wrong, false},
		{"both phrases in one unit, whatever the white space", rendered("func Sum(a,\n\tb   int) // sums\tboth"), 1, 1, right, false},
		{"both phrases in two units, and the other edit's", rendered("func Sum(a, b int)", "it sums both", "make package y"), 1, 3, right, true},
		{"a phrase across two units is not shown", rendered("func Sum(a, b int) sums", "both"), 1, 1, wrong, false},
		{"one edit ready, the other not: it asks", rendered("make package y"), 1, 2, ask, false},
		{"one edit ready, the other not, last round", rendered("make package y"), 2, 2, wrong, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := simulate(t, twoEdits, c.shown, c.round, c.rounds)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == ask {
				want := evidence.Ask{Need: "how sums work", Hypothesis: "a is alone", Subgoal: "find Sum"}
				if got.Kind != Ask || got.Ask != want || got.Patch != nil ||
					got.Text != `{"kind":"ask","need":"how sums work","hypothesis":"a is alone","subgoal":"find Sum"}`+"\n" {
					t.Errorf("got %+v", got)
				}
				return
			}
			files := map[string]string{"x.go": strings.Replace(sumBase["x.go"], "\treturn a\n", c.want, 1)}
			if c.creates {
				files["y.go"] = "package y\n"
			}
			if got.Kind != Patch || got.Ask != (evidence.Ask{}) {
				t.Fatalf("got %+v", got)
			}
			sameFiles(t, applyWithGit(t, sumBase, got.Patch), files)
			var text struct{ Kind, Patch string }
			if err := json.Unmarshal([]byte(got.Text), &text); err != nil || text.Kind != Patch || text.Patch != string(got.Patch) {
				t.Errorf("the text %q does not say the patch", got.Text)
			}
			if got.PromptTokens != evidence.Tokens("a prompt of six tokens") || got.ReplyTokens != evidence.Tokens(got.Text) {
				t.Errorf("%d and %d tokens", got.PromptTokens, got.ReplyTokens)
			}
		})
	}
}

func TestSimulatedDoesNotReadHeaders(t *testing.T) {
	script := `{"edits":[{"path":"x.go","before":"return a","after":"return c","needs":["needle.go#Find"]}]}`
	shown, _, _ := evidence.Render([]evidence.Unit{{ID: "needle.go#Find", Path: "needle.go", StartLine: 1, EndLine: 1, Text: "x"}}, 100, "skip")
	if got, err := simulate(t, script, shown, 1, 1); err != nil || got.Kind != Nothing {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := simulate(t, script, rendered("see needle.go#Find"), 1, 1); err != nil || got.Kind != Patch {
		t.Errorf("in a unit's text: %+v, %v", got, err)
	}
}

func TestSimulatedProposesAtOnceWithoutAsk(t *testing.T) {
	script := `{"edits":[{"path":"x.go","before":"return a","after":"return c","needs":["never shown"]}],"ask":null}`
	got, err := simulate(t, script, "", 1, 3)
	if err != nil || got.Kind != Nothing || got.Patch != nil || got.Text != "{\"kind\":\"nothing\"}\n" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSimulatedCountsItsOwnPromptWhenGivenNone(t *testing.T) {
	r := Request{Input: []byte(twoEdits), State: evidence.StateCard{Issue: "i"}, Round: 1, Rounds: 2, ReadFile: reader(sumBase)}
	got, err := propose(t, "simulated", r)
	if want := evidence.Tokens(Prompt(r.State, "", 1, 2)); err != nil || got.PromptTokens != want {
		t.Errorf("%d tokens, want %d, %v", got.PromptTokens, want, err)
	}
}

func TestSimulatedEditsSeveralPlacesOfOneFile(t *testing.T) {
	base := map[string]string{"x.txt": "one\ntwo\nthree\nfour"}
	script := `{"edits":[
	  {"path":"x.txt","before":"four","after":"4"},
	  {"path":"x.txt","before":"one\n","after":""},
	  {"path":"x.txt","before":"two","after":"2","needs":["not shown"]}]}`
	got, err := propose(t, "simulated", Request{Input: []byte(script), Round: 1, Rounds: 1, ReadFile: reader(base)})
	if err != nil {
		t.Fatal(err)
	}
	sameFiles(t, applyWithGit(t, base, got.Patch), map[string]string{"x.txt": "two\nthree\n4"})
}

func TestSimulatedRefusesScripts(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"nothing", ``, "it ends before its JSON object does"},
		{"a broken document, with its place", "{\"edits\":\n [x]}", "line 2, column 3: invalid character 'x'"},
		{"what follows", `{"edits":[]} 1`, "something follows the JSON object"},
		{"an unknown field", `{"edit":[]}`, `unknown field "edit"`},
		{"an unknown field of an edit", `{"edits":[{"path":"x.go","befor":"a"}]}`, `edits[0]: unknown field "befor"`},
		{"no edits", `{"edits":[]}`, "edits: expected at least one edit"},
		{"a path that leaves", `{"edits":[{"path":"../x","before":"a","after":"b"}]}`, `edits[0].path: "../x" is not a clean relative path`},
		{"an absolute path", `{"edits":[{"path":"/x","before":"a","after":"b"}]}`, "is not a clean relative path"},
		{"a path with another system's slashes", `{"edits":[{"path":"a\\b","before":"a","after":"b"}]}`, "is not a clean relative path"},
		{"a path with a line feed", `{"edits":[{"path":"a\nb","before":"a","after":"b"}]}`, "has control characters"},
		{"a path into git", `{"edits":[{"path":"a/.GIT/config","before":"a","after":"b"}]}`, "is inside a .git folder"},
		{"no path", `{"edits":[{"before":"a","after":"b"}]}`, "edits[0].path: \"\" is empty"},
		{"nothing to do", `{"edits":[{"path":"x.go"}]}`, "edits[0]: before and after are both empty"},
		{"no change", `{"edits":[{"path":"x.go","before":"a","after":"a"}]}`, "edits[0]: before and after are the same"},
		{"an empty phrase", `{"edits":[{"path":"x.go","before":"a","after":"b","needs":["a"," "]}]}`, "edits[0].needs[1]: expected a phrase"},
		{"an ask without a need", `{"edits":[{"path":"x.go","before":"a","after":"b"}],"ask":{"subgoal":"s"}}`, "ask.need: expected an information need"},
		{"an ask of another form", `{"edits":[{"path":"x.go","before":"a","after":"b"}],"ask":"more"}`, "ask: cannot unmarshal string"},
		{"too much", `{"edits":"` + strings.Repeat("x", maxScript) + `"}`, "at most 4194304 are read"},
		{"not UTF-8", "{\"edits\":\"\xff\"}", "it is not UTF-8"},
		{"a file that is not there", `{"edits":[{"path":"q.go","before":"a","after":"b"}]}`, "edits[0]: q.go does not exist at the base commit"},
		{"a file that is there already", `{"edits":[{"path":"x.go","before":"","after":"b"}]}`, "edits[0]: before is empty, which creates a file, but x.go exists"},
		{"a file created twice", `{"edits":[{"path":"q.go","after":"a"},{"path":"q.go","after":"b"}]}`, "edits[1]: edits[0] creates q.go already"},
		{"a text that is not there", `{"edits":[{"path":"x.go","before":"zzz","after":"b"}]}`, `edits[0]: before ("zzz") does not occur in x.go`},
		{"a text that is there twice", `{"edits":[{"path":"x.go","before":"int","after":"b"}]}`, `edits[0]: before ("int") occurs more than once in x.go`},
		{"a text that is left alone is looked up too", `{"edits":[{"path":"x.go","before":"zzz","after":"b","needs":["never"]}]}`, "does not occur in x.go"},
		{"two edits of one place", `{"edits":[{"path":"x.go","before":"return a","after":"b"},{"path":"x.go","before":"turn a\n","after":"b"}]}`, "edits[1]: its before overlaps that of edits[0] in x.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := simulate(t, c.script, "", 1, 1)
			if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if !reflect.DeepEqual(got, Reply{}) {
				t.Errorf("a reply came with the error: %+v", got)
			}
		})
	}
}

func TestSimulatedReportsEveryFault(t *testing.T) {
	_, err := simulate(t, `{"edits":[{"path":"/a"},{"path":"x.go","bad":1},{"path":"x.go","before":"a","after":"b","needs":[""]}],"ask":{"need":""}}`, "", 1, 1)
	for _, want := range []string{"edits[0].path", "edits[0]: before and after", `edits[1]: unknown field "bad"`, "edits[2].needs[0]", "ask.need"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
	_, err = simulate(t, `{"edits":[{"path":"q.go","before":"a","after":"b"},{"path":"x.go","before":"zzz","after":"b"}]}`, "", 1, 1)
	for _, want := range []string{"edits[0]: q.go does not exist", "edits[1]: before"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
}

func TestSimulatedTellsTheMachinesFaultsApart(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := propose(t, "simulated", Request{Input: []byte(twoEdits), Round: 2, Rounds: 2, ReadFile: func(string) ([]byte, error) { return nil, broken }})
	if !errors.Is(err, broken) || errors.Is(err, ErrInput) {
		t.Errorf("got %v", err)
	}
	folder := fmt.Errorf("x.go is a folder: %w", fs.ErrInvalid)
	_, err = propose(t, "simulated", Request{Input: []byte(twoEdits), Round: 2, Rounds: 2, ReadFile: func(string) ([]byte, error) { return nil, folder }})
	if !errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "edits[0]: x.go is a folder") {
		t.Errorf("an edit of a folder: %v", err)
	}
	if _, err := propose(t, "simulated", Request{Input: []byte(twoEdits), Round: 2, Rounds: 2}); err == nil || errors.Is(err, ErrInput) {
		t.Errorf("without ReadFile: %v", err)
	}
}

func FuzzSimulated(f *testing.F) {
	f.Add([]byte(twoEdits), "func Sum(a, b int) sums both")
	f.Add([]byte(`{"edits":[{"path":"x.go","before":"a","after":"","otherwise":"c","needs":["\u0000"]}]}`), "=== \n\x00")
	f.Fuzz(func(t *testing.T, script []byte, shown string) {
		got, err := simulated{}.Propose(t.Context(), Request{Input: script, Evidence: shown, Round: 1, Rounds: 2, ReadFile: reader(sumBase)})
		if script != nil && err != nil && !errors.Is(err, ErrInput) {
			t.Fatalf("not the input's fault: %v", err)
		}
		if (got.Kind == Patch) != (len(got.Patch) > 0) || got.Kind == Patch && !bytes.HasPrefix(got.Patch, []byte("diff --git ")) {
			t.Fatalf("got %+v", got)
		}
	})
}
