package testlog

import "strings"

// parsedWords are the words that programs of datasets have for outcomes, in lower case.
var parsedWords = map[string]Outcome{
	"passed": Passed, "pass": Passed, "failed": Failed, "fail": Failed, "skipped": Skipped, "skip": Skipped, "error": Errored,
	"xfail": ExpectedFailure, "xpass": UnexpectedPass,
}

// walkParsed reads what a program made of logs: {"tests": [{"name": "a", "status": "passed"}]}. The program is not the
// runner, and the commands whose logs it reads often end with "|| true", so that a status of 0 says nothing; another one
// with nothing that failed is held against the report all the same.
func walkParsed(b *builder, j *jsonScanner) {
	b.report.masked = true
	j.object(func(key string) {
		if key != "tests" {
			j.skip()
			return
		}
		b.seen = true
		j.list(func() {
			name, status := "", ""
			j.object(func(key string) {
				switch key {
				case "name":
					name = j.text()
				case "status":
					status = j.text()
				default:
					j.skip()
				}
			})
			o, known := parsedWords[strings.ToLower(status)]
			switch {
			case j.err != nil:
				return // half of an entry
			case name == "":
				b.problem("a test has no name")
			case !known:
				b.problem("%.200s is said to be %.60q, which is no outcome", name, status)
				o = Errored
			}
			b.test(name, o)
		})
	})
}
