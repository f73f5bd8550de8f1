package datasets_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evlab/datasets"
	"evlab/experiments"
)

// everything is each file and folder below dir.
func everything(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		all = append(all, strings.TrimPrefix(p, dir))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func gzipped(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// moved is the usual fix and its tests with other names of files.
func moved(to string) string {
	return "diff --git a/" + to + " b/" + to + "\n--- a/" + to + "\n+++ b/" + to + "\n@@ -1 +1 @@\n-a\n+b\n"
}

// TestHostileDatasets: each of these is refused with its place and what is wrong, the good row beside it is taken, and nothing is
// written but the cohort's folder.
func TestHostileDatasets(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	good := lines(t, pyRow("good", nil))
	for name, c := range map[string]struct {
		file, text string
		at, want   string // of the one refusal
	}{
		"a repair above the repository":     {"d.jsonl", good + lines(t, pyRow("a", row{"patch": moved("../../etc/cron.d/x.py")})), "d.jsonl:2", `its reference repair changes "../../etc/cron.d/x.py", which is not in the repository`},
		"a test at the root of the machine": {"d.jsonl", good + lines(t, pyRow("a", row{"test_patch": "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ /etc/passwd.py\n@@ -0,0 +1 @@\n+x\n"})), "d.jsonl:2", "which is not in the repository"},
		"a hook of git's":                   {"d.jsonl", good + lines(t, pyRow("a", row{"patch": moved(".Git/hooks/post-checkout") + pyFix})), "d.jsonl:2", `changes ".Git/hooks/post-checkout"`},
		"an id with a slash":                {"d.jsonl", good + lines(t, pyRow("a/b", nil)), "d.jsonl:2", `the task name "a/b"`},
		"an id above the cohort":            {"d.jsonl", good + lines(t, pyRow("../../../tmp/x", nil)), "d.jsonl:2", `the task name "../../../tmp/x"`},
		"an id of a Windows path":           {"d.jsonl", good + lines(t, pyRow(`..\x`, nil)), "d.jsonl:2", "the task name"},
		"an id with a NUL":                  {"d.jsonl", good + lines(t, pyRow("a\x00", nil)), "d.jsonl:2", `the task name "a\x00"`},
		"an id that colours":                {"d.jsonl", good + lines(t, pyRow("\x1b[2Ja", nil)), "d.jsonl:2", `the task name "\x1b[2Ja"`},
		"an id that looks like another":     {"d.jsonl", good + lines(t, pyRow("gооd", nil)), "d.jsonl:2", "characters other than letters"},
		"an id in another normal form":      {"d.jsonl", good + lines(t, pyRow("goo\u0308d", nil)), "d.jsonl:2", "characters other than letters"},
		"an id in other case":               {"d.jsonl", good + lines(t, pyRow("GOOD", nil)), "d.jsonl:2", `the id "GOOD" and "good", at d.jsonl:1, would be one file`},
		"an id with a dot":                  {"d.jsonl", good + lines(t, pyRow("good.", nil)), "d.jsonl:2", `the id "good." and "good", at d.jsonl:1`},
		"an id of 300 letters":              {"d.jsonl", good + lines(t, pyRow(strings.Repeat("a", 300), nil)), "d.jsonl:2", "has 300 bytes"},
		"a field of 10 MB":                  {"d.jsonl", good + lines(t, pyRow("a", row{"problem_statement": strings.Repeat("x", 10<<20)})), "d.jsonl:2", "field problem_statement has 10485760 bytes"},
		"a patch of 20 MB":                  {"d.jsonl", good + lines(t, pyRow("a", row{"patch": strings.Repeat("x", 20<<20)})), "d.jsonl:2", "field patch has 20971520 bytes"},
		"a line of 51 MB":                   {"d.jsonl", good + `{"a":"` + strings.Repeat("x", 51<<20) + "\"}\n", "d.jsonl:2", "the line has more than"},
		"JSON 100,000 deep":                 {"d.jsonl", good + `{"instance_id":` + deep + "}\n", "d.jsonl:2", "exceeded max depth"},
		"JSON 100,000 deep in a text":       {"d.jsonl", good + lines(t, pyRow("a", row{"FAIL_TO_PASS": deep})), "d.jsonl:2", "field FAIL_TO_PASS"},
		"a key given twice":                 {"d.jsonl", good + `{"instance_id":"a","instance_id":"b"}` + "\n", "d.jsonl:2", "the field is given twice"},
		"NaN, as Python writes it":          {"d.jsonl", good + strings.Replace(lines(t, pyRow("a", nil)), "{", `{"version_x":NaN,`, 1), "d.jsonl:2", "invalid character 'N'"},
		"half of a pair":                    {"d.jsonl", good + strings.Replace(lines(t, pyRow("XX", nil)), "XX", `a\ud800`, 1), "d.jsonl:2", "half a surrogate pair"},
		"no UTF-8":                          {"d.jsonl", good + "{\"instance_id\":\"\xff\"}\n", "d.jsonl:2", "byte 0xff is not UTF-8"},
		"a name of a test over two lines":   {"d.jsonl", good + lines(t, pyRow("a", row{"PASS_TO_PASS": []string{"a\nb"}})), "d.jsonl:2", "control character"},
		"a line that a quote never ends":    {"d.csv", "repository,base,fix,id,issue,test\no/n," + sha + ",\"" + moved("f.go") + "\",good,It is 1,make\no/n,\"\n\n", "d.csv:9", "a quote never closes"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "in", c.file)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := datasets.Import(context.Background(), file, datasets.ImportOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(m.Tasks) != 1 || m.Tasks[0].ID != "good" || len(m.Refused) != 1 || m.Refused[0].At != c.at {
			t.Errorf("%s: %d tasks, refused %.400v", name, len(m.Tasks), m.Refused)
			continue
		}
		if got := m.Refused[0].Error(); !strings.Contains(got, c.want) || len(got) > 2000 || strings.ContainsAny(got, "\x00\x1b\n") {
			t.Errorf("%s: refused with %.300q, want %q", name, got, c.want)
		}
		if _, _, err := m.Write(filepath.Join(dir, "out")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, p := range everything(t, dir) {
			if p != "" && p != "/in" && p != "/in/"+c.file && p != "/out" && !strings.HasPrefix(p, "/out/") {
				t.Errorf("%s: %s was written", name, p)
			}
		}
	}
	for want, text := range map[string]string{"it is compressed; unpack it first": gzipped(t, 64<<20), "reading Parquet": "PAR1" + strings.Repeat("\xff", 100) + "PAR1"} {
		file := saved(t, "d.jsonl", text)
		if _, err := datasets.Import(context.Background(), file, datasets.ImportOptions{}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "d.jsonl") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestOddButWhole: what other programs write, and nobody should have to repair.
func TestOddButWhole(t *testing.T) {
	both := lines(t, pyRow("a", nil), pyRow("b", nil))
	for name, text := range map[string]string{
		"a byte order mark and CR LF": "\xef\xbb\xbf" + strings.ReplaceAll(both, "\n", "\r\n"),
		"no end of the last line":     strings.TrimSuffix(both, "\n"),
		"blank lines":                 "\n\n" + both + " \t\r\n",
		"names in Latin-1 and quotes": lines(t, pyRow("a", row{"patch": strings.ReplaceAll(pyFix, "f.py", "caf\\351 b.py")})) + strings.ReplaceAll(lines(t, pyRow("b", row{"patch": strings.ReplaceAll(pyFix, "f.py", "cafXX.py")})), "XX", `\udce9`),
		"fields that nobody knows":    strings.ReplaceAll(both, "{", `{"numbers":[1e400,-0.0],"deep":[[[[]]]],`),
	} {
		if m := imported(t, saved(t, "d.jsonl", text), datasets.ImportOptions{}); len(m.Tasks) != 2 || len(m.Refused) > 0 {
			t.Errorf("%s: %d tasks, refused %v", name, len(m.Tasks), m.Refused)
		}
	}
}

// TestNoHalfCohorts: a cohort that can't be written whole is not there, nor anything of it.
func TestNoHalfCohorts(t *testing.T) {
	taken := imported(t, saved(t, "d.jsonl", lines(t, pyRow("a", nil), pyRow("b", nil))), datasets.ImportOptions{})
	for name, id := range map[string]string{"above it": "../../x", "at the root": "/etc/x", "too long a name": strings.Repeat("x", 5000), "a NUL": "a\x00b"} {
		dir := t.TempDir()
		m := *taken
		m.Tasks = append(slices.Clone(taken.Tasks), datasets.ImportedTask{Task: experiments.Task{ID: id}})
		if _, _, err := m.Write(filepath.Join(dir, "out", "mine")); err == nil || !strings.Contains(err.Error(), "writing cohort") {
			t.Errorf("%s: %v", name, err)
		}
		if left := everything(t, dir); !slices.Equal(left, []string{"", "/out"}) {
			t.Errorf("%s: left behind: %q", name, left)
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "mine")
	if err := os.WriteFile(file, []byte("a file of somebody's"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := taken.Write(file); err == nil {
		t.Error("a file was replaced")
	}
	if left := everything(t, dir); !slices.Equal(left, []string{"", "/mine"}) {
		t.Errorf("left behind: %q", left)
	}
}

// TestOneFileForEachTask: every reader of ids refuses two that would be one file where case does not count.
func TestOneFileForEachTask(t *testing.T) {
	mirrors := t.TempDir()
	file := saved(t, "d.jsonl", lines(t, pyRow("Ab", nil), pyRow("aB", nil)))
	_, err := datasets.ReadSWEBench(context.Background(), file, in(mirrors), "")
	says(t, "rows", err, `:2: the id "aB" and "Ab", at line 1, would be one file`)
	_, err = datasets.ReadFolder(context.Background(), cohort(t, map[string]string{"cohort.json": `{"schema":"evlab-cohort-v1","name":"n","language":"go","tasks":["t1","T1"]}`}), "c", t.TempDir(), false)
	says(t, "a folder", err, `tasks: "t1" and "T1" would be one file`)
	out := filepath.Join(t.TempDir(), "out")
	if _, _, err := imported(t, saved(t, "e.jsonl", lines(t, pyRow("Ab", nil))), datasets.ImportOptions{}).Write(out); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(out, "cohort.json")
	data, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, bytes.Replace(data, []byte(`"Ab"`), []byte(`"Ab","aB"`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = datasets.ReadImported(context.Background(), out, in(mirrors))
	says(t, "an imported folder", err, `"aB" is no task id, or given twice`)
}

// TestHostilePredictions: a predictions file is refused with the line, whatever is on it.
func TestHostilePredictions(t *testing.T) {
	good := `{"instance_id":"a","model_name_or_path":"m","model_patch":"x"}` + "\n"
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for name, c := range map[string]struct{ text, want string }{
		"a line of 257 MB":        {good + `{"instance_id":"` + strings.Repeat("x", 257<<20) + "\"}\n", ":2: the line has more than"},
		"an id of 10 MB":          {good + `{"instance_id":"` + strings.Repeat("x", 10<<20) + "\",\"model_patch\":\"\"}\n", ":2: the task name"},
		"an id above the run":     {good + `{"instance_id":"../../x","model_name_or_path":"m","model_patch":""}` + "\n", `:2: the task name "../../x"`},
		"an id with a NUL":        {good + `{"instance_id":"a\u0000","model_name_or_path":"m","model_patch":""}` + "\n", `:2: the task name "a\x00"`},
		"JSON 100,000 deep":       {good + `{"instance_id":"b","model_name_or_path":"m","model_patch":` + deep + "}\n", ":2: "},
		"a document of that":      {deep, ":1:"},
		"NaN, as Python has it":   {good + `{"instance_id":"b","model_name_or_path":"m","model_patch":"","cost":NaN}` + "\n", ":2: column"},
		"a key given twice":       {good + `{"instance_id":"b","instance_id":"c","model_patch":""}` + "\n", `:2: field "instance_id" is given twice`},
		"bytes that are packed":   {gzipped(t, 64<<20), ": it is compressed; unpack it first"},
		"a model's name of 2 kB":  {good + `{"instance_id":"b","model_name_or_path":"` + strings.Repeat("m", 2<<10) + "\",\"model_patch\":\"\"}\n", ":2: field model_name_or_path has 2048 bytes"},
		"two ids":                 {good + `{"instance_id":"b","org":"o","repo":"n","number":7,"model_name_or_path":"m","model_patch":""}` + "\n", `:2: fields instance_id ("b") and org, repo, number ("o__n-7") differ`},
		"a model that forges":     {`{"instance_id":"b","model_name_or_path":"x\nhint: y","model_patch":""}` + "\n", `there are rows of "x\nhint: y"`},
		"rows of nothing at all":  {strings.Repeat("\n", 1<<20), "it has no rows"},
		"a list that never stops": {"[" + strings.Repeat(strings.TrimSpace(good)+",", 3), "reading JSON"},
	} {
		_, err := datasets.ReadPredictions(saved(t, "p.jsonl", c.text), "m")
		if err == nil || !strings.Contains(err.Error(), "p.jsonl") || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 4000 {
			t.Errorf("%s: got %.400v, want %q", name, err, c.want)
		}
	}
}
