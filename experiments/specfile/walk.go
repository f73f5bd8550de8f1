package specfile

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"evlab/experiments"
)

// maxText bounds one value, in bytes; the longest legitimate ones are paths.
const maxText = 4096

// place is where a key stands in the file.
type place struct{ line, col int }

// walker turns nodes into plain values of the types that the spec has, noting each key's place and each fault.
type walker struct {
	*collector
	places map[string]place
	bad    map[string]bool // keys whose value was refused: what depends on them isn't reported again
}

func (w *walker) refuse(n *yaml.Node, key, format string, args ...any) {
	w.bad[key] = true
	w.at(n.Line, n.Column, key, format, args...)
}

// value is n as a value of type t; ok is false after a fault.
func (w *walker) value(n *yaml.Node, t reflect.Type, key string) (v any, ok bool) {
	if key != "" {
		w.places[key] = place{n.Line, n.Column}
	}
	switch {
	case n.Kind == yaml.AliasNode:
		w.refuse(n, key, "an alias (*%s); aliases are not read here, write the value out", clip(n.Value))
		return nil, false
	case n.Anchor != "":
		w.refuse(n, key, "an anchor (&%s); anchors are not read here, write the value where it is needed", clip(n.Anchor))
		return nil, false
	case n.Style&yaml.TaggedStyle != 0:
		w.refuse(n, key, "a tag (%s); tags are not read here", clip(n.Tag))
		return nil, false
	}
	switch {
	case t == durationType:
		return w.text(n, key, "a duration such as 90s or 5m", func(s string) error { _, err := time.ParseDuration(s); return err })
	case t == bytesType:
		if whole(n) {
			return w.whole(n, key, 0, math.MaxInt64)
		}
		return w.text(n, key, "a size such as 512MiB or 1GiB", func(s string) error { _, err := experiments.ParseBytes(s); return err })
	}
	switch t.Kind() {
	case reflect.Struct:
		return w.mapping(n, t, key)
	case reflect.Slice:
		return w.list(n, t, key)
	case reflect.Int:
		return w.whole(n, key, math.MinInt32, math.MaxInt32)
	case reflect.Uint64:
		return w.whole(n, key, 0, math.MaxUint64)
	case reflect.Float64:
		return w.number(n, key)
	default:
		return w.text(n, key, "text", nil)
	}
}

func (w *walker) mapping(n *yaml.Node, t reflect.Type, key string) (any, bool) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if short := shorthand(t, n.Value); short != nil {
			if !w.fit(n, key) {
				return nil, false
			}
			for name := range short {
				w.places[key+"."+name] = place{n.Line, n.Column}
			}
			return n.Value, true
		}
	}
	fields := fieldsOf(t)
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	if n.Kind != yaml.MappingNode {
		if key == "" {
			w.refuse(n, key, "expected the keys of an experiment (%s), found %s", strings.Join(names, ", "), describe(n))
		} else {
			w.refuse(n, key, "expected the keys %s, found %s", strings.Join(names, ", "), describe(n))
		}
		return nil, false
	}
	first := make(map[string]int, len(n.Content)/2) // line where a key was given
	out := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		name := k.Value
		switch line, again := first[name]; {
		case k.Kind == yaml.ScalarNode && k.Tag == "!!merge":
			w.refuse(k, key, "a merge (<<); merges are not read here, write the keys out")
			continue
		case k.Kind != yaml.ScalarNode || k.Anchor != "" || k.Style&yaml.TaggedStyle != 0:
			w.at(k.Line, k.Column, key, "expected a plain key, found %s", describe(k))
			continue
		case again:
			w.at(k.Line, k.Column, join(key, clip(name)), "given a second time; the first is in line %d", line)
			w.bad[join(key, name)] = true
			continue
		}
		first[name] = k.Line
		at := slices.Index(names, name)
		if at < 0 {
			w.unknown(k, key, names)
			continue
		}
		if value, ok := w.value(v, fields[at].typ, join(key, name)); ok {
			out[name] = value
		}
	}
	return out, true
}

