package repos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A Way is how another harness applies a patch that Apply refuses. None of them is ever used for a verdict: they are
// there to say what such a harness would have tested.
type Way string

// The ways.
const (
	// Fuzzy is a chain without cleaning in between: git apply, git apply --reject, patch --batch --fuzz=5. The parts that
	// the second leaves are what the third works on, and may turn round.
	Fuzzy Way = "fuzzy"
	// Parts is git apply --reject, whose failure is passed over: what applies of the patch is tested.
	Parts Way = "parts"
	// ThreeWay is git apply --3way --recount --ignore-space-change, whole or not at all.
	ThreeWay Way = "three-way"
	// Ignored leaves binary sections out and passes over the failure of git apply: then the base commit is tested.
	Ignored Way = "ignored"
	// Whole is Apply's own: nothing looser.
	Whole Way = "whole"
)

// Loosened is what another harness's way makes of a patch.
type Loosened struct {
	Outcome string // OutcomeApplied; OutcomeEmpty: the base commit is tested as it is; OutcomeFailed: it is refused there, too
	How     string // by what it applies, or why it does not; one line
	Tree    string // of OutcomeApplied
}

// ErrNoPatch says that the way needs GNU patch, which is not on PATH.
var ErrNoPatch = errors.New("GNU patch is not on PATH")

// loosely bounds the time of one program: both are quadratic in the worst case.
const loosely = time.Minute

// ApplyLoosely applies a patch that Apply refuses in another harness's way, in a fresh folder that is removed again. A patch
// that Apply refuses by name is refused here, too, and so is one that makes a symbolic link or a submodule. The error is
// the machine's fault, ErrNoPatch among them.
func (m *Mirror) ApplyLoosely(ctx context.Context, base string, patch []byte, way Way) (Loosened, error) {
	l, err := m.loosely(ctx, base, patch, way)
	if err != nil {
		return Loosened{}, fmt.Errorf("applying a patch loosely in %s: %w", m.dir, err)
	}
	return l, nil
}

func (m *Mirror) loosely(ctx context.Context, base string, patch []byte, way Way) (Loosened, error) {
	refused := Loosened{Outcome: OutcomeFailed}
	if len(patch) > maxPatch {
		refused.How = fmt.Sprintf("the patch has more than %d bytes", maxPatch)
		return refused, nil
	}
	for _, name := range parsePatch(patch).all() {
		if err := checkPath(name); err != nil {
			refused.How = printable(err.Error())
			return refused, nil
		}
	}
	if makesLink(patch) {
		refused.How = "it makes a symbolic link or a submodule"
		return refused, nil
	}
	tree, err := m.Tree(ctx, base)
	if err != nil {
		return refused, err
	}
	var made string
	how := ""
	switch way {
	case Whole:
		refused.How = "it is applied whole or not at all"
		return refused, nil
	case Ignored:
		made, how = tree, "git apply, whose failure is passed over"
		if text := withoutBinaries(patch); len(text) < len(patch) {
			a, _, err := m.apply(ctx, base, text)
			if err != nil {
				return refused, err
			}
			if a.Outcome == OutcomeApplied {
				made, how = a.Tree, "git apply, without the binary sections"
			}
		}
	case ThreeWay:
		made, err = m.threeWay(ctx, tree, patch)
		how = "git apply --3way --recount --ignore-space-change"
	case Fuzzy, Parts:
		made, how, err = m.inFolder(ctx, tree, func(dir string) (string, error) { return attempt(ctx, dir, patch, way) })
	default:
		return refused, fmt.Errorf("there is no way %q", way)
	}
	var no *failed
	if errors.As(err, &no) {
		refused.How = no.verb + ": " + applyReason(no.stderr)
		return refused, nil
	}
	if err != nil {
		return refused, err
	}
	changes, err := m.changes(ctx, tree, made)
	if err != nil {
		return refused, err
	}
	if len(changes) == 0 {
		return Loosened{Outcome: OutcomeEmpty, How: how + ": nothing is left of it"}, nil
	}
	if reason, err := m.refusal(ctx, tree, made, changes); err != nil || reason != "" {
		refused.How = printable(reason)
		return refused, err
	}
	return Loosened{Outcome: OutcomeApplied, How: how, Tree: made}, nil
}

