package outline

import (
	"bytes"
	"regexp"
	"strings"
)

var (
	cAccess     = regexp.MustCompile(`^[ \t]*(?:public|private|protected|signals|Q_SIGNALS)\b(?:[ \t]+\w+)?[ \t]*:(?:[^:]|$)`)
	cLead       = regexp.MustCompile(`^(?:(?:static|inline|virtual|explicit|constexpr|consteval|constinit|friend|extern|typedef|mutable|export)\b\s*|"+\s*)+`)
	cMacroCall  = regexp.MustCompile(`^[A-Z][A-Z0-9_]*\s*\([^(){};]*\)\s*(?:\r?\n\s*)+`) // a macro that stands in a line of its own
	cAttribute  = regexp.MustCompile(`\b(?:__attribute__|__declspec|alignas|_Alignas|decltype|noexcept|requires|throw)\s*\(`)
	cNamespace  = regexp.MustCompile(`^namespace\b\s*((?:` + word + `(?:\s*::\s*(?:inline\s+)?)?)*)`)
	cType       = regexp.MustCompile(`^(class|struct|union|enum(?:\s+(?:class|struct))?)\b(?:\s+[A-Z][A-Z0-9_]*_[A-Z0-9_]*)?\s*(` + word + `(?:\s*::\s*` + word + `)*)?\s*(?:<[^{}()]*>)?\s*(?:(?:final|[A-Z][A-Z0-9_]*_[A-Z0-9_]*)\b\s*)?(?s::[^:].*)?$`)
	cCallee     = regexp.MustCompile(`((?:` + word + `\s*(?:<[^<>]*>)?\s*::\s*)*(?:~\s*)?(?:operator\s*(?:\(\s*\)|\[\s*\]|[^\s\w(]+|` + word + `(?:\s*[*&]*)?)|` + word + `))\s*$`)
	cDeclared   = regexp.MustCompile(`^[\w\s:<>,*&\x80-\xff]*?[\s*&>](` + word + `(?:\s*::\s*` + word + `)*)\s*(?:\[[^\]]*\]\s*)*(?:[={,]|:\s*\d+\s*$|$)`)
	cTypedefEnd = regexp.MustCompile(`(` + word + `)\s*(?:\[[^\]]*\]\s*)*$`)
	cPointer    = regexp.MustCompile(`\(\s*\*\s*(` + word + `)\s*\)\s*\(`)
	cUsing      = regexp.MustCompile(`^using\s+(` + word + `)\s*=`)
	cDefine     = regexp.MustCompile(`^[ \t]*#[ \t]*define[ \t]+(` + word + `)(\(?)`)
	cKeyword    = map[string]bool{
		"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "sizeof": true, "else": true, "do": true,
		"static_assert": true, "_Static_assert": true, "defined": true, "throw": true, "new": true, "delete": true,
	}
	cNoValue = regexp.MustCompile(`^(?:using|return|goto|break|continue|namespace|template|static_assert|delete|throw|class|struct|union|enum)\b`)
)

func cDefinitions(t *text) []Definition {
	t.code = blanked(t.src, cSyntax)
	macros := preprocess(t)
	return append(grammar{opening: cOpening, argument: cArgument, ending: cEnding}.definitions(t), macros...)
}

