package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"evlab/evidence"
	"evlab/sandbox/testlog"
)

// rowFormat is a kind of dataset whose tasks are rows.
type rowFormat struct {
	name string
	doc  string
	is   func(o object) bool // by the fields that only this kind has
	read func(f *fields, opts ImportOptions) ImportedTask
}

func has(o object, keys ...string) bool {
	for _, key := range keys {
		if _, there := o[key]; !there {
			return false
		}
	}
	return true
}

// rowFormats are tried in this order: a later one has no field that an earlier one lacks.
var rowFormats = []rowFormat{
	{"multi-swe-bench", "Multi-SWE-bench: full, mini, flash, RL", func(o object) bool { return has(o, "org", "number", "fix_patch") }, readMulti},
	{"pro", "SWE-bench Pro", func(o object) bool { return has(o, "dockerhub_tag") || has(o, "before_repo_set_cmd") }, readPro},
	{"live-multilang", "SWE-bench-Live: MultiLang and Windows", func(o object) bool { return has(o, "print_cmds") || has(o, "rebuild_cmds") }, readLive},
	{"live", "SWE-bench-Live: Python", func(o object) bool { return has(o, "test_cmds") }, readLive},
	{"rebench", "SWE-rebench v1 and V2", func(o object) bool { return has(o, "install_config") }, readRebench},
	{"swebench-v5", "SWE-bench of 2026, rows with their scripts", func(o object) bool { return has(o, "eval_script", "image") }, readSWEBenchRow},
	{"smith", "SWE-smith: the fix is the reverse of the patch", func(o object) bool { return has(o, "image_name", "patch") && !has(o, "test_patch") }, readSmith},
	{"swebench", "SWE-bench: Full, Lite, Verified, Multilingual, Multimodal", func(o object) bool { return has(o, "instance_id", "patch", "base_commit") }, readSWEBenchRow},
	{"serbench", "SERBench-like states with their certificates", func(o object) bool { return has(o, "state_id") }, readSERBench},
	{"table", "a table of repository, base, fix and test command", isTable, readTable},
}

// Formats lists the formats by name, with what each is.
func Formats() (names, docs []string) {
	for _, f := range rowFormats {
		names, docs = append(names, f.name), append(docs, f.doc)
	}
	names = append(names, "taskrepo", "cohort")
	docs = append(docs, "SWE-bench of 2026, a folder of tasks", "an evlab cohort folder")
	return names, docs
}

var errNoFormat = errors.New("its fields are those of no dataset that evlab reads; --format insists on one, and evlab help import lists them")

// formatOf finds the format of a row.
func formatOf(o object, insisted string) (rowFormat, error) {
	for _, f := range rowFormats {
		if insisted == f.name || insisted == "" && f.is(o) {
			return f, nil
		}
	}
	if insisted != "" {
		return rowFormat{}, fmt.Errorf("%q is no format of rows", insisted)
	}
	return rowFormat{}, errNoFormat
}

// common reads what nearly all kinds of rows have in common.
func common(f *fields) (t ImportedTask) {
	t.ID = f.required("instance_id")
	t.Repo, t.BaseCommit = f.required("repo"), f.required("base_commit")
	t.State = evidence.StateCard{Issue: f.required("problem_statement")}
	t.CreatedAt = createdAt(f.object["created_at"])
	t.Language = f.languageOf("language", "repo_language")
	t.Private.Reference, t.Private.Tests.Patch = f.patch("patch"), f.patch("test_patch")
	f.lists(&t)
	return t
}

// lists reads a task's lists of tests, in either spelling of their names.
func (f *fields) lists(t *ImportedTask) {
	t.Private.Tests.FailToPass, t.Private.Tests.PassToPass = f.tests("FAIL_TO_PASS", "fail_to_pass"), f.tests("PASS_TO_PASS", "pass_to_pass")
	t.Private.Tests.PassToPassComplete = true
}

