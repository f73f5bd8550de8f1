package planning

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A dataset's script prepares an environment, brings the tests' files in, runs the tests between two marks, and takes the
// files out again. evlab has laid the tests' files over the tree itself, and there is no history to check anything out of;
// so of such a script the first and the third are taken, as text.

// scriptParts is a script taken apart.
type scriptParts struct {
	prepare []string // logical lines before the tests, heredocs whole; what was left out of them is ":"
	tests   []string // logical lines that run the tests
}

var scriptMark = regexp.MustCompile(`^(?::|echo)[ \t]+(?:'>>>>> (Start|End) Test Output'|">>>>> (Start|End) Test Output")$`)

// gitLeftOut is what git does with a tree that is there already, or tells of it.
var gitLeftOut = []string{
	"add", "apply", "branch", "checkout", "clean", "commit", "config", "diff", "log", "reset", "restore", "rev-parse", "show", "stash", "status",
}

// takeApart takes a script apart. The error says in a sentence why it can't be.
func takeApart(script string) (parts scriptParts, err error) {
	const start, end = "Start", "End"
	at, depth := "", 0
	for rest := script; rest != ""; {
		line, err := logicalLine(rest)
		if err != nil {
			return parts, fmt.Errorf("its dataset's script can't be taken apart: %w", err)
		}
		rest = rest[len(line.text):]
		text := strings.TrimSuffix(line.text, "\n")
		mark := ""
		if m := scriptMark.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
			mark = m[1] + m[2]
		}
		switch {
		case mark != "" && depth != 0:
			err = errors.New("a mark of the tests' output stands inside of a block")
		case mark == start && at == "":
			at = start
			continue
		case mark == end && at == start:
			at = end
			continue
		case mark != "":
			err = fmt.Errorf("the mark of the tests' %s is there twice, or out of order", strings.ToLower(mark))
		case at == end: // nothing after the tests matters; a second mark does
			continue
		}
		if depth += line.depth; err == nil && depth < 0 {
			err = errors.New("it ends a block that it did not begin")
		}
		git := slices.ContainsFunc(line.commands, isGit)
		switch {
		case err != nil:
		case at == start && git:
			err = errors.New("git is used between the marks, and the tree has no history here")
		case git && line.block:
			err = errors.New("git is used in a line of a block")
		case git:
			text, err = ":", leftOut(line.commands)
		case slices.ContainsFunc(line.commands, func(c []string) bool { return path.Base(c[0]) == "patch" }):
			err = errors.New("it applies a patch by another program than git")
		}
		if err != nil {
			return parts, fmt.Errorf("its dataset's script can't be taken apart: %w", err)
		}
		switch {
		case len(line.commands) == 0 && line.depth == 0: // blank, or a comment
		case at == start:
			parts.tests = append(parts.tests, text)
		default:
			parts.prepare = append(parts.prepare, text)
		}
	}
	switch {
	case at != end:
		err = errors.New("it has not both marks of the tests' output, each in a line of its own")
	case len(parts.tests) == 0:
		err = errors.New("there is no command between the marks")
	case depth != 0:
		err = errors.New("it does not end a block that it began")
	default:
		return parts, nil
	}
	return parts, fmt.Errorf("its dataset's script can't be taken apart: %w", err)
}

func isGit(command []string) bool { return path.Base(command[0]) == "git" }

// leftOut says why a line that uses git can't be left out as a whole.
func leftOut(commands [][]string) error {
	for _, c := range commands {
		if !isGit(c) {
			if !slices.Contains([]string{":", "true", "echo"}, c[0]) {
				return fmt.Errorf("git is used in one line with %.80q", strings.Join(c, " "))
			}
			continue
		}
		i := 1
		for ; i < len(c) && strings.HasPrefix(c[i], "-"); i++ {
			if c[i] == "-C" || c[i] == "-c" {
				i++
			}
		}
		if i >= len(c) || !slices.Contains(gitLeftOut, c[i]) {
			return fmt.Errorf("it asks git for more than a checkout and a patch: %.80q", strings.Join(c, " "))
		}
	}
	return nil
}

// shellLine is a logical line of a script.
type shellLine struct {
	text     string     // whole, with its continuations, heredocs and last newline
	commands [][]string // words of its simple commands, without variables set before them; quotes are taken off
	depth    int        // blocks that it begins, less those that it ends
	block    bool       // it has words of the shell's that belong to blocks
}

// heredoc is one that a line has begun.
type heredoc struct {
	end  string
	tabs bool // tabs at the beginning of its lines do not count
}