// attempt runs the way's programs in a folder that holds base. A *failed error is their last word.
func attempt(ctx context.Context, dir string, patch []byte, way Way) (string, error) {
	if way == Fuzzy {
		if err := gnuPatch(ctx); err != nil {
			return "", err
		}
	}
	bounded, cancel := context.WithTimeout(ctx, loosely)
	defer cancel()
	how, err := programs(bounded, dir, patch, way)
	if bounded.Err() != nil && ctx.Err() == nil {
		return "", &failed{verb: "patch", stderr: "it took more than " + loosely.String()}
	}
	return how, err
}

func programs(ctx context.Context, dir string, patch []byte, way Way) (how string, err error) {
	g := git{within: dir}
	_, err = g.run(ctx, bytes.NewReader(patch), "apply", "--reject", "-p1", "-")
	var no *failed
	switch {
	case err == nil: // Apply refuses it for a reason that is not git's: git took it whole
		return "git apply", nil
	case !errors.As(err, &no):
		return "", err
	case way == Parts:
		return "git apply --reject, in part", nil
	}
	text := unifiedOnly(patch)
	if len(text) == 0 { // patch takes no text for an empty patch, and other text for garbage
		return "", &failed{verb: "patch", stderr: "there is no unified diff in it"}
	}
	cmd := exec.CommandContext(ctx, "patch", "--batch", "--fuzz=5", "-p1")
	out := &head{limit: 16 << 10}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(text), out, out
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "TMPDIR=" + dir, "PATCH_GET=0"}
	cmd.WaitDelay = 5 * time.Second
	if err := g.verdict(ctx, "patch", cmd.Run(), out.String()); err != nil {
		return "", err
	}
	how = "patch --batch --fuzz=5"
	if strings.Contains(out.String(), " with fuzz ") {
		how += ", with fuzz"
	}
	if strings.Contains(out.String(), "Assuming -R.") {
		how += ", parts turned round"
	}
	return how, nil
}

// gnuPatch is ErrNoPatch unless patch is GNU's: others know neither its options nor its rule of fuzz.
func gnuPatch(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "patch", "--version").Output()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil || !bytes.HasPrefix(out, []byte("GNU patch")) {
		return ErrNoPatch
	}
	return nil
}

// threeWay merges in an index alone.
func (m *Mirror) threeWay(ctx context.Context, tree string, patch []byte) (string, error) {
	made, err := m.inIndex(ctx, func(g git) error {
		if _, err := g.run(ctx, nil, "read-tree", tree); err != nil {
			return broken(err)
		}
		_, err := g.run(ctx, bytes.NewReader(patch), "apply", "--cached", "--3way", "--recount", "--ignore-space-change", "-p1", "-")
		return err
	})
	return made, err
}

// makesLink reports whether a line of the patch gives an entry a mode that is no file's. Such a line inside of a hunk
// begins with a blank or a sign.
func makesLink(patch []byte) bool {
	for line := range bytes.Lines(patch) {
		for _, header := range []string{"new file mode ", "new mode ", "index "} {
			if rest, ok := bytes.CutPrefix(line, []byte(header)); ok && (bytes.Contains(rest, []byte("120000")) || bytes.Contains(rest, []byte("160000"))) {
				return true
			}
		}
	}
	return false
}

// withoutBinaries is the patch without the sections of files whose content is binary.
func withoutBinaries(patch []byte) []byte {
	var kept, section []byte
	binary := false
	flush := func() {
		if !binary {
			kept = append(kept, section...)
		}
		section, binary = nil, false
	}
	for line := range bytes.Lines(patch) {
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			flush()
		case bytes.HasPrefix(line, []byte("GIT binary patch")), bytes.HasPrefix(line, []byte("Binary files ")) && bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte(" differ")):
			binary = true
		}
		section = append(section, line...)
	}
	flush()
	return kept
}