// readSWEBenchRow reads the rows of SWE-bench and its kin.
func readSWEBenchRow(f *fields, _ ImportOptions) ImportedTask {
	t := common(f)
	if !f.has("FAIL_TO_PASS") && !f.has("fail_to_pass") {
		f.missing("FAIL_TO_PASS")
	}
	for key, list := range map[string]*[]string{"FAIL_TO_PASS_QUALIFIED": &t.Private.Tests.FailToPass, "PASS_TO_PASS_QUALIFIED": &t.Private.Tests.PassToPass} {
		if f.has(key) && len(f.errs) == 0 {
			full, err := qualified(*list, f.object[key])
			if err != nil {
				f.fault("field %s: %w", key, err)
			}
			*list = full
		}
	}
	s := &t.Setting
	s.Rule, s.Workdir, s.Platform = RuleSWEBench, "/testbed", "linux/amd64"
	s.Version, s.SetupCommit = f.scalar("version"), f.optional("environment_setup_commit")
	if s.SetupCommit == t.BaseCommit {
		s.SetupCommit = ""
	}
	s.Script, s.Grammar = f.optional("eval_script"), f.optional("log_parser")
	s.FailOnly = f.optional("eval_type") == "fail_only" || failOnly[t.Repo]
	if s.Image = f.optional("image"); s.Image == "" {
		s.Image = swebenchImage("swebench", t.ID)
	}
	if s.Grammar == "" {
		s.Grammar = swebenchParsers[t.Repo]
	}
	s.Grammar = swebenchParser(s.Grammar, t.ID, s.Version)
	if s.Script == "" {
		s.addCommand(t.Repo, t.Private.Tests.Patch)
	}
	if s.Grammar == "" && (t.Language == "" || t.Language == "python") && guessLanguage(t.Private.Tests.Patch) == "python" {
		s.Grammar = "parse_log_pytest"
	}
	return t
}

// swebenchImage is the name under which images of SWE-bench and its kin are published: registries refuse "__".
func swebenchImage(namespace, id string) string {
	return strings.ToLower(namespace + "/sweb.eval.x86_64." + strings.ReplaceAll(id, "__", "_1776_") + ":latest")
}

// readLive reads SWE-bench-Live: Python, MultiLang and Windows.
func readLive(f *fields, _ ImportOptions) ImportedTask {
	t := common(f)
	s := &t.Setting
	s.Rule, s.Workdir, s.Platform = RuleLive, "/testbed", "linux/amd64"
	if s.Image = f.optional("docker_image"); s.Image == "" {
		s.Image = strings.TrimSuffix(swebenchImage("starryzhang", t.ID), ":latest")
	}
	if strings.Contains(s.Image, "sweb.eval.win.") {
		s.Workdir, s.Platform = `C:\testbed`, "windows/amd64"
	}
	s.Prepare, s.Tests, s.Print = f.lines("rebuild_cmds"), f.lines("test_cmds"), f.lines("print_cmds")
	if len(s.Tests) == 0 {
		f.fault("field test_cmds is missing or empty")
	}
	switch parser := f.first("log_parser", "parser"); {
	case parser == "pytest":
		s.Grammar = "live_pytest"
		if t.Language == "" {
			t.Language = "python"
		}
	case parser == "":
		f.missing("log_parser")
	default:
		s.Parser = parser
	}
	return t
}

// MultiScript is what Multi-SWE-bench's harness runs in an image: it applies the hidden tests and a repair, and runs the tests.
const MultiScript = "bash /home/fix-run.sh"

// readMulti reads Multi-SWE-bench. Its lists of tests are maps from a name to what became of it in three runs.
func readMulti(f *fields, _ ImportOptions) (t ImportedTask) {
	org, repo, number := f.required("org"), f.required("repo"), f.scalar("number")
	t.Repo = org + "/" + repo
	if t.ID = f.optional("instance_id"); t.ID == "" {
		t.ID = org + "__" + repo + "-" + number
	}
	if base := f.nested("base"); base != nil {
		t.BaseCommit = base.required("sha")
		f.adopt("base", base)
	} else {
		f.missing("base")
	}
	t.State = evidence.StateCard{Issue: multiIssue(f)}
	t.CreatedAt = createdAt(f.object["created_at"])
	t.Language = f.languageOf("lang", "language")
	t.Private.Reference, t.Private.Tests.Patch = f.patch("fix_patch"), f.patch("test_patch")
	for _, key := range []string{"f2p_tests", "s2p_tests", "n2p_tests"} {
		t.Private.Tests.FailToPass = append(t.Private.Tests.FailToPass, multiTests(f, key)...)
	}
	t.Private.Tests.PassToPass = multiTests(f, "p2p_tests")
	t.Private.Tests.PassToPassComplete = true
	t.Setting = Setting{
		Rule: RuleMulti, Platform: "linux/amd64", Workdir: "/home/" + repo, Tests: []string{MultiScript},
		Image: strings.ToLower(fmt.Sprintf("mswebench/%s_m_%s:pr-%s", org, repo, number)),
	}
	if t.Language == "python" {
		t.Setting.Workdir = "/testbed" // its images are made from those of SWE-bench
	}
	t.Setting.Grammar = multiGrammar(t.Repo, number, f.optional("number_interval"), f.optional("tag"))
	return t
}