// preprocess blanks the directives and access labels, and gives the macros that they define. Of the branches of one #if, the later ones go
// where the first opens more braces than it closes: with both, nothing after them would be paired right.
func preprocess(t *text) (macros []Definition) {
	t.cut = map[int]bool{}
	type branch struct {
		from    int  // offset of the present branch
		balance int  // of the first branch: braces opened less braces closed
		counted bool // the first branch is over
	}
	var open []branch
	tooDeep := 0 // #if that are not looked into
	for line := 1; line <= t.lines(); line++ {
		from, to := t.bounds(line)
		code := bytes.TrimLeft(t.code[from:to], " \t")
		if access := cAccess.Find(t.code[from:to]); access != nil {
			fill(access[:bytes.IndexByte(access, ':')+1])
			t.cut[line] = true
		}
		if len(code) == 0 || code[0] != '#' {
			continue
		}
		first := line
		for line < t.lines() && bytes.HasSuffix(bytes.TrimRight(t.code[from:to], " \t\r"), []byte(`\`)) {
			line++
			_, to = t.bounds(line)
		}
		directive := bytes.TrimLeft(code[1:], " \t")
		if m := cDefine.FindSubmatch(t.code[from:to]); m != nil {
			kind := Value
			if len(m[2]) > 0 {
				kind = Function
			}
			macros = append(macros, Definition{Name: []string{string(m[1])}, Kind: kind, Start: t.above(first), End: line})
		}
		switch {
		case bytes.HasPrefix(directive, []byte("if")):
			if len(open) < maxInterpolation {
				open = append(open, branch{from: to})
			} else {
				tooDeep++
			}
		case tooDeep > 0 && bytes.HasPrefix(directive, []byte("endif")):
			tooDeep--
		case tooDeep > 0 || len(open) == 0:
		case bytes.HasPrefix(directive, []byte("el")), bytes.HasPrefix(directive, []byte("endif")):
			b := &open[len(open)-1]
			if !b.counted {
				b.balance = bytes.Count(t.code[b.from:from], []byte("{")) - bytes.Count(t.code[b.from:from], []byte("}"))
				b.counted = true
			} else if b.balance != 0 {
				fill(t.code[b.from:from])
			}
			b.from = to
			if directive[1] == 'n' {
				open = open[:len(open)-1]
			}
		}
		fill(t.code[from:to])
		for at := first; at <= line; at++ {
			t.cut[at] = true
		}
	}
	return macros
}

func fill(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// cLeadOff takes template<...>, attributes and storage classes off.
func cLeadOff(head []byte) []byte {
	for {
		rest := bytes.TrimLeft(head, " \t\r\n")
		if after, ok := bytes.CutPrefix(rest, []byte("template")); ok {
			if after = bytes.TrimSpace(after); len(after) > 0 && after[0] == '<' {
				rest = afterAngles(after)
			}
		}
		if bytes.HasPrefix(rest, []byte("[[")) {
			rest = afterBrackets(rest)
		}
		rest = rest[len(cLead.Find(rest)):]
		rest = rest[len(cMacroCall.Find(rest)):]
		if at := cAttribute.FindIndex(rest); at != nil {
			after := afterParentheses(rest[at[1]-1:])
			rest = append(append(bytes.Clone(rest[:at[0]]), ' '), after...)
		}
		if len(rest) == len(head) {
			return bytes.TrimSpace(rest)
		}
		head = rest
	}
}

// afterParentheses is what follows the parentheses that text opens with.
func afterParentheses(text []byte) []byte {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[i+1:]
			}
		}
	}
	return nil
}

func cArgument([]byte) meaning { return meaning{opaque: true} }

func cOpening(head []byte, in body) meaning {
	rest := cLeadOff(head)
	if len(rest) == 0 && bytes.Contains(head, []byte("extern")) {
		return meaning{holds: in}
	}
	inline, _ := bytes.CutPrefix(rest, []byte("inline "))
	if m := cNamespace.FindSubmatch(inline); m != nil {
		return meaning{names: scopedNames(m[1]), kind: Type, holds: inFile}
	}
	if m := cType.FindSubmatch(rest); m != nil {
		holds := inType
		if bytes.HasPrefix(m[1], []byte("enum")) {
			holds = inObject
		}
		// typedef struct {...} name; and struct x {...} v; go on behind the brace, which ending passes over.
		return meaning{names: scopedNames(m[2]), kind: Type, holds: holds, goesOn: len(m[2]) == 0 && bytes.Contains(head, []byte("typedef"))}
	}
	if in == inObject {
		return meaning{holds: inObject, goesOn: true}
	}
	if name := callee(rest); name != nil {
		return meaning{names: name, kind: Function, holds: inFunction, opaque: true}
	}
	if m := cDeclared.FindSubmatch(append(bytes.Clone(rest), '{')); m != nil && len(rest) > 0 {
		return meaning{names: scopedNames(m[1]), holds: inFunction, goesOn: true, opaque: true}
	}
	return meaning{holds: inFunction, opaque: true}
}

// callee is the name before the first parenthesis of a function's head; nil when it is no function.
func callee(rest []byte) []string {
	at := bytes.IndexByte(rest, '(')
	if op := bytes.Index(rest, []byte("operator")); op >= 0 && op < at { // operator() has parentheses in its name
		if after := bytes.TrimLeft(rest[op+len("operator"):], " \t"); bytes.HasPrefix(after, []byte("()")) {
			if next := bytes.IndexByte(after[2:], '('); next >= 0 {
				at = len(rest) - len(after) + 2 + next
			}
		}
	}
	if at < 0 {
		return nil
	}
	before := bytes.TrimSpace(rest[:at])
	m := cCallee.FindSubmatch(before)
	if m == nil || cKeyword[string(m[1])] {
		return nil
	}
	if equals := bytes.IndexByte(before, '='); equals >= 0 && !bytes.Contains(m[1], []byte("operator")) {
		return nil
	}
	return scopedNames(m[1])
}

// scopedNames are the parts of A<T>::B::name.
func scopedNames(s []byte) (names []string) {
	for part := range strings.SplitSeq(string(s), "::") {
		if !strings.Contains(part, "operator") {
			part, _, _ = strings.Cut(part, "<")
			part = strings.TrimPrefix(strings.TrimSpace(part), "inline ")
		}
		if part = strings.Join(strings.Fields(part), ""); part != "" {
			names = append(names, part)
		}
	}
	return names
}

func cEnding(head []byte, in body) meaning {
	if in == inFunction {
		return meaning{}
	}
	if in == inObject { // an enumerator
		if m := cTypedefEnd.FindSubmatch(bytes.TrimSpace(firstPart(head, '='))); m != nil && len(m[0]) == len(bytes.TrimSpace(firstPart(head, '='))) {
			return meaning{names: []string{string(m[1])}, kind: Value}
		}
		return meaning{}
	}
	rest := cLeadOff(head)
	if m := cUsing.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, kind: Type}
	}
	if bytes.HasPrefix(bytes.TrimSpace(head), []byte("typedef")) {
		m := cTypedefEnd.FindSubmatch(rest)
		if m == nil {
			m = cPointer.FindSubmatch(rest)
		}
		if m != nil {
			return meaning{names: []string{string(m[1])}, kind: Type}
		}
	}
	if name := callee(rest); name != nil {
		if bytes.ContainsAny(bytes.TrimSpace(firstPart(rest, '(')), " \t\n*&~") || in == inType {
			return meaning{names: name, kind: Function}
		}
		return meaning{}
	}
	if !cNoValue.Match(rest) {
		if m := cDeclared.FindSubmatch(rest); m != nil {
			return meaning{names: scopedNames(m[1]), kind: Value}
		}
	}
	return meaning{}
}

func firstPart(b []byte, c byte) []byte {
	before, _, _ := bytes.Cut(b, []byte{c})
	return before
}