// unknown reports a key that the mapping doesn't have, with the likeliest thing that was meant.
func (w *walker) unknown(k *yaml.Node, key string, names []string) {
	name := clip(k.Value)
	where := "an experiment"
	if key != "" {
		where = key
	}
	meant := experiments.Suggest(k.Value, names)
	if home := homeOf(k.Value); meant == "" && home != "" {
		meant = fmt.Sprintf(" (it goes under %s)", home)
		w.bad[join(home, k.Value)] = true
	}
	if meant == "" {
		meant = "; its keys are " + strings.Join(names, ", ")
	}
	for _, n := range names {
		if strings.Contains(meant, strconv.Quote(n)) {
			w.bad[join(key, n)] = true // it is there, misspelt: not also missing
		}
	}
	w.at(k.Line, k.Column, "", "unknown key %q in %s%s", name, where, meant)
}

func (w *walker) list(n *yaml.Node, t reflect.Type, key string) (any, bool) {
	if n.Kind != yaml.SequenceNode {
		w.refuse(n, key, "expected a list ([a, b] or lines that begin with -), found %s", describe(n))
		return nil, false
	}
	out := make([]any, 0, len(n.Content))
	for i, item := range n.Content {
		v, ok := w.value(item, t.Elem(), fmt.Sprintf("%s[%d]", key, i))
		if !ok { // an empty one keeps the others' indexes right
			v = any("")
			if t.Elem().Kind() == reflect.Struct {
				v = map[string]any{}
			}
		}
		out = append(out, v)
	}
	return out, true
}

// text is a string; check, when given, says whether it can be read as what is expected.
func (w *walker) text(n *yaml.Node, key, expected string, check func(string) error) (any, bool) {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		w.refuse(n, key, "expected %s, found nothing", expected)
	case check != nil && n.Kind == yaml.ScalarNode && (n.Tag != "!!str" || check(n.Value) != nil):
		w.refuse(n, key, "expected %s, found %s", expected, describe(n))
	case n.Kind == yaml.ScalarNode && n.Tag != "!!str":
		w.refuse(n, key, "expected %s, found %s; put it in quotes if it is meant as text", expected, describe(n))
	case n.Kind != yaml.ScalarNode:
		w.refuse(n, key, "expected %s, found %s", expected, describe(n))
	case w.fit(n, key):
		return n.Value, true
	}
	return nil, false
}

// fit refuses text that no name, path or word has.
func (w *walker) fit(n *yaml.Node, key string) bool {
	if len(n.Value) > maxText {
		w.refuse(n, key, "a text of %d bytes; at most %d are read", len(n.Value), maxText)
		return false
	}
	if i := strings.IndexFunc(n.Value, unicode.IsControl); i >= 0 {
		w.refuse(n, key, "the text %q has a control character or a line break in it", clip(n.Value))
		return false
	}
	return true
}

// decimal keeps out what YAML reads in ways that people don't expect: 010 is eight, 1_0 is ten.
var decimal = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)$`)

func whole(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!int" }

func (w *walker) whole(n *yaml.Node, key string, lo int64, hi uint64) (any, bool) {
	if !whole(n) {
		w.refuse(n, key, "expected a whole number, found %s", describe(n))
		return nil, false
	}
	if !decimal.MatchString(n.Value) {
		w.refuse(n, key, "expected a whole number in plain decimal digits, found %s", clip(n.Value))
		return nil, false
	}
	if v, err := strconv.ParseInt(n.Value, 10, 64); err == nil && v >= lo && (v < 0 || uint64(v) <= hi) {
		return v, true
	}
	if v, err := strconv.ParseUint(strings.TrimPrefix(n.Value, "+"), 10, 64); err == nil && v > math.MaxInt64 && v <= hi {
		return v, true
	}
	w.refuse(n, key, "%s is outside %d to %d", clip(n.Value), lo, hi)
	return nil, false
}

func (w *walker) number(n *yaml.Node, key string) (any, bool) {
	if n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float") {
		v, err := strconv.ParseFloat(n.Value, 64)
		if err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) && !strings.ContainsAny(n.Value, "xX_") {
			return v, true
		}
	}
	w.refuse(n, key, "expected a number, found %s", describe(n))
	return nil, false
}

// describe says what a node is, in words.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!int", "!!float":
		return "the number " + clip(n.Value)
	case "!!bool":
		return "the truth value " + clip(n.Value)
	case "!!timestamp":
		return "the date " + clip(n.Value)
	}
	return fmt.Sprintf("the text %q", clip(n.Value))
}

// clip shortens untrusted text for a message and takes control characters out.
func clip(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return s
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
