package evaluation

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evlab/artifacts"
	"evlab/datasets"
	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox/testlog"
)

// TestLoosenedPatchesAreTestedAsTheOtherHarnessWould: patches that are refused here and taken there come out as predictions
// that apply, and what a run of those says is the rule's verdict, whatever evlab's stays.
func TestLoosenedPatchesAreTestedAsTheOtherHarnessWould(t *testing.T) {
	if _, err := exec.LookPath("patch"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("GNU patch is not installed")
	}
	ctx := context.Background()
	folder, err := artifacts.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	source := filepath.Join(t.TempDir(), "source.git")
	heads, err := repos.BuildHistory(ctx, source, []repos.Commit{{Author: "A <a@x.org>", Date: time.Unix(1e9, 0), Message: "base\n", Files: []repos.File{{Path: "f.go", Mode: "100644", Content: []byte("a\nb\nc\nd\xff\ne\nf\ng\n")}}}})
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := repos.Snapshot(ctx, folder.Mirrors(), source, heads[0])
	if err != nil {
		t.Fatal(err)
	}
	c := &experiments.Contract{
		Tasks:        []experiments.FrozenTask{{ID: "t", Recipe: "go", BaseCommit: heads[0], Mirror: filepath.Base(mirror.Dir())}},
		Environments: map[string]experiments.Environment{"go": {Name: "go", Report: testlog.GoTestJSON}},
	}
	put := func(text string) experiments.Digest {
		d, err := folder.Public.Put(ctx, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	refused := func(model, file, patch string) Line {
		return Line{Task: "t", Model: model, file: file, Verdict: experiments.ApplyFailed, Reason: "it does not apply",
			record: &experiments.Record{Verdict: experiments.ApplyFailed, Patch: put(patch)}}
	}
	fuzzy := "--- a/f.go\n+++ b/f.go\n@@ -1,7 +1,7 @@\n other\n b\n c\n-d\xff\n+D\xff\n e\n f\n g\n"
	lines := []Line{
		refused("m", "/a.jsonl", fuzzy), refused("m", "/b.jsonl", fuzzy), refused("infra", "/a.jsonl", fuzzy),
		refused("hopeless", "/a.jsonl", "--- a/f.go\n+++ b/f.go\n@@ -1 +1 @@\n-nowhere\n+x\n"),
		{Task: "t", Model: "other", Verdict: experiments.Empty},
	}
	files, err := Loosen(ctx, folder, c, lines, "swebench", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 || filepath.Base(files[0]) != "as-swebench-applies-1.jsonl" {
		t.Fatalf("it wrote %q", files)
	}
	patches, err := datasets.ReadPredictions(files[0], "m")
	if err != nil {
		t.Fatal(err)
	}
	applied, err := mirror.Apply(ctx, heads[0], patches["t"])
	if err != nil || applied.Outcome != repos.OutcomeApplied {
		t.Fatalf("what it wrote: %+v, %v", applied, err)
	}
	if got, err := mirror.ReadFile(ctx, applied.Tree, "f.go"); err != nil || !bytes.Equal(got, []byte("a\nb\nc\nD\xff\ne\nf\ng\n")) {
		t.Errorf("the tree has %q, %v", got, err)
	}
	log := put("{\"Action\":\"start\",\"Package\":\"x.org/p\"}\n{\"Action\":\"run\",\"Package\":\"x.org/p\",\"Test\":\"TestA\"}\n" +
		"{\"Action\":\"pass\",\"Package\":\"x.org/p\",\"Test\":\"TestA\"}\n{\"Action\":\"pass\",\"Package\":\"x.org/p\"}\n")
	grade := func(model, file, test string) Line {
		return Line{Task: "t", Model: model, file: file, Verdict: experiments.Resolved, record: &experiments.Record{
			Verdict: experiments.Resolved, Commands: []experiments.Command{{Phase: experiments.FailToPass, Log: log}, {Phase: experiments.PassToPass}},
			Tests: []experiments.TestResult{{Phase: experiments.FailToPass, Name: "x.org/p::" + test}},
		}}
	}
	graded := []Line{grade("m", files[0], "TestA"), grade("m", files[1], "TestGone"), {Task: "t", Model: "infra", file: files[0], Verdict: experiments.Infra, Reason: "no disk"}}
	Graded(lines, graded, "second")
	if err := Reread(ctx, folder.Public, c, lines, "swebench"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		Compat
		why string
	}{
		{Compat{Resolved: true, Differs: true, Applies: "patch --batch --fuzz=5, with fuzz", Run: "second"}, "evlab: it does not apply"},
		{Compat{Applies: "patch --batch --fuzz=5, with fuzz", Run: "second"}, "TestGone: missing"},
		{Compat{Applies: "patch --batch --fuzz=5, with fuzz", Run: "second"}, "not tested: no disk"},
		{Compat{}, "refuses it, too"},
		{Compat{}, ""},
	} {
		got := *lines[i].Compat
		if !strings.Contains(got.Why, want.why) || want.why == "" && got.Why != "" {
			t.Errorf("line %d: %q, want %q", i, got.Why, want.why)
		}
		got.Why = ""
		if want.Rule = "swebench"; got != want.Compat {
			t.Errorf("line %d: %+v, want %+v", i, got, want.Compat)
		}
		if v := lines[i].Verdict; v != experiments.ApplyFailed && v != experiments.Empty {
			t.Errorf("line %d: evlab's verdict became %s", i, v)
		}
	}
	if total := Count("r", lines); total.Differ != 1 || total.Looser != 3 {
		t.Errorf("%+v", total)
	}
}

// TestRulesHaveTheirWay: a patch with a hunk that fits nowhere, by what each harness tests of it.
func TestRulesHaveTheirWay(t *testing.T) {
	for name, way := range map[string]repos.Way{"swebench": repos.Fuzzy, "smith": repos.Fuzzy, "live": repos.Parts, "pro": repos.Ignored, "rebench": repos.ThreeWay, "multi": repos.Whole} {
		if Rules[name].way != way {
			t.Errorf("%s applies by %q", name, Rules[name].way)
		}
	}
	if len(Rules) != 6 {
		t.Error("a rule has no way here")
	}
}
