package requirements

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"evlab/sandbox/wheel"
)

// Target is the interpreter that files are read for.
type Target struct {
	Python  string // such as 3.11.2
	Machine string // as the kernel calls it: x86_64, aarch64
}

// situation is what markers are asked about.
type situation struct {
	Target
	sets     map[string][]string // by "extras" and "dependency_groups": what is taken of them
	anyExtra bool                // what is there for an extra is wanted
}

func (s situation) variables() map[string]string {
	minor := s.Python
	if parts := strings.SplitN(minor, ".", 3); len(parts) == 3 {
		minor = parts[0] + "." + parts[1]
	}
	v := map[string]string{
		"python_version": minor, "python_full_version": s.Python, "implementation_version": s.Python, "implementation_name": "cpython",
		"os_name": "posix", "sys_platform": "linux", "platform_system": "Linux", "platform_machine": s.Machine, "platform_python_implementation": "CPython",
		"platform_release": "", "platform_version": "", "extra": "",
	}
	for old, name := range map[string]string{ // spellings of old
		"os.name": "os_name", "sys.platform": "sys_platform", "platform.machine": "platform_machine", "platform.version": "platform_version",
		"platform.python_implementation": "platform_python_implementation", "python_implementation": "platform_python_implementation",
	} {
		v[old] = v[name]
	}
	return v
}

const (
	maxMarker = 8 << 10 // bytes of one marker
	maxDepth  = 50      // of its parentheses
)

// markerToken is a word, a quoted text, an operator or a parenthesis.
var markerToken = regexp.MustCompile(`^\s*(?:([A-Za-z_][A-Za-z0-9_.]*)|"([^"\\]*)"|'([^'\\]*)'|(===|==|~=|!=|<=|>=|<|>|\(|\)))`)

type token struct {
	kind byte // 'w' a word, 's' a text, 'o' an operator or a parenthesis
	text string
}

// holds evaluates a marker (PEP 508). An empty one holds.
func (s situation) holds(marker string) (bool, error) {
	if strings.TrimSpace(marker) == "" {
		return true, nil
	}
	if len(marker) > maxMarker {
		return false, fmt.Errorf("a marker of %d bytes; at most %d are read", len(marker), maxMarker)
	}
	p := &markerParser{situation: s, known: s.variables()}
	for rest := marker; strings.TrimSpace(rest) != ""; {
		m := markerToken.FindStringSubmatch(rest)
		switch {
		case m == nil:
			return false, fmt.Errorf("the marker %.200q: unexpected %.20q", marker, strings.TrimSpace(rest))
		case m[1] != "":
			p.tokens = append(p.tokens, token{'w', m[1]})
		case m[4] != "":
			p.tokens = append(p.tokens, token{'o', m[4]})
		default:
			p.tokens = append(p.tokens, token{'s', m[2] + m[3]})
		}
		rest = rest[len(m[0]):]
	}
	yes, err := p.either(0)
	if err == nil && len(p.tokens) > 0 {
		err = fmt.Errorf("unexpected %.40q", p.tokens[0].text)
	}
	if err != nil {
		return false, fmt.Errorf("the marker %.200q: %w", marker, err)
	}
	return yes, nil
}

type markerParser struct {
	situation
	known  map[string]string
	tokens []token
}

func (p *markerParser) next(kind byte, text string) bool {
	if len(p.tokens) > 0 && p.tokens[0].kind == kind && p.tokens[0].text == text {
		p.tokens = p.tokens[1:]
		return true
	}
	return false
}

func (p *markerParser) either(depth int) (bool, error) {
	yes, err := p.both(depth)
	for err == nil && p.next('w', "or") {
		var more bool
		more, err = p.both(depth)
		yes = yes || more
	}
	return yes, err
}

func (p *markerParser) both(depth int) (bool, error) {
	yes, err := p.one(depth)
	for err == nil && p.next('w', "and") {
		var more bool
		more, err = p.one(depth)
		yes = yes && more
	}
	return yes, err
}

