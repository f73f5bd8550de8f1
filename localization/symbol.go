package localization

import (
	"regexp"
	"slices"
	"strings"

	"evlab/localization/outline"
)

// notNames are words around a name, as people write them, and parts of a path that name nothing.
var notNames = map[string]bool{
	"func": true, "function": true, "def": true, "class": true, "struct": true, "interface": true, "enum": true, "trait": true, "impl": true, "fn": true,
	"module": true, "method": true, "type": true, "const": true, "var": true, "let": true, "async": true, "pub": true, "public": true, "private": true,
	"protected": true, "static": true, "export": true, "default": true, "field": true, "constant": true, "variable": true,
	"namespace": true, "mod": true, "property": true, "self": true, "this": true, "cls": true, "prototype": true, "exports": true,
}

var (
	generics   = regexp.MustCompile(`<[^<>]*>|\[[^\[\]]*\]`)
	separators = regexp.MustCompile(`::|->|[.#/]`)
)

// symbolPath are the parts of a symbol as executors write them: Type.Method, Type::method, (*T).Method, func (t *T)
// Method(x int), Class#method, List<T> total(Map<K, V> in), module.Class.method.
func symbolPath(s string) []string {
	if len(s) > maxPath {
		return nil
	}
	s = strings.Trim(strings.TrimSpace(s), "`'\";,")
	for n := 0; n < 8; n++ {
		shorter := generics.ReplaceAllString(s, "")
		if shorter == s || strings.HasPrefix(shorter, "operator") || strings.Contains(shorter, ".operator") {
			break
		}
		s = shorter
	}
	words := strings.Fields(s)
	for len(words) > 1 && notNames[words[0]] {
		words = words[1:]
	}
	s = strings.Join(words, " ")
	var receiver string
	if strings.HasPrefix(s, "(") { // Go's receiver
		inner, rest, ok := strings.Cut(s[1:], ")")
		if !ok {
			return nil
		}
		if fields := strings.Fields(strings.ReplaceAll(inner, "*", " ")); len(fields) > 0 {
			receiver = fields[len(fields)-1] + "."
		}
		s = strings.TrimLeft(rest, ". ")
	}
	if at := strings.IndexByte(s, '('); at > 0 && !strings.HasSuffix(s[:at], "operator") {
		s = s[:at]
	}
	words = strings.Fields(s)
	for len(words) > 1 && notNames[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return nil
	}
	s = receiver + words[len(words)-1]
	var parts []string
	for _, part := range separators.Split(s, -1) {
		if part = strings.Trim(part, "*&@: "); part != "" && !notNames[part] {
			parts = append(parts, part)
		}
	}
	return parts
}

// overlap is how many parts of a symbol a definition's name ends in; 0 when it is another's. Parts that the symbol has
// beyond the whole name may be the module's path.
func overlap(name, symbol []string) int {
	n := min(len(name), len(symbol))
	for i := 1; i <= n; i++ {
		if plain(name[len(name)-i]) != symbol[len(symbol)-i] {
			return 0
		}
	}
	return n
}

// plain is a part of a definition's name as symbols are compared: a private #secret is secret, since # separates.
func plain(s string) string { return strings.TrimPrefix(s, "#") }

// named are the definitions that a symbol names: those that agree with most of it, of these the one with that whole name
// before members of the same name. several tells that they are of different names, so that the symbol is no one place;
// overloads and the parts of one type have the same.
func named(defs []outline.Definition, symbol []string) (found []outline.Definition, several bool) {
	best, whole := 0, false
	for _, d := range defs {
		n := overlap(d.Name, symbol)
		exact := n == len(d.Name)
		if n == 0 || n < best || n == best && whole && !exact {
			continue
		}
		if n > best || exact && !whole {
			found, best, whole = found[:0], n, exact
		}
		found = append(found, d)
	}
	for _, d := range found {
		several = several || !slices.Equal(d.Name, found[0].Name)
	}
	return found, several
}
