package testlog

import "strings"

// fragments finds the testcase elements of JUnit XML in a log, whatever stands around them: reports that were printed, one after
// another, between other lines. It takes what begins like an element for one; junit reads whole documents.
type fragments struct {
	named  func(class, name string) string
	order  []string // of the children that a testcase may have, the first there says what became of it
	plain  bool     // the attributes' escapes are undone
	tag    string   // what there is of a tag that has not ended
	within bool     // a tag, or after it
	open   string   // the name of the testcase whose end is to come
	found  map[string]bool
}

// caseEnds are these children in their usual order.
var (
	caseEnds     = []string{"failure", "error", "skipped"}
	caseOutcomes = map[string]Outcome{"failure": Failed, "error": Errored, "skipped": Skipped}
)

// line reads a line and calls each with every testcase that ends in it.
func (f *fragments) line(text string, each func(name string, o Outcome)) {
	for {
		if f.open != "" {
			content, rest, ended := strings.Cut(text, "</testcase>")
			for _, child := range f.order {
				f.found[child] = f.found[child] || strings.Contains(content, "<"+child)
			}
			if !ended {
				return
			}
			each(f.open, f.outcome())
			f.open, text = "", rest
		}
		if !f.within {
			at := strings.Index(text, "<testcase")
			if at < 0 {
				return
			}
			text = text[at+len("<testcase"):]
			if text != "" && isWord(text[0]) {
				continue
			}
			f.within, f.tag = true, ""
		}
		part, rest, ended := strings.Cut(text, ">")
		if len(f.tag)+len(part) > 4*maxName { // no such tag
			f.within = false
			return
		}
		f.tag += part + "\n"
		if !ended {
			return
		}
		f.within, text = false, rest
		f.begin(each)
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// begin takes the tag that has just ended.
func (f *fragments) begin(each func(name string, o Outcome)) {
	tag := strings.TrimSpace(f.tag)
	body, empty := strings.CutSuffix(tag, "/")
	name, class := f.attr(body, "name"), f.attr(body, "classname")
	if name == "" {
		return
	}
	if name = f.named(class, name); empty {
		each(name, Passed)
		return
	}
	f.open, f.found = strings.Clone(name), map[string]bool{}
}

// attr is the value of an attribute in double quotes, the last one if there are several.
func (f *fragments) attr(tag, name string) (value string) {
	for {
		at := strings.Index(tag, `="`)
		if at < 0 {
			break
		}
		from := at
		for from > 0 && isWord(tag[from-1]) {
			from--
		}
		is := tag[from:at] == name
		text, rest, ended := strings.Cut(tag[at+2:], `"`)
		if !ended {
			break
		}
		if is {
			value = text
		}
		tag = rest
	}
	if f.plain {
		if text, err := xmlText(value); err == nil {
			value = text
		}
	}
	return value
}

func (f *fragments) outcome() Outcome {
	for _, child := range f.order {
		if f.found[child] {
			return caseOutcomes[child]
		}
	}
	return Passed
}
