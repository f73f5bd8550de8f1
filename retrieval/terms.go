package retrieval

import (
	"unicode"
	"unicode/utf8"
)

// maxTerm bounds a term in bytes: longer ones are keys, digests and encoded data, and would match nothing but
// themselves.
const maxTerm = 64

// stopWords are the words of English prose that say nothing about code. Without them an issue that says "the" ten
// times would ask for "the" first, because a repeated query term counts as often as it occurs.
var stopWords = []string{
	"a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for", "from",
	"had", "has", "have", "i", "if", "in", "into", "is", "it", "its", "no", "not", "of", "on", "or", "should", "so", "such",
	"that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "we", "were", "when", "which", "will",
	"with", "would", "you",
}

var stopped = func() map[string]bool {
	m := make(map[string]bool, len(stopWords))
	for _, w := range stopWords {
		m[w] = true
	}
	return m
}()

// Terms is what an index or a query makes of text, in order: lower-case terms without stop words (see splitter). It
// answers the question why a unit was found, or wasn't.
func Terms(text string) []string {
	var terms []string
	var s splitter
	s.split(text, func(term []byte) {
		if !stopped[string(term)] {
			terms = append(terms, string(term))
		}
	})
	return terms
}

// A splitter cuts text into lower-case terms. Its zero value is ready; its buffers are reused from call to call.
//
// A word is a run of letters, digits and underscores. It gives its pieces, which end at underscores, between a
// letter and a digit, before an upper-case letter that follows a lower-case one, and before the last letter of an
// upper-case run that goes on in lower case; and if there are several, the whole word too: parseHTTPHeader_v2 gives
// parsehttpheader_v2, parse, http, header, v, 2. Words joined by single dots, slashes or hyphens (paths, qualified
// names, versions, numbers, flags) give the joined whole as well: internal/lru.go gives internal, lru, go,
// internal/lru.go. Terms of more than 64 bytes are left out.
type splitter struct {
	buf    []byte // the current compound in lower case
	pieces []span // of the current word
}

type span struct{ start, end int } // in splitter.buf

type class uint8

const (
	classNone       class = iota // ends a word
	classUnderscore              // within a word, ends a piece
	classLower                   // also letters without case
	classUpper
	classDigit
)

var asciiClass = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		switch {
		case c == '_':
			t[c] = classUnderscore
		case c >= 'a' && c <= 'z':
			t[c] = classLower
		case c >= 'A' && c <= 'Z':
			t[c] = classUpper
		case c >= '0' && c <= '9':
			t[c] = classDigit
		}
	}
	return t
}()

// classAt is the class of the rune at text[i:] and its length in bytes; classNone and 0 at the end.
func classAt(text string, i int) (class, int) {
	if i >= len(text) {
		return classNone, 0
	}
	if c := text[i]; c < utf8.RuneSelf {
		return asciiClass[c], 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	switch {
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return classUpper, n
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return classLower, n
	case unicode.IsDigit(r):
		return classDigit, n
	}
	return classNone, n
}

// split calls emit with each term of text in order. The slice is valid during the call only.
func (s *splitter) split(text string, emit func(term []byte)) {
	for i := 0; i < len(text); {
		c, n := classAt(text, i)
		if c == classNone {
			i += n
			continue
		}
		i = s.compound(text, i, emit)
	}
}

// compound emits the terms of the words joined from text[i:] on and returns the offset after them.
func (s *splitter) compound(text string, i int, emit func(term []byte)) int {
	s.buf, s.pieces = s.buf[:0], s.pieces[:0]
	words, before := 0, classNone
	for {
		c, n := classAt(text, i)
		if c == classNone {
			if s.word(emit) {
				words++
			}
			if n == 1 && joins(text[i]) {
				if next, _ := classAt(text, i+1); next != classNone {
					s.buf = append(s.buf, text[i])
					i, before = i+1, classNone
					continue
				}
			}
			break
		}
		if c != classUnderscore {
			if s.cutsBefore(text, i+n, before, c) {
				s.pieces = append(s.pieces, span{start: len(s.buf)})
			}
			s.lower(text[i : i+n])
			s.pieces[len(s.pieces)-1].end = len(s.buf)
		} else {
			s.buf = append(s.buf, '_')
		}
		i, before = i+n, c
	}
	if words > 1 && len(s.buf) <= maxTerm {
		emit(s.buf)
	}
	return i
}

func joins(c byte) bool { return c == '.' || c == '/' || c == '-' }

// cutsBefore reports whether a piece begins with a rune of class c that follows one of class before and precedes
// text[next:].
func (s *splitter) cutsBefore(text string, next int, before, c class) bool {
	switch {
	case before == classNone || before == classUnderscore:
		return true
	case before == classUpper && c == classUpper:
		after, _ := classAt(text, next)
		return after == classLower
	case before == classUpper && c == classLower:
		return false
	}
	return before != c
}

func (s *splitter) lower(r string) {
	if len(r) > 1 {
		decoded, _ := utf8.DecodeRuneInString(r)
		s.buf = utf8.AppendRune(s.buf, unicode.ToLower(decoded))
		return
	}
	c := r[0]
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	s.buf = append(s.buf, c)
}

// word emits the word whose pieces were collected and reports whether there was one; underscores alone are none.
func (s *splitter) word(emit func(term []byte)) bool {
	if len(s.pieces) == 0 {
		return false
	}
	if len(s.pieces) > 1 {
		if whole := s.buf[s.pieces[0].start:s.pieces[len(s.pieces)-1].end]; len(whole) <= maxTerm {
			emit(whole)
		}
	}
	for _, p := range s.pieces {
		if p.end-p.start <= maxTerm {
			emit(s.buf[p.start:p.end])
		}
	}
	s.pieces = s.pieces[:0]
	return true
}
