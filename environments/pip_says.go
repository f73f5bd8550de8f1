package environments

import (
	"bytes"
	"regexp"
	"strings"
)

// listener keeps of what pip says the lines that decide. It says much, and how much is the index's choice.
type listener struct {
	begun     []byte // a line without its end
	failure   string // the first error
	warning   string // the last one
	unfetched string // why the last page could not be had
	skipped   string // why the last file was passed over
	hashes    []string
	last      string // line of all
}

const maxSaid = 8 << 10 // bytes of one line

func (l *listener) Write(p []byte) (int, error) {
	written := len(p)
	for {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		if room := maxSaid - len(l.begun); room > 0 {
			l.begun = append(l.begun, line[:min(room, len(line))]...)
		}
		if !whole {
			return written, nil
		}
		l.line(strings.TrimSpace(strings.ToValidUTF8(string(l.begun), "?")))
		l.begun, p = l.begun[:0], rest
	}
}

func (l *listener) line(s string) {
	after := func(prefix string) (string, bool) { return strings.CutPrefix(s, prefix) }
	if s == "" {
		return
	}
	if text, ok := after("ERROR: "); ok {
		if l.failure == "" {
			l.failure = text
		}
		return
	}
	if text, ok := after("WARNING: "); ok {
		if !strings.HasPrefix(text, "Retrying") {
			l.warning = text
		}
		return
	}
	if text, ok := after("Could not fetch URL "); ok {
		_, reason, _ := strings.Cut(text, ": ")
		l.unfetched = objects.ReplaceAllString(strings.TrimSuffix(reason, " - skipping"), "")
		return
	}
	if text, ok := after("Skipping link: "); ok {
		if reason, _, _ := strings.Cut(text, ": http"); !strings.HasPrefix(reason, "not a file") {
			l.skipped = reason
		}
		return
	}
	if (strings.HasPrefix(s, "Expected sha") || strings.HasPrefix(s, "Got ")) && len(l.hashes) < 2 {
		l.hashes = append(l.hashes, strings.Join(strings.Fields(s), " "))
		return
	}
	if !strings.HasPrefix(s, "Removed ") {
		l.last = s
	}
}

// deciding is what it failed for, in one line and without what a URL may hold of secrets. deaf is true when the index
// could not be talked to.
func (l *listener) deciding() (reason string, deaf bool) {
	switch {
	case len(l.hashes) > 0:
		reason = "a file of the index does not have its hash: " + strings.Join(l.hashes, ", ")
	case strings.HasPrefix(l.failure, "Could not find a version"), strings.HasPrefix(l.failure, "No matching distribution"):
		reason = "no wheel for this Python and machine: " + shorten(l.failure, 240)
		switch {
		case l.unfetched != "":
			reason += "; its page: " + shorten(l.unfetched, 240)
		case l.skipped != "":
			reason += "; of its last file: " + shorten(l.skipped, 160)
		}
		deaf = silence.MatchString(l.unfetched)
	case l.failure == "" || l.failure == "Exception:":
		reason = l.last
	default:
		reason = l.failure
		deaf = silence.MatchString(l.failure)
	}
	if l.warning != "" {
		reason += "; " + shorten(l.warning, 240)
	}
	return shorten(withoutSecrets(reason), 700), deaf
}

// silence is what pip says of an index that it cannot talk to.
var silence = regexp.MustCompile(`^connection error|connection broken by|timed out|Max retries exceeded|problem confirming the ssl certificate`)

var (
	urls  = regexp.MustCompile(`([a-z+]+://)(?:[^\s/'"]*@)?([^\s/'"@]+)[^\s'"]*`)
	paths = regexp.MustCompile(`(with url: )\S+`)
	// objects are no words for people, and differ each time.
	objects = regexp.MustCompile(`<[\w.]+ object at 0x[0-9a-f]+>:? ?`)
)

// withoutSecrets leaves of every URL its host: names, passwords and tokens may be in all the rest.
func withoutSecrets(s string) string {
	return paths.ReplaceAllString(urls.ReplaceAllString(s, "$1$2/..."), "$1...")
}

func shorten(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "..."
	}
	return s
}
