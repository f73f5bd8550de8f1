package datasets

import (
	"strings"
	"testing"

	"evlab/sandbox/testlog"
)

func TestMultiGrammars(t *testing.T) {
	seen := map[string]string{}
	for grammar, repositories := range multiReaders {
		if _, err := testlog.Find(grammar); err != nil {
			t.Error(err)
		}
		for _, repo := range strings.Fields(repositories) {
			if seen[repo] != "" || repo != strings.ToLower(repo) || strings.Count(repo, "/") != 1 {
				t.Errorf("%s is of %s and of %q", repo, grammar, seen[repo])
			}
			seen[repo] = grammar
		}
	}
	for _, c := range []struct{ repo, number, interval, tag, want string }{
		{"cli/cli", "7", "", "", "multi_gotest_each"},
		{"grpc/grpc-go", "7", "", "", "multi_gotest"},
		{"BurntSushi/ripgrep", "7", "", "", "multi_cargo"},
		{"BurntSushi/ripgrep", "700", "ripgrep_772_to_406", "", ""},
		{"BurntSushi/ripgrep", "7", "", "1.0", ""},
		{"expressjs/express", "4852", "", "", "multi_mocha"},
		{"expressjs/express", "4853", "", "", "multi_mocha_json"},
		{"facebook/zstd", "1230", "", "", ""},
		{"facebook/zstd", "1749", "", "", "multi_automake"},
		{"facebook/zstd", "1831", "", "", ""},
		{"facebook/zstd", "2704", "", "", "multi_automake"},
		{"caolan/async", "1142", "", "", ""},
		{"caolan/async", "1143", "", "", "multi_async"},
		{"mruby/mruby", "5000", "", "", ""},
		{"cli/cli", "x", "", "", ""},
	} {
		if got := multiGrammar(c.repo, c.number, c.interval, c.tag); got != c.want {
			t.Errorf("%s %s %s%s: %q, want %q", c.repo, c.number, c.interval, c.tag, got, c.want)
		}
	}
}
