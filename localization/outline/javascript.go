package outline

import (
	"bytes"
	"regexp"
	"strings"
)

const jsName = `[A-Za-z_$\x80-\xff][\w$\x80-\xff]*`

var (
	jsLead      = regexp.MustCompile(`^(?:export\s+|default\s+|declare\s+|abstract\s+|async\s+)+`)
	jsFunction  = regexp.MustCompile(`^function\s*\*?\s*(` + jsName + `)?`)
	jsClass     = regexp.MustCompile(`^class\b\s*(` + jsName + `)?`)
	jsContainer = regexp.MustCompile(`^(?:const\s+)?(interface|enum|namespace|module)\s+(` + jsName + `(?:\.` + jsName + `)*)`)
	jsTypeAlias = regexp.MustCompile(`^type\s+(` + jsName + `)\b`)
	jsVariable  = regexp.MustCompile(`^(?:const|let|var)\s+(` + jsName + `)`)
	jsAssigned  = regexp.MustCompile(`^(` + jsName + `(?:\s*\.\s*` + jsName + `)*)\s*=(?:[^=>]|$)`)
	jsMember    = regexp.MustCompile(`^(?:(?:public|private|protected|static|readonly|override|async|get|set|accessor|declare|abstract)\s+)*\*?\s*(#?` + jsName + `)\s*([?!]?\s*(?:<[^(]*>)?\(|[?!]?\s*[:=]|[?!]?\s*$)`)
	jsControl   = regexp.MustCompile(`^(?:if|for|while|switch|catch|else|do|try|finally|with|return|throw|case|default|import|new|yield|await)\b`)
	jsCallable  = regexp.MustCompile(`^[^{;]*?[=:]\s*(?:async\s*)?(?:function\b|\([^{]*=>|` + jsName + `\s*=>|<)|^[^{;]*=>`)
)

// javascriptDefinitions is for TypeScript and JSX, too.
func javascriptDefinitions(t *text) []Definition {
	t.code = blanked(t.src, javascriptSyntax)
	return grammar{opening: jsOpening, argument: jsArgument, ending: jsEnding, lineEnds: true}.definitions(t)
}

// afterLead takes decorators and words such as export off.
func afterLead(head []byte) (rest []byte, isDefault bool) {
	rest = withoutAnnotations(head)
	lead := jsLead.Find(rest)
	return rest[len(lead):], bytes.Contains(lead, []byte("default"))
}

// withoutAnnotations takes @name and @name(...) off the start, as decorators and annotations are written.
func withoutAnnotations(head []byte) []byte {
	for len(head) > 1 && head[0] == '@' && !bytes.HasPrefix(head, []byte("@interface")) {
		i := 1
		for i < len(head) && (isName(head[i]) || head[i] == '.') {
			i++
		}
		head = bytes.TrimLeft(head[i:], " \t\r\n")
		if len(head) > 0 && head[0] == '(' {
			head = bytes.TrimLeft(afterBrackets(head), " \t\r\n")
		}
	}
	return head
}

// afterBrackets is what follows the brackets that text opens with; nothing when they don't close.
func afterBrackets(text []byte) []byte {
	depth := 0
	for i, c := range text {
		switch c {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if depth--; depth == 0 {
				return text[i+1:]
			}
		}
	}
	return nil
}

// jsTypeLiteral: a brace that opens a type inside a head, as in f<T extends {...}>(): Promise<{...}>.
var jsTypeLiteral = regexp.MustCompile(`(?:[<|&]|\b(?:extends|keyof))$`)