// Words of the shell's that a command may follow, and those that begin and end blocks.
var (
	shellBefore = []string{"!", "do", "elif", "else", "if", "then", "time", "until", "while", "{"}
	shellBegins = []string{"case", "for", "if", "select", "until", "while", "{"}
	shellEnds   = []string{"done", "esac", "fi", "}"}
	assignment  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\+?=`)
	heredocEnd  = regexp.MustCompile(`^(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n$` + "`" + `\\]+)"|\\?([A-Za-z_][A-Za-z0-9_]*))(?:[\s;|&)]|$)`)
)

// logicalLine reads the first logical line of a script. It knows of bash what scripts of datasets need to be cut in the
// right places: quotes, continuations, comments, heredocs; it refuses what it does not.
func logicalLine(s string) (shellLine, error) {
	var l shellLine
	var words []string // of the simple command that is read
	var word strings.Builder
	var pending []heredoc
	within := false // inside of a word
	joins := false  // after && or a pipe, which the next line goes on with
	dollar := -1    // where the last unquoted $ is
	endWord := func() {
		if !within {
			return
		}
		w := word.String()
		word.Reset()
		within, joins = false, false
		if len(words) > 0 {
			words = append(words, w)
			return
		}
		begins, ends, before := slices.Contains(shellBegins, w), slices.Contains(shellEnds, w), slices.Contains(shellBefore, w)
		switch {
		case begins:
			l.depth++
		case ends:
			l.depth--
		}
		l.block = l.block || begins || ends || before
		if !before && !ends && !assignment.MatchString(w) {
			words = append(words, w)
		}
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			l.commands = append(l.commands, words)
		}
		words = nil
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				word.WriteByte(s[i])
				within = true
			}
		case c == '\'' || c == '"':
			n, err := quotedLength(s[i+1:], c, c == '"' || i > 0 && dollar == i-1)
			if err != nil {
				return l, err
			}
			word.WriteString(s[i+1 : i+1+n])
			within = true
			i += n + 1
		case c == '`':
			n, err := quotedLength(s[i+1:], c, true)
			if err != nil {
				return l, err
			}
			if inner := strings.Fields(s[i+1 : i+1+n]); len(inner) > 0 {
				l.commands = append(l.commands, inner)
			}
			word.WriteString(s[i : i+2+n])
			within = true
			i += n + 1
		case c == '#' && !within:
			for i+1 < len(s) && s[i+1] != '\n' {
				i++
			}
		case c == '<' && strings.HasPrefix(s[i:], "<<<"):
			endWord()
			i += 2
		case c == '<' && strings.HasPrefix(s[i:], "<<"):
			endWord()
			m := heredocEnd.FindStringSubmatch(s[i+2:])
			if m == nil {
				return l, fmt.Errorf("what follows << in %.60q is no end of a heredoc", s[i:])
			}
			pending = append(pending, heredoc{m[2] + m[3] + m[4], m[1] != ""})
			i++ // its word is read as a word, which does no harm
		case c == '\n':
			endCommand()
			if joins && len(pending) > 0 {
				return l, errors.New("a heredoc comes before the rest of its line")
			}
			if joins {
				continue
			}
			after, err := skipHeredocs(s[i+1:], pending)
			l.text = s[:len(s)-len(after)]
			return l, err
		case c == ' ' || c == '\t':
			endWord()
		case c == ';' || c == '|' || c == '&' && !redirects(s, i) || c == '(' || c == ')':
			endCommand()
			switch c {
			case '(':
				l.depth++
			case ')':
				l.depth--
			}
			joins = c == '|' || c == '&' && i > 0 && s[i-1] == '&'
		default:
			if c == '$' {
				dollar = i
			}
			word.WriteByte(c)
			within = true
		}
	}
	endCommand()
	l.text = s
	if len(pending) > 0 {
		return l, errors.New("a heredoc has no end")
	}
	return l, nil
}

// redirects reports whether the & at i is part of a redirection, such as 2>&1 or &>file.
func redirects(s string, i int) bool {
	return i > 0 && (s[i-1] == '>' || s[i-1] == '<') || i+1 < len(s) && s[i+1] == '>'
}

// quotedLength is the length of what stands in quotes, in which a backslash may escape the next byte.
func quotedLength(s string, quote byte, escapes bool) (int, error) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i, nil
		case s[i] == '\\' && escapes:
			i++
		}
	}
	return 0, errors.New("a quote is not closed")
}

// skipHeredocs gives what follows the heredocs of a line.
func skipHeredocs(s string, all []heredoc) (string, error) {
	for _, h := range all {
		for {
			line, rest, more := strings.Cut(s, "\n")
			s = rest
			if h.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == h.end {
				break
			}
			if !more {
				return s, errors.New("a heredoc has no end")
			}
		}
	}
	return s, nil
}
