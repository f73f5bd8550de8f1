package repos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// settings outrank whatever a repository's own configuration says: they come by environment, which is git's
// strongest scope. What could start a program or change bytes is turned off.
var settings = [][2]string{
	{"safe.directory", "*"},
	{"core.autocrlf", "false"},
	{"core.eol", "lf"},
	{"core.safecrlf", "false"},
	{"core.hooksPath", os.DevNull},
	{"core.attributesFile", os.DevNull},
	{"core.excludesFile", os.DevNull},
	{"core.fsmonitor", "false"},
	{"core.alternateRefsCommand", "false"},
	{"core.logAllRefUpdates", "false"},
	{"core.protectHFS", "true"},
	{"core.protectNTFS", "true"},
	{"core.fsync", "objects,derived-metadata,reference"},
	{"core.commitGraph", "false"},
	{"core.quotePath", "true"},
	{"apply.whitespace", "nowarn"},
	{"apply.ignoreWhitespace", "no"},
	{"diff.renames", "false"},
	{"fetch.recurseSubmodules", "false"},
	{"fetch.writeCommitGraph", "false"},
	{"gc.auto", "0"},
	{"http.lowSpeedLimit", "1000"}, // bytes a second, for so many seconds: a server that falls silent
	{"http.lowSpeedTime", "60"},
	{"maintenance.auto", "false"},
	{"protocol.allow", "never"},
	{"protocol.file.allow", "always"},
	{"protocol.version", "2"},
	{"receive.denyCurrentBranch", "refuse"},
	{"submodule.recurse", "false"},
	{"uploadpack.allowAnySHA1InWant", "true"},
}

// allocLimit bounds one allocation of git: a patch may declare an inflated size of many gigabytes in a few bytes.
const allocLimit = "1024m"

// git is one repository to run commands in, with what they need besides the fixed environment.
type git struct {
	dir    string   // the git directory; empty for commands that need none
	within string   // the folder of a command that works on plain files, in no repository
	env    []string // GIT_INDEX_FILE and the like
}

// command prepares git with an environment that holds nothing of the caller's but PATH: no user or system
// configuration, no prompts, no replaced objects, one locale.
func (g git) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.WaitDelay = 5 * time.Second // a grandchild that keeps the pipes open can't hold us
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + os.DevNull, "XDG_CONFIG_HOME=" + os.DevNull,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=" + os.DevNull, "SSH_ASKPASS=" + os.DevNull,
		"GIT_ALLOW_PROTOCOL=file", "GIT_PROTOCOL_FROM_USER=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1", "GIT_PAGER=cat",
		"GIT_ALLOC_LIMIT=" + allocLimit,
		"LC_ALL=C", "TZ=UTC",
		"GIT_CONFIG_COUNT=" + strconv.Itoa(len(settings)),
	}
	for i, s := range settings {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	if g.dir != "" {
		cmd.Env = append(cmd.Env, "GIT_DIR="+g.dir)
		// Never the caller's folder: a non-bare source would take it for its work tree and read attributes there.
		cmd.Dir = g.dir
	}
	if g.within != "" {
		cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(g.within))
		cmd.Dir = g.within
	}
	cmd.Env = append(cmd.Env, g.env...)
	return cmd
}

// failed is git's own refusal: it ran, and ended with a status.
type failed struct {
	verb   string
	status int
	stderr string
}

func (f *failed) Error() string {
	return fmt.Sprintf("git %s: status %d: %s", f.verb, f.status, firstLines(f.stderr, 3))
}

// run gives the command's standard output. An error that is a *failed is git's refusal, any other is the machine's.
func (g git) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := g.stream(ctx, stdin, &out, args...)
	return out.Bytes(), err
}

func (g git) stream(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	cmd := g.command(ctx, args...)
	stderr := &head{limit: 16 << 10}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	return g.verdict(ctx, args[0], cmd.Run(), stderr.String())
}

func (g git) verdict(ctx context.Context, verb string, err error, stderr string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("git %s: %w", verb, context.Cause(ctx))
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return &failed{verb: verb, status: exit.ExitCode(), stderr: stderr}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("git is not on PATH; evlab needs git 2.38 or newer: %w", err)
	}
	return fmt.Errorf("git %s: %w: %s", verb, err, firstLines(stderr, 3))
}

// word is run for commands that print one word.
func (g git) word(ctx context.Context, args ...string) (string, error) {
	out, err := g.run(ctx, nil, args...)
	return strings.TrimSpace(string(out)), err
}

// head keeps the first bytes written to it: git names the cause first, and a hostile patch may make it name many.
type head struct {
	buf   bytes.Buffer
	limit int
}

func (t *head) Write(p []byte) (int, error) {
	if room := t.limit - t.buf.Len(); room > 0 {
		t.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (t *head) String() string { return t.buf.String() }

// firstLines joins the first n lines that say something, printable and bounded.
func firstLines(s string, n int) string {
	var kept []string
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "hint:") {
			continue
		}
		if kept = append(kept, printable(line)); len(kept) == n {
			break
		}
	}
	if len(kept) == 0 {
		return "no message"
	}
	return strings.Join(kept, "; ")
}

// printable makes text from git or a patch fit for a terminal and a record.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069) {
			return '?'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "..."
	}
	return s
}

// objectID reports whether s is a full object id: the only form of a revision that callers may hand in, so that no
// name of theirs is ever taken for an option, a range or a path.
func objectID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
