package outline

import (
	"bytes"
	"regexp"
)

var (
	rustLead      = regexp.MustCompile(`^(?:pub(?:\s*\([^)]*\))?\s+|unsafe\s+|async\s+|default\s+|extern\s*"*\s+)+`)
	rustFunction  = regexp.MustCompile(`^(?:const\s+)?(?:unsafe\s+|async\s+|extern\s*"*\s*)*fn\s+(?:r#)?(` + word + `)`)
	rustContainer = regexp.MustCompile(`^(struct|enum|union|trait|mod)\s+(?:r#)?(` + word + `)`)
	rustImpl      = regexp.MustCompile(`^impl\b`)
	rustMacro     = regexp.MustCompile(`^macro_rules!\s*(` + word + `)`)
	rustValue     = regexp.MustCompile(`^(?:const|static(?:\s+mut)?)\s+(` + word + `)\s*:`)
	rustAlias     = regexp.MustCompile(`^type\s+(` + word + `)`)
	rustPathEnd   = regexp.MustCompile(`(?:^|::|[&\s(\[])(` + word + `)\s*(?:[)\]]*)$`)
)

func rustDefinitions(t *text) []Definition {
	t.code = blanked(t.src, rustSyntax)
	return grammar{opening: rustOpening, argument: rustArgument, ending: rustEnding}.definitions(t)
}

func rustLeadOff(head []byte) []byte {
	for {
		rest := head
		if bytes.HasPrefix(rest, []byte("#[")) || bytes.HasPrefix(rest, []byte("#![")) {
			rest = bytes.TrimLeft(afterBrackets(rest[bytes.IndexByte(rest, '['):]), " \t\r\n")
		}
		rest = rest[len(rustLead.Find(rest)):]
		if len(rest) == len(head) {
			return rest
		}
		head = rest
	}
}

func rustArgument([]byte) meaning { return meaning{holds: inFunction} }

func rustOpening(head []byte, in body) meaning {
	rest := rustLeadOff(head)
	if m := rustFunction.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, kind: Function, holds: inFunction}
	}
	if m := rustContainer.FindSubmatch(rest); m != nil {
		holds := inType
		if string(m[1]) == "mod" {
			holds = inFile
		}
		return meaning{names: []string{string(m[2])}, kind: Type, holds: holds}
	}
	if rustImpl.Match(rest) {
		return meaning{names: implemented(rest[len("impl"):]), kind: Type, holds: inType}
	}
	if m := rustMacro.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, kind: Function, opaque: true}
	}
	if m := rustValue.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, holds: inFunction, goesOn: true}
	}
	if in == inFunction {
		return meaning{holds: inFunction}
	}
	return meaning{holds: in}
}

// implemented is the type's name of impl<...> Trait for Type<...> where ...
func implemented(head []byte) []string {
	head = bytes.TrimSpace(head)
	if bytes.HasPrefix(head, []byte("<")) {
		head = bytes.TrimSpace(afterAngles(head))
	}
	if _, after, ok := bytes.Cut(head, []byte(" for ")); ok {
		head = after
	}
	head, _, _ = bytes.Cut(head, []byte(" where"))
	head, _, _ = bytes.Cut(head, []byte("\nwhere"))
	head, _, _ = bytes.Cut(head, []byte("<"))
	if m := rustPathEnd.FindSubmatch(bytes.TrimSpace(head)); m != nil {
		return []string{string(m[1])}
	}
	return nil
}

// afterAngles is what follows <...>, in which -> closes nothing.
func afterAngles(text []byte) []byte {
	depth := 0
	for i, c := range text {
		switch {
		case c == '<':
			depth++
		case c == '>' && i > 0 && text[i-1] != '-' && text[i-1] != '=':
			if depth--; depth == 0 {
				return text[i+1:]
			}
		}
	}
	return nil
}

func rustEnding(head []byte, in body) meaning {
	rest := rustLeadOff(head)
	if m := rustFunction.FindSubmatch(rest); m != nil {
		return meaning{names: []string{string(m[1])}, kind: Function}
	}
	if m := rustValue.FindSubmatch(rest); m != nil && in != inFunction {
		return meaning{names: []string{string(m[1])}, kind: Value}
	}
	if m := rustAlias.FindSubmatch(rest); m != nil && in != inFunction {
		return meaning{names: []string{string(m[1])}, kind: Type}
	}
	if m := rustContainer.FindSubmatch(rest); m != nil && string(m[1]) != "mod" {
		return meaning{names: []string{string(m[2])}, kind: Type}
	}
	return meaning{}
}