// multiIssue is the text of the issues that a pull request resolved, or its own where it names none.
func multiIssue(f *fields) string {
	var b strings.Builder
	for i, raw := range f.elements("resolved_issues") {
		o, err := parseObject(raw)
		if err != nil {
			f.fault("field resolved_issues: element %d: %w", i, err)
			continue
		}
		issue := &fields{object: o}
		fmt.Fprintf(&b, "%s\n%s\n", issue.optional("title"), issue.optional("body"))
		f.adopt(fmt.Sprintf("resolved_issues[%d]", i), issue)
	}
	if b.Len() == 0 {
		return strings.TrimSpace(f.optional("title") + "\n" + f.optional("body"))
	}
	return b.String()
}

// multiTests are the names of one of the maps, in their order.
func multiTests(f *fields, key string) (names []string) {
	if !f.has(key) {
		return nil
	}
	keys, err := objectKeys(f.object[key])
	if err != nil {
		f.fault("field %s: %w", key, err)
		return nil
	}
	for _, name := range keys {
		if err := checkTestName(name); err != nil {
			f.fault("field %s: %w", key, err)
			return nil
		}
		names = append(names, name)
	}
	return names
}

// readPro reads SWE-bench Pro. Its scripts and parsers are files of another repository (ImportOptions.Scripts).
func readPro(f *fields, opts ImportOptions) ImportedTask {
	t := common(f)
	for _, key := range []string{"requirements", "interface"} { // the task's statement is all three
		if more := f.optional(key); strings.TrimSpace(more) != "" {
			t.State.Issue += "\n\n" + more
		}
	}
	s := &t.Setting
	s.Rule, s.Workdir, s.Platform = RulePro, "/app", "linux/amd64"
	tag := f.optional("dockerhub_tag")
	if tag == "" {
		tag = proTag(t.Repo, t.ID)
	}
	s.Image = "jefzda/sweap-images:" + tag
	s.TestFiles = f.list("selected_test_files_to_run")
	if commands := strings.Split(strings.TrimSpace(f.optional("before_repo_set_cmd")), "\n"); commands[0] != "" {
		s.Prepare = commands[len(commands)-1:] // the harness runs the last line alone
	}
	s.Script, s.Parser = opts.proScripts(t.ID, f)
	return t
}

// proTag is the tag of an image whose row does not say it.
func proTag(repo, id string) string {
	owner, name, _ := strings.Cut(strings.ToLower(repo), "/")
	rest := strings.TrimPrefix(id, "instance_")
	const kept = "ec0f940ef0e8e3b61078f145f34dc40d1938e6c5-vnan"
	if owner == "element-hq" && name == "element-web" && !strings.HasSuffix(id, kept) {
		name = "element"
	}
	if !strings.HasSuffix(id, kept) {
		rest = strings.TrimSuffix(rest, "-vnan")
	}
	tag := owner + "." + name + "-" + rest
	return tag[:min(len(tag), 128)]
}

// readRebench reads SWE-rebench: v1 has its test command as a text, V2 as a list.
func readRebench(f *fields, _ ImportOptions) ImportedTask {
	t := common(f)
	s := &t.Setting
	s.Rule, s.Workdir, s.Platform = RuleRebench, "/testbed", "linux/amd64"
	s.Image = cmp.Or(f.optional("image_name"), f.optional("docker_image"))
	s.Version = f.scalar("version")
	config := f.nested("install_config")
	if config == nil {
		return t
	}
	s.Grammar = config.optional("log_parser")
	s.Tests = config.lines("test_cmd")
	if raw := config.object["test_cmd"]; len(raw) > 0 && raw[0] == '[' {
		_, name, _ := strings.Cut(t.Repo, "/")
		s.Workdir = "/" + name
		if _, err := testlog.Find(s.Grammar + "@rebench"); err == nil { // its own version of a parser that SWE-bench has, too
			s.Grammar += "@rebench"
		}
	} else {
		s.Rule = RuleSWEBench // v1 is run by a fork of SWE-bench's harness
		s.TestFiles = directives(t.Private.Tests.Patch)
		if s.Image == "" {
			s.Image = swebenchImage("swerebench", t.ID)
		}
		if t.Language == "" {
			t.Language = "python"
		}
	}
	f.adopt("install_config", config)
	return t
}

