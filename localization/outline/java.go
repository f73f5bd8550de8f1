package outline

import (
	"bytes"
	"regexp"
)

const word = `[A-Za-z_$\x80-\xff][\w$\x80-\xff]*`

var (
	javaModifier = regexp.MustCompile(`^(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp|default|synchronized|native|transient|volatile)\b\s*)+`)
	javaType     = regexp.MustCompile(`^(?:class|interface|enum|record|@interface)\s+(` + word + `)`)
	javaCallee   = regexp.MustCompile(`(` + word + `)\s*$`)
	javaField    = regexp.MustCompile(`^` + word + `[\w.<>\[\],?&$\s\x80-\xff]*?[\s\]>](` + word + `)\s*(?:\[\s*\]\s*)*(?:[=,]|$)`)
	javaAnyNew   = regexp.MustCompile(`\bnew\s+[\w.<>,?\s$]+\([^{}]*\)$`)
	javaKeyword  = map[string]bool{
		"if": true, "for": true, "while": true, "switch": true, "catch": true, "synchronized": true, "try": true, "new": true, "return": true,
		"throw": true, "else": true, "do": true, "super": true, "this": true, "assert": true, "yield": true, "case": true,
	}
	javaOther = regexp.MustCompile(`^(?:package|import|return|throw|break|continue|assert|case|yield)\b`)
)

func javaDefinitions(t *text) []Definition {
	t.code = blanked(t.src, javaSyntax)
	return grammar{opening: javaOpening, argument: javaArgument, ending: javaEnding}.definitions(t)
}

// javaLead takes annotations and modifiers off, which come in any order.
func javaLead(head []byte) []byte {
	for {
		rest := withoutAnnotations(head)
		rest = rest[len(javaModifier.Find(rest)):]
		if len(rest) == len(head) {
			return rest
		}
		head = rest
	}
}

// javaArgument is an anonymous class, or statements.
func javaArgument(head []byte) meaning {
	if javaAnyNew.Match(head[max(0, len(head)-200):]) {
		return meaning{holds: inType}
	}
	return meaning{holds: inFunction}
}

func javaOpening(head []byte, in body) meaning {
	rest := javaLead(head)
	if m := javaType.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, kind: Type, holds: inType}
	}
	if in == inFunction || in == inObject {
		m := javaArgument(rest)
		m.goesOn = m.holds == inType || bytes.HasSuffix(rest, []byte("=")) || bytes.HasSuffix(rest, []byte("]"))
		return m
	}
	before, _, call := bytes.Cut(rest, []byte("("))
	if equals := bytes.IndexByte(before, '='); call && equals < 0 {
		if m := javaCallee.FindSubmatch(before); m != nil && !javaKeyword[string(m[1])] {
			return meaning{names: []string{string(m[1])}, kind: Function, holds: inFunction}
		}
	}
	if m := javaField.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, holds: javaArgument(rest).holds, goesOn: true}
	}
	if m := javaCallee.FindSubmatch(rest); m != nil && len(m[0]) == len(rest) && in == inType { // a record's compact constructor, an enum's constant
		return meaning{names: []string{string(m[1])}, kind: Function, holds: inFunction}
	}
	return meaning{holds: inFunction}
}

func javaEnding(head []byte, in body) meaning {
	if in != inType {
		return meaning{}
	}
	rest := javaLead(head)
	if javaOther.Match(rest) {
		return meaning{}
	}
	before, _, call := bytes.Cut(rest, []byte("("))
	if call && bytes.IndexByte(before, '=') < 0 {
		if m := javaCallee.FindSubmatch(before); m != nil && bytes.ContainsAny(bytes.TrimSpace(before), " \t\n>") {
			return meaning{names: []string{string(m[1])}, kind: Function}
		}
		return meaning{}
	}
	if m := javaField.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, kind: Value}
	}
	return meaning{}
}
