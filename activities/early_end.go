package activities

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"

	"evlab/evidence"
	"evlab/repos"
)

// earlyEndMark begins a line that the recipe of C and C++ writes on standard error for each program among the tests that
// was ended by a call of exit with 0: the program, the file that has its main, the file that has the call, tab-separated.
const earlyEndMark = "evlab exit\t"

// ctestReport is the grammar of that recipe's reports.
const ctestReport = "ctest"

// maxEarlyEnds bounds how many of these lines are looked at.
const maxEarlyEnds = 1000

// earlyEnd says which program of the tests was ended by the candidate's own code: its main is a test's, the call is in a
// file besides the tests that the candidate changed and that had no such call before. Where it had, as in the commands of
// a program, ending is what that code is for. The status of such a program says nothing of what it was to test.
func earlyEnd(ctx context.Context, mirror *repos.Mirror, base string, delta repos.Delta, stderr string) (string, error) {
	changed := map[string]bool{}
	for _, f := range delta.Files {
		changed[f.Path] = !isTestFile(f.Path)
	}
	f, err := os.Open(stderr)
	if err != nil {
		return "", err
	}
	defer f.Close()
	n := 0
	for part, err := range lineParts(f) {
		if err != nil {
			return "", err
		}
		rest, ok := bytes.CutPrefix(part, []byte(earlyEndMark))
		fields := strings.Split(strings.TrimSuffix(string(rest), "\n"), "\t")
		if !ok || len(fields) != 3 {
			continue
		}
		if n++; n > maxEarlyEnds {
			break
		}
		main, call := path.Clean(fields[1]), path.Clean(fields[2])
		if !path.IsAbs(main) && !isTestFile(main) || !changed[call] {
			continue
		}
		ends, err := callsExit(ctx, mirror, base, call)
		if err != nil {
			return "", err
		}
		if !ends {
			return fmt.Sprintf("the program %s was ended in %s, by the code under test and not by the test in %s", fields[0], call, main), nil
		}
	}
	return "", nil
}

func isTestFile(p string) bool { return repos.IsTestSource(p) || evidence.IsTestPath(p) }

var exitCall = regexp.MustCompile(`\b(?:_?exit|_Exit|quick_exit|pthread_exit)\s*\(`)

// callsExit reports whether a file of a commit has a call that ends its program.
func callsExit(ctx context.Context, mirror *repos.Mirror, commit, file string) (bool, error) {
	text, err := textAt(ctx, mirror, commit, file)
	return exitCall.Match(text), err
}