// readSmith reads SWE-smith, whose patch makes the bug.
func readSmith(f *fields, _ ImportOptions) ImportedTask {
	t := common(f)
	if fix, err := ReversePatch(t.Private.Reference); err != nil {
		f.fault("field patch: %w", err)
	} else {
		t.Private.Reference = fix
	}
	if strings.TrimSpace(t.State.Issue) == "" && len(f.errs) == 0 {
		f.fault("field problem_statement is empty: SWE-smith has such rows, and nobody could be asked to solve them")
	}
	t.Setting = Setting{
		Rule: RuleSmith, Image: f.required("image_name"), Platform: "linux/amd64", Workdir: "/testbed", Grammar: f.optional("log_parser"),
		Tests: []string{"pytest --disable-warnings --color=no --tb=no --verbose"},
	}
	if t.Setting.Grammar == "" {
		t.Setting.Grammar = "parse_log_pytest"
	}
	return t
}

var hexCommit = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// isTable tells a plain table by its least: where the repository is, where it starts, how it was repaired.
func isTable(o object) bool {
	return (has(o, "repo") || has(o, "repository")) && (has(o, "base") || has(o, "base_commit")) && (has(o, "fix") || has(o, "fix_commit") || has(o, "patch"))
}

// readTable reads a plain table: repository, base, fix (a commit, or the patch itself) and test command; id, issue,
// language, created_at, requirements, python, test_patch, fail_to_pass and pass_to_pass may be there. What a commit changed is read from the
// repository, which must be there for that.
func readTable(f *fields, opts ImportOptions) (t ImportedTask) {
	t.Repo, t.BaseCommit = f.first("repo", "repository"), f.first("base", "base_commit")
	t.State = evidence.StateCard{Issue: cmp.Or(f.first("issue", "problem_statement"), f.optional("title"))}
	t.CreatedAt = createdAt(f.object["created_at"])
	t.Language = f.languageOf("language")
	fix := f.first("fix", "fix_commit")
	t.Private.Reference, t.Private.Tests.Patch = f.patch("patch"), f.patch("test_patch")
	f.lists(&t)
	if t.ID = f.first("id", "instance_id"); t.ID == "" && fix != "" {
		t.ID = strings.ReplaceAll(t.Repo, "/", "__") + "-" + fix[:min(len(fix), 12)]
	}
	t.Setting = Setting{
		Rule: RuleEvlab, Image: f.optional("image"), Dockerfile: f.optional("dockerfile"), Workdir: f.optional("workdir"), Grammar: f.optional("report"),
	}
	if t.Setting.Image != "" && t.Setting.Dockerfile != "" {
		f.fault("fields image and dockerfile: expected one of them")
	}
	if w := t.Setting.Workdir; w != "" && (!path.IsAbs(w) || path.Clean(w) != w || w == "/") {
		f.fault("field workdir: expected a clean absolute path below /, found %.80q", w)
	}
	if r := t.Setting.Grammar; r != "" {
		if _, err := testlog.Find(r); err != nil {
			f.fault("field report: %w", err)
		}
	}
	t.Setting.needs(f)
	t.Setting.Tests = f.lines("test", "test_command", "test_cmd")
	isDiff := strings.HasPrefix(fix, "diff ") || strings.HasPrefix(fix, "--- ")
	if isDiff && len(t.Private.Reference) > 0 && string(t.Private.Reference) != fix {
		f.errs = append(f.errs, differ("fix", "patch"))
	}
	if len(t.Private.Reference) > 0 || len(f.errs) > 0 {
		return t
	}
	switch {
	case isDiff:
		t.Private.Reference = []byte(fix)
	case hexCommit.MatchString(fix):
		patch, err := opts.between(t.Repo, t.BaseCommit, fix)
		if err != nil {
			f.fault("fix %s: %w", fix, err)
			return t
		}
		source, tests := SplitPatch(patch, evidence.IsTestPath)
		t.Private.Reference = source
		if len(t.Private.Tests.Patch) == 0 {
			t.Private.Tests.Patch = tests
		}
	default:
		f.fault("fix %s: expected a commit id or a diff", shown([]byte(fix)))
	}
	return t
}
