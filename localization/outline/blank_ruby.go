package outline

import (
	"bytes"
	"strings"
)

// heredoc is a string whose text begins after the present line.
type heredoc struct {
	word     string
	indented bool // its last line may be indented
}

// rubyLiteral hides a %-literal, ?x or notes a heredoc; it reports false where none begins.
func (b *blanker) rubyLiteral() bool {
	switch c := b.src[b.at]; c {
	case '$': // $" and the like are variables
		if rest := b.src[b.at+1:]; len(rest) > 0 && strings.IndexByte("\"'`/", rest[0]) >= 0 {
			b.hide(b.at+2, '"')
			return true
		}
	case '%':
		return b.percent()
	case '<':
		return b.heredocStart()
	case '?':
		if rest := b.src[b.at+1:]; len(rest) > 0 && rest[0] > ' ' && (len(rest) == 1 || !isName(rest[1])) && b.operand() {
			b.hide(b.at+2, '"')
			return true
		}
	case ':': // a symbol named like a keyword
		if rest := b.src[b.at+1:]; len(rest) > 0 && isName(rest[0]) && (b.at == 0 || b.src[b.at-1] != ':') {
			end := b.at + 1
			for end < len(b.src) && isName(b.src[end]) {
				end++
			}
			b.hide(end, '"')
			return true
		}
	}
	return false
}

// percent is %w[...], %q(...), %(...) and the like.
func (b *blanker) percent() bool {
	i := b.at + 1
	if i < len(b.src) && strings.IndexByte("wWqQiIrsx", b.src[i]) >= 0 {
		i++
	}
	if i >= len(b.src) || !b.operand() || isName(b.src[i]) || b.src[i] <= ' ' || b.src[i] == '=' {
		return false
	}
	open, shut := b.src[i], b.src[i]
	if at := strings.IndexByte("([{<", open); at >= 0 {
		shut = ")]}>"[at]
	}
	depth := 1
	for i++; i < len(b.src) && depth > 0; i++ {
		switch c := b.src[i]; {
		case c == '\\':
			i++
		case c == shut:
			depth--
		case c == open:
			depth++
		}
	}
	b.hide(i, '"')
	return true
}

// heredocStart notes <<~WORD, <<-WORD and <<WORD, quoted or not; WORD in capitals, as << is an operator, too.
func (b *blanker) heredocStart() bool {
	if !b.has("<<") || len(b.pending) >= maxInterpolation {
		return false
	}
	i := b.at + 2
	h := heredoc{}
	if i < len(b.src) && (b.src[i] == '~' || b.src[i] == '-') {
		h.indented = true
		i++
	}
	quote := byte(0)
	if i < len(b.src) && (b.src[i] == '"' || b.src[i] == '\'' || b.src[i] == '`') {
		quote = b.src[i]
		i++
	}
	from := i
	for i < len(b.src) && isName(b.src[i]) {
		i++
	}
	if i == from || quote == 0 && !(b.src[from] >= 'A' && b.src[from] <= 'Z') {
		return false
	}
	h.word = string(b.src[from:i])
	if quote != 0 {
		if i >= len(b.src) || b.src[i] != quote {
			return false
		}
		i++
	}
	if !h.indented && !b.operand() { // class X << Y, list <<Item
		return false
	}
	b.hide(i, '"')
	b.pending = append(b.pending, h)
	return true
}

// heredocs hides the texts that begin after this line feed.
func (b *blanker) heredocs() {
	for _, h := range b.pending {
		end := len(b.src)
		for line := b.at; line < len(b.src); {
			next := b.lineEnd(line + 1)
			text := bytes.TrimRight(b.src[line+1:next], " \t\r")
			if h.indented {
				text = bytes.TrimLeft(text, " \t")
			}
			if string(text) == h.word {
				end = next
				break
			}
			if line = next; next == len(b.src) {
				break
			}
		}
		if b.at < len(b.src) {
			b.hide(end, '"')
		}
	}
	b.pending = nil
	// The line feed after the last text ends the statement: it is code again.
}
