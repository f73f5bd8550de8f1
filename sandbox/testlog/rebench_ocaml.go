package testlog

import (
	"regexp"
	"strings"
)

var (
	alcotestLine  = regexp.MustCompile(`^\s*\[([A-Z]+)\]\s+(.*?)\s+(\d+)\s+(.+)$`)
	alcotestWords = map[string]Outcome{
		"OK": Passed, "PASS": Passed, "FAIL": Failed, "FAILED": Failed, "ERROR": Errored, "ERR": Errored, "SKIP": Skipped, "SKIPPED": Skipped, "TODO": Skipped,
	}

	bracketLine  = regexp.MustCompile(`^\[([A-Za-z][A-Za-z0-9_-]*)\]\s+(.+)$`)
	bracketWords = map[string]Outcome{
		"OK": Passed, "PASS": Passed, "PASSED": Passed, "SUCCESS": Passed,
		"SKIP": Skipped, "SKIPPED": Skipped, "TODO": Skipped, "PENDING": Skipped, "DISABLED": Skipped,
		"FAIL": Failed, "FAILED": Failed, "ERROR": Failed, "EXCEPTION": Failed, "CRASH": Failed, "FATAL": Failed, "KO": Failed, "PANIC": Failed,
	}

	ocamlbuildLine  = regexp.MustCompile(`^(PASSED|FAILED|SKIPPED|ERROR)\s+(.*)$`)
	ocamlbuildApart = regexp.MustCompile(`\s{2,}`)
	ocamlbuildWords = map[string]Outcome{"PASSED": Passed, "FAILED": Failed, "SKIPPED": Skipped, "ERROR": Errored}

	duneRunning = regexp.MustCompile(`^Running\[(\d+)\]:\s+\((.+)\)$`)
	duneOutput  = regexp.MustCompile(`^Output\[(\d+)\]:`)
	duneFailed  = regexp.MustCompile(`(?i)FAIL|ERROR|EXCEPTION|CRASH|FATAL`)
)

// rebenchAlcotest is parse_log_ocaml, for Alcotest.
func rebenchAlcotest(*builder) func(string) (string, Outcome) {
	return func(text string) (string, Outcome) {
		m := alcotestLine.FindStringSubmatch(strings.TrimRight(text, " \t"))
		if m == nil {
			return "", ""
		}
		o := alcotestWords[m[1]]
		if o == "" {
			o = Errored
		}
		return strings.TrimSpace(m[2] + " " + m[3] + " " + strings.TrimSpace(m[4])), o
	}
}

// rebenchBrackets is parse_log_ocaml_v3.
func rebenchBrackets(text string) (string, Outcome) {
	if m := bracketLine.FindStringSubmatch(text); m != nil {
		return strings.Join(strings.Fields(m[2]), " "), bracketWords[strings.ToUpper(m[1])]
	}
	return "", ""
}

// rebenchOCamlbuild is parse_log_ocaml_v4: a name ends where two blanks are.
func rebenchOCamlbuild(text string) (string, Outcome) {
	m := ocamlbuildLine.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return ocamlbuildApart.Split(strings.TrimSpace(m[2]), 2)[0], ocamlbuildWords[m[1]]
}

// rebenchDune is parse_log_ocaml_v2, for dune: a program is a test, which passed if its output says nothing else.
func rebenchDune(b *builder) func(string) (string, Outcome) {
	programs, now := map[string]string{}, ""
	return func(text string) (string, Outcome) {
		text = strings.TrimSpace(text)
		if m := duneRunning.FindStringSubmatch(text); m != nil {
			now = ""
			id, name := strings.TrimLeft(m[1], "0"), duneProgram(m[2])
			if name == "" {
				name = "run_" + orElse(id, "0")
			}
			if len(id)+len(name) <= maxName && b.keeps(len(programs), len(id)+len(name)) {
				programs[strings.Clone(id)] = strings.Clone(name)
			}
			return "", ""
		}
		if m := duneOutput.FindStringSubmatch(text); m != nil {
			now = programs[strings.TrimLeft(m[1], "0")]
			return "", ""
		}
		switch {
		case text == "":
			return "", ""
		case duneFailed.MatchString(text):
			return now, Failed
		case strings.Contains(strings.ToUpper(text), "SKIP"):
			return now, Skipped
		}
		return now, Passed
	}
}

// duneProgram is the name of the program that a command starts.
func duneProgram(command string) string {
	command = strings.TrimSpace(command[strings.LastIndex(command, "&&")+1:])
	command = strings.TrimSpace(strings.TrimPrefix(command, "&"))
	command = strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(command, "exec ")), "./")
	f := strings.Fields(command)
	if len(f) == 0 {
		return ""
	}
	return f[0][strings.LastIndexByte(f[0], '/')+1:]
}