func jsOpening(head []byte, in body) meaning {
	rest, isDefault := afterLead(head)
	if jsTypeLiteral.Match(rest[max(0, len(rest)-20):]) {
		return meaning{holds: inObject, goesOn: true}
	}
	if m := jsFunction.FindSubmatch(rest); m != nil {
		return meaning{names: nameOr(m[1], isDefault), kind: Function, holds: inFunction}
	}
	if m := jsClass.FindSubmatch(rest); m != nil {
		return meaning{names: nameOr(m[1], isDefault), kind: Type, holds: inType}
	}
	if m := jsContainer.FindSubmatch(rest); m != nil {
		holds := map[string]body{"interface": inType, "enum": inObject}[string(m[1])]
		return meaning{names: strings.Split(string(m[2]), "."), kind: Type, holds: holds}
	}
	holds := jsHolds(rest)
	if isDefault && len(rest) == 0 {
		return meaning{holds: inObject, goesOn: true}
	}
	if m := jsVariable.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, holds: holds, goesOn: true}
	}
	if m := jsTypeAlias.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, holds: inType, goesOn: true}
	}
	if jsControl.Match(rest) && in != inObject && in != inType || len(rest) == 0 {
		if jsGoesOn.Match(rest) {
			return meaning{holds: holds, goesOn: true}
		}
		return meaning{holds: inFunction}
	}
	if in == inType || in == inObject {
		if m := jsMember.FindSubmatch(rest); m != nil {
			if mark := bytes.TrimSpace(m[2]); len(mark) > 0 && mark[len(mark)-1] == '(' {
				return meaning{names: []string{string(m[1])}, kind: Function, holds: inFunction}
			} else if len(mark) > 0 && mark[len(mark)-1] != '(' {
				return meaning{names: []string{string(m[1])}, holds: holds, goesOn: true}
			}
		}
		if string(rest) == "static" {
			return meaning{holds: inFunction}
		}
	}
	if m := jsAssigned.FindSubmatch(rest); m != nil {
		return meaning{names: assignedNames(m[1]), holds: holds, goesOn: true}
	}
	return meaning{holds: holds, goesOn: true}
}

var (
	jsGoesOn      = regexp.MustCompile(`^(?:return|throw|import|new|yield|await|default)\b`)
	jsFunctionEnd = regexp.MustCompile(`\bfunction\s*\*?\s*(?:` + jsName + `)?\s*\([^{}]*$`)
	jsClassEnd    = regexp.MustCompile(`\bclass\b[^{}()]*$`)
)

// jsArgument: a callback of a variable is inside what the variable names, as in const f = memo(() => {...}).
func jsArgument(head []byte) meaning {
	rest, _ := afterLead(head)
	m := meaning{holds: jsHolds(rest)}
	if v := jsVariable.FindSubmatch(rest); v != nil && m.holds != inObject {
		m.names = []string{string(v[1])}
	}
	return m
}

// jsHolds guesses what an expression's brace holds from the code before it.
func jsHolds(head []byte) body {
	end := head[max(0, len(head)-200):]
	switch {
	case bytes.HasSuffix(end, []byte("=>")), jsFunctionEnd.Match(end):
		return inFunction
	case jsClassEnd.Match(end):
		return inType
	}
	return inObject
}

func nameOr(name []byte, isDefault bool) []string {
	switch {
	case len(name) > 0:
		return []string{string(name)}
	case isDefault:
		return []string{"default"}
	}
	return nil
}

// assignedNames are the parts of a.b.c that name something: exports, module, prototype, this and window don't.
func assignedNames(path []byte) (names []string) {
	for part := range strings.SplitSeq(string(path), ".") {
		switch part = strings.TrimSpace(part); part {
		case "module", "exports", "prototype", "this", "window", "global", "globalThis", "self":
		default:
			names = append(names, part)
		}
	}
	return names
}

func jsEnding(head []byte, in body) meaning {
	rest, _ := afterLead(head)
	kind := Value
	if jsCallable.Match(rest) {
		kind = Function
	}
	if m := jsVariable.FindSubmatch(rest); m != nil {
		if in == inFunction && kind != Function {
			return meaning{} // a local variable names no place
		}
		return meaning{names: []string{string(m[1])}, kind: kind}
	}
	if m := jsTypeAlias.FindSubmatch(rest); m != nil && in != inObject {
		return meaning{names: []string{string(m[1])}, kind: Type}
	}
	if m := jsFunction.FindSubmatch(rest); m != nil && len(m[1]) > 0 { // an overload
		return meaning{names: []string{string(m[1])}, kind: Function}
	}
	if in == inType || in == inObject {
		if m := jsMember.FindSubmatch(rest); m != nil {
			if bytes.HasSuffix(m[2], []byte("(")) {
				kind = Function
			}
			return meaning{names: []string{string(m[1])}, kind: kind}
		}
		return meaning{}
	}
	if m := jsAssigned.FindSubmatch(rest); m != nil && (in == inFile || kind == Function) {
		return meaning{names: assignedNames(m[1]), kind: kind}
	}
	return meaning{}
}