func (p *markerParser) one(depth int) (bool, error) {
	if p.next('o', "(") {
		if depth == maxDepth {
			return false, fmt.Errorf("more than %d parentheses in one another", maxDepth)
		}
		yes, err := p.either(depth + 1)
		if err == nil && !p.next('o', ")") {
			err = fmt.Errorf("a parenthesis that is not closed")
		}
		return yes, err
	}
	left, err := p.operand()
	if err != nil {
		return false, err
	}
	op := ""
	switch {
	case p.next('w', "in"):
		op = "in"
	case p.next('w', "not"):
		if !p.next('w', "in") {
			return false, fmt.Errorf("not without in")
		}
		op = "not in"
	case len(p.tokens) > 0 && p.tokens[0].kind == 'o' && p.tokens[0].text != "(" && p.tokens[0].text != ")":
		op, p.tokens = p.tokens[0].text, p.tokens[1:]
	default:
		return false, fmt.Errorf("a comparison is missing")
	}
	right, err := p.operand()
	if err != nil {
		return false, err
	}
	return p.compare(left, op, right)
}

func (p *markerParser) operand() (token, error) {
	if len(p.tokens) == 0 || p.tokens[0].kind == 'o' {
		return token{}, fmt.Errorf("a name or a quoted text is missing")
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	if _, known := p.known[t.text]; t.kind == 'w' && !known && t.text != "extras" && t.text != "dependency_groups" {
		return t, fmt.Errorf("%.40q is no name that markers know", t.text)
	}
	return t, nil
}

func (p *markerParser) compare(left token, op string, right token) (bool, error) {
	if set, is := p.sets[right.text]; right.kind == 'w' && (is || right.text == "extras" || right.text == "dependency_groups") {
		if left.kind != 's' || op != "in" && op != "not in" {
			return false, fmt.Errorf("%s is a set", right.text)
		}
		return slices.ContainsFunc(set, func(s string) bool { return wheel.Normal(s) == wheel.Normal(left.text) }) == (op == "in"), nil
	}
	if left.kind == 'w' && (left.text == "extras" || left.text == "dependency_groups") {
		return false, fmt.Errorf("%s is a set", left.text)
	}
	if p.anyExtra && (left.kind == 'w' && left.text == "extra" || right.kind == 'w' && right.text == "extra") {
		return true, nil
	}
	l, r := left.text, right.text
	if left.kind == 'w' {
		l = p.known[l]
	}
	if right.kind == 'w' {
		r = p.known[r]
	}
	switch op {
	case "in":
		return strings.Contains(r, l), nil
	case "not in":
		return !strings.Contains(r, l), nil
	}
	if v, ok := parseVersion(l); ok {
		if yes, known := v.satisfies(op, r); known {
			return yes, nil
		}
	}
	switch c := cmp.Compare(l, r); op {
	case "==", "===":
		return c == 0, nil
	case "!=":
		return c != 0, nil
	case "<":
		return c < 0, nil
	case "<=":
		return c <= 0, nil
	case ">":
		return c > 0, nil
	case ">=":
		return c >= 0, nil
	}
	return false, fmt.Errorf("%s compares versions, and %.40q is none", op, r)
}

// permits says whether a Python is one of those that a package names (Requires-Python). What is in another spelling than
// PEP 440's is taken as yes: the package itself says it again.
func (t Target) permits(specifiers string) bool {
	v, ok := parseVersion(t.Python)
	if !ok || strings.TrimSpace(specifiers) == "*" {
		return true
	}
	for _, spec := range strings.Split(specifiers, ",") {
		if m := specifierForm.FindStringSubmatch(strings.TrimSpace(spec)); m != nil {
			if yes, known := v.satisfies(m[1], m[2]); known && !yes {
				return false
			}
		}
	}
	return true
}
