package planning

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	startMark = ": '>>>>> Start Test Output'\n"
	endMark   = ": '>>>>> End Test Output'\n"
)

func TestTakeApart(t *testing.T) {
	for name, c := range map[string]struct {
		script         string
		prepare, tests []string
	}{
		"what SWE-bench writes": {
			"#!/bin/bash\nset -uxo pipefail\nsource /opt/miniconda3/bin/activate\nconda activate testbed\ncd /testbed\n# a comment\n\ngit config --global --add safe.directory /testbed\n" +
				"cd /testbed\ngit status\ngit show\ngit -c core.fileMode=false diff 0123\npython -m pip install -e .[test] --verbose\ngit checkout 0123 tests/a.py\n" +
				"git apply -v - <<'EOF_114329324912'\ndiff --git a/x b/x\n+it's \"$(\n" + startMark + "EOF_114329324912x\n EOF_114329324912\nEOF_114329324912\n" +
				startMark + "pytest -rA tests/a.py\n" + endMark + "git checkout 0123 tests/a.py\n",
			[]string{"set -uxo pipefail", "source /opt/miniconda3/bin/activate", "conda activate testbed", "cd /testbed", ":", "cd /testbed", ":", ":", ":",
				"python -m pip install -e .[test] --verbose", ":", ":"},
			[]string{"pytest -rA tests/a.py"},
		},
		"other marks, an echo in place of a reset": {
			"git checkout x || true\necho \"git apply\"\necho '>>>>> Start Test Output'\nmvn test \\\n  -B\n./b 2>&1 | tee log &>/dev/null && true\necho \">>>>> End Test Output\"\n",
			[]string{":", `echo "git apply"`}, []string{"mvn test \\\n  -B", "./b 2>&1 | tee log &>/dev/null && true"},
		},
		"heredocs that are no patch": {
			"cat > x <<EOF && cat > y <<-\\END\ngit apply\nEOF\n\t\tgit\n\tEND\nA=1 cat <<< 'git'\n" + startMark + "run << \"a b\"\n" + endMark + "a b\n" + endMark,
			[]string{"cat > x <<EOF && cat > y <<-\\END\ngit apply\nEOF\n\t\tgit\n\tEND", "A=1 cat <<< 'git'"}, []string{"run << \"a b\"\n" + endMark + "a b"},
		},
		"a command over two lines, and quotes with quotes in them": {
			"a &&\n\n# c\nb |\nc && echo $'it\\'s' \\$'\\'\n" + startMark + "x\n" + endMark,
			[]string{"a &&\n\n# c\nb |\nc && echo $'it\\'s' \\$'\\'"}, []string{"x"},
		},
		"blocks": {
			"if ! command -v x >/dev/null; then\n  git checkout y\nfi\nf() {\n  a\n}\nfor i in 1 2; do\n  git status\n done\n" + startMark + "for t in a 'b\nc'; do\n  run $t # it's\ndone\n" + endMark + "if",
			[]string{"if ! command -v x >/dev/null; then", ":", "fi", "f() {", "  a", "}", "for i in 1 2; do", ":", " done"},
			[]string{"for t in a 'b\nc'; do", "  run $t # it's", "done"},
		},
	} {
		parts, err := takeApart(c.script)
		if err != nil || !slices.Equal(parts.prepare, c.prepare) || !slices.Equal(parts.tests, c.tests) {
			t.Errorf("%s: %v\n%q\n%q", name, err, parts.prepare, parts.tests)
		}
	}
	around := func(lines string) string { return lines + startMark + "x\n" + endMark }
	for name, c := range map[string]struct{ script, want string }{
		"nothing":                            {"", "both marks"},
		"no end":                             {startMark + "x\n", "both marks"},
		"no start":                           {"x\n" + endMark, "out of order"},
		"two starts":                         {startMark + around(""), "twice"},
		"two ends":                           {around("") + endMark, "twice"},
		"another test after the end":         {around("") + startMark, "twice"},
		"a mark in a line with others":       {"x; " + around(""), "out of order"},
		"a mark in a command over two lines": {"a &&\n" + around(""), "out of order"},
		"a mark in a block":                  {"if a; then\n" + around("") + "fi\n", "inside of a block"},
		"a block over the mark":              {startMark + "{\n" + endMark + "}\n", "inside of a block"},
		"a block that is not ended":          {around("{\nx\n}\n}\n"), "did not begin"},
		"nothing between the marks":          {startMark + "# none\n\n" + endMark, "no command"},
		"a patch that does not end":          {around("git apply - <<'EOF'\n"), "heredoc"},
		"a heredoc of arithmetic":            {around("a=$((1<<2))\n"), "heredoc"},
		"an open quote":                      {around("echo 'a\n"), "quote"},
		"an open quote at the end":           {startMark + "echo \"a\n", "quote"},
		"git's word is needed":               {around("export A=$(git rev-parse HEAD)\n"), "in one line with"},
		"git's word in old quotes":           {around("export A=`git rev-parse HEAD`\n"), "in one line with"},
		"git and a build":                    {around("git apply x && make\n"), "in one line with"},
		"git in a condition":                 {around("if ! git apply x; then exit 1; fi\n"), "block"},
		"git brings something":               {around("git -C /x --no-pager pull\n"), "more than a checkout"},
		"git alone":                          {around("git\n"), "more than a checkout"},
		"git by its path, in a subshell":     {around("(cd x; /usr/bin/git clone y)\n"), "in one line with"},
		"another program for patches":        {around("patch -p1 < /tmp/x\n"), "patch"},
		"git among the tests":                {startMark + "git checkout x\n" + endMark, "between the marks"},
	} {
		if parts, err := takeApart(c.script); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want an error with %q, got %v\n%q", name, c.want, err, parts)
		}
	}
}

// FuzzTakeApart: whatever the script, bash finds the ends of lines where evlab does. What is taken of a script that is whole
// is whole itself.
func FuzzTakeApart(f *testing.F) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		f.Skip(err)
	}
	whole := func(text string) bool {
		cmd := exec.Command(bash, "-n")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		return err == nil && len(out) == 0 // a heredoc without an end is a warning
	}
	for _, s := range []string{
		"git apply - <<'E'\nx\nE\nA=1\n", "f() {\n:\n}\n", "a <<E <<-'F'\n1\nE\n\tF\n", "x=\"$(echo \"a b\")\" # c\n", "a \\\nb\n", "if a; then\nb\nfi\n", "echo `a`\n", "case x in\na) b;;\nesac\n",
		"cat <<$a\nx\n$a\n", "a <<E; b\nE\n", "[[ a < b ]]\n", "((i=1<<x))\n", "echo a#b '#' \\# \"#\"\n", "cat <(a <<E\nE\n)\n", "echo ${x#'}\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, before string) {
		script := before + "\n" + startMark + "run\n" + endMark
		parts, err := takeApart(script)
		if err != nil || strings.Contains(before, "\x00") || !whole(script) {
			return
		}
		if !slices.Equal(parts.tests, []string{"run"}) || !whole(strings.Join(parts.prepare, "\n")) {
			t.Errorf("%q\n%q", parts.prepare, parts.tests)
		}
	})
}
