package localization

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Reason is why a proposed target is not scored.
type Reason string

// Reasons, of paths that are none, of files that no repair should be sought in, and of the selection.
const (
	Empty     Reason = "empty"     // nothing is left of the path
	Malformed Reason = "malformed" // control characters, not UTF-8, or longer than 4096 bytes
	Absolute  Reason = "absolute"  // absolute, and no end of it is a path of the repository
	Outside   Reason = "outside"   // it leaves the repository, or goes into .git
	Folder    Reason = "folder"    // it names a folder
	Test      Reason = "test"      // a test, fixture or snapshot
	CI        Reason = "ci"        // configuration of continuous integration
	Evaluator Reason = "evaluator" // the task's own evaluator
	Duplicate Reason = "duplicate" // proposed before, with the same symbol and lines
	BeyondCap Reason = "beyond-cap"
)

const maxPath = 4096

// Paths are the paths that are known of a repository. Whole says that there are no others.
type Paths struct {
	exact   map[string]bool
	folded  map[string]string // folded path -> the one path that it stands for, "" for several
	folders map[string]bool   // folders of known paths
	Whole   bool
}

// NewPaths knows the given paths. whole: they are all that the base commit has, and not only the reference's.
func NewPaths(list []string, whole bool) *Paths {
	p := &Paths{exact: make(map[string]bool, len(list)), folded: make(map[string]string, len(list)), folders: map[string]bool{}, Whole: whole}
	p.Add(list...)
	return p
}

// Add makes further paths known.
func (p *Paths) Add(list ...string) {
	for _, name := range list {
		if p.exact[name] {
			continue
		}
		p.exact[name] = true
		key := fold(name)
		if _, taken := p.folded[key]; taken {
			p.folded[key] = ""
		} else {
			p.folded[key] = name
		}
		for dir := path.Dir(name); dir != "." && dir != "/" && !p.folders[dir]; dir = path.Dir(dir) {
			p.folders[dir] = true
		}
	}
}

// fold makes names that a file system may take for one equal: letter case, and how accents are composed.
func fold(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// known is the known path that a path stands for: itself, or the only one that differs in letter case alone.
func (p *Paths) known(s string) (string, bool) {
	if p.exact[s] {
		return s, true
	}
	if name := p.folded[fold(s)]; name != "" {
		return name, true
	}
	return "", false
}

var (
	driveLetter = regexp.MustCompile(`^[A-Za-z]:/`)
	lineSuffix  = regexp.MustCompile(`^(.+?)(?::(\d+)(?:[-:](\d+))?|#L(\d+)(?:-L?(\d+))?)$`)
)

// Normalize is the path of the repository that a proposed one stands for. The rules, in order: white space and quotes
// around it go; backslashes are slashes; ./ and doubled slashes go, .. is resolved; a path that is known stays. Then a
// line number at its end (:12, :12-30, #L12-L30) is taken for the target's lines; a/ and b/, as diffs have them, and a
// leading slash or the root of somebody's checkout go where what is left is known; a/ and b/ go, too, where the
// repository is known to have no such folder or nothing is known but the reference. Letter case is that of the only
// known path that differs in nothing else. What is not known stays as it is: an executor may propose a new file.
func (p *Paths) Normalize(raw string) (normal string, lines Span, reason Reason) {
	s := strings.TrimSpace(raw)
	for len(s) >= 2 && s[0] == s[len(s)-1] && strings.IndexByte("`'\"", s[0]) >= 0 {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	switch {
	case len(s) > maxPath || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }):
		return "", lines, Malformed
	case s == "":
		return "", lines, Empty
	}
	s = strings.ReplaceAll(s, `\`, "/")
	if name, ok := p.known(path.Clean(s)); ok {
		return name, lines, ""
	}
	if m := lineSuffix.FindStringSubmatch(s); m != nil {
		s = m[1]
		lines = spanOf(m[2]+m[4], m[3]+m[5])
	}
	folder := strings.HasSuffix(s, "/")
	absolute := strings.HasPrefix(s, "/") || driveLetter.MatchString(s)
	s = path.Clean(s)
	if name, ok := p.known(s); ok {
		return name, lines, ""
	}
	if absolute {
		// The longest end that is known, so that /testbed/src/x.py is src/x.py and not x.py.
		for at := strings.IndexByte(s, '/'); at >= 0; {
			if name, ok := p.known(s[at+1:]); ok {
				return name, lines, ""
			}
			next := strings.IndexByte(s[at+1:], '/')
			if next < 0 {
				break
			}
			at += 1 + next
		}
		return "", Span{}, Absolute
	}
	if rest, ok := withoutDiffPrefix(s); ok {
		if name, ok := p.known(rest); ok {
			return name, lines, ""
		}
		if !p.folders[s[:1]] {
			s = rest
		}
	}
	switch {
	case s == "." || s == "":
		return "", Span{}, Empty
	case s == ".." || strings.HasPrefix(s, "../"), insideGit(s):
		return "", Span{}, Outside
	case folder || p.folders[s]:
		return "", Span{}, Folder
	}
	return s, lines, ""
}

func withoutDiffPrefix(s string) (string, bool) {
	if len(s) > 2 && s[1] == '/' && (s[0] == 'a' || s[0] == 'b') {
		return s[2:], true
	}
	return s, false
}

func insideGit(s string) bool {
	for part := range strings.SplitSeq(s, "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// spanOf reads line numbers; those that are none, or in the wrong order, give the first line or nothing.
func spanOf(first, last string) Span {
	a, err := strconv.Atoi(first)
	if err != nil || a < 1 {
		return Span{}
	}
	b, err := strconv.Atoi(last)
	if err != nil || b < a {
		b = a
	}
	return Span{a, b}
}
