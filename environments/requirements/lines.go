package requirements

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"evlab/sandbox/wheel"
)

// lines reads a requirements file as pip has them, with the files that it names; from says where it was named.
func (r *reader) lines(file, from string, constraint bool) error {
	if key := fmt.Sprint(constraint, " ", file); r.opened[key] {
		return nil
	} else if r.opened[key] = true; len(r.opened) > maxFiles {
		return fmt.Errorf("%s: more than %d files name one another", from, maxFiles)
	}
	text, err := r.file(file)
	if err != nil && from != "" {
		return fmt.Errorf("%s: %w", from, err)
	}
	if err != nil {
		return err
	}
	number, begun, joined := 0, 0, ""
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if len(line)+len(joined) > maxLine {
			return fmt.Errorf("%s:%d: a line of more than %d bytes", file, number, maxLine)
		}
		if joined == "" {
			begun = number
		}
		whole, more := strings.CutSuffix(line, `\`)
		comment := strings.HasPrefix(strings.TrimSpace(line), "#")
		if more && !comment { // a comment ends with its line
			joined += strings.TrimLeft(whole, " \t") + " "
			continue
		}
		if comment {
			line = ""
		}
		if err := r.line(file, begun, joined+line, constraint); err != nil {
			return err
		}
		joined = ""
	}
	return r.line(file, begun, joined, constraint)
}

// line reads one whole line.
func (r *reader) line(file string, number int, line string, constraint bool) error {
	at := fmt.Sprintf("%s:%d", file, number)
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return nil
	}
	for _, blank := range []string{" #", "\t#"} {
		line, _, _ = strings.Cut(line, blank)
	}
	if line = strings.TrimSpace(line); line == "" {
		return nil
	}
	if strings.HasPrefix(line, "-") {
		return r.option(file, at, line, constraint)
	}
	text, wanted, err := r.requirement(line)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	list := &r.set.Wanted
	if constraint {
		list = &r.set.Constraints
	}
	if key := fmt.Sprint(constraint, " ", text); wanted && !r.seen[key] {
		r.seen[key] = true
		*list = append(*list, text)
	}
	if len(*list) > maxLines {
		return fmt.Errorf("%s: more than %d requirements", at, maxLines)
	}
	return nil
}

// option reads a line that begins with a dash.
func (r *reader) option(file, at, line string, constraint bool) error {
	name, value, _ := strings.Cut(line, " ")
	if long, after, ok := strings.Cut(name, "="); ok && strings.HasPrefix(name, "--") {
		name, value = long, after+" "+value
	} else if len(name) > 2 && !strings.HasPrefix(name, "--") { // -rother.txt
		name, value = name[:2], name[2:]+" "+value
	}
	value = strings.TrimSpace(value)
	switch name {
	case "-r", "--requirement", "-c", "--constraint":
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
			value = value[1 : len(value)-1]
		}
		inner := path.Join(path.Dir(file), value)
		if path.IsAbs(value) || strings.Contains(value, ":") || inner == ".." || strings.HasPrefix(inner, "../") || kindOf(inner) != "txt" {
			return fmt.Errorf("%s: %s %.80q: expected another requirements file (.txt, .in) of the repository; %s", at, name, value, wayOut)
		}
		return r.lines(inner, at, constraint || name == "-c" || name == "--constraint")
	case "--pre":
		r.set.Pre = true
		return nil
	case "--prefer-binary", "--only-binary", "--require-hashes": // wheels alone are taken anyway, and hashes where they are given
		return nil
	case "--no-binary":
		return fmt.Errorf("%s: %.80q asks for a build from source, which runs the package's code, and only wheels are taken; %s", at, line, wayOut)
	case "-e", "--editable":
		return fmt.Errorf("%s: %.80q asks for a build of a source tree, which is not done; name a file without it, or %s", at, line, wayOut)
	}
	return fmt.Errorf("%s: the option %.40q is not followed: the machine's own pip settings say which index is asked; name a file without it, or %s", at, name, wayOut)
}

// requirement reads a package with what is wanted of it, and writes it anew; wanted is false where its marker does not hold.
func (r *reader) requirement(line string) (text string, wanted bool, err error) {
	line, hashes, err := cutHashes(line)
	if err != nil {
		return "", false, err
	}
	line, marker, _ := strings.Cut(line, ";")
	line = strings.TrimSpace(line)
	end := strings.IndexFunc(line, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')
	})
	name, rest := line, ""
	if end >= 0 {
		name, rest = line[:end], strings.TrimSpace(line[end:])
	}
	if strings.HasPrefix(rest, "@") || strings.Contains(line, "://") || strings.ContainsAny(line, "/\\$") || strings.HasSuffix(line, ".whl") || strings.HasPrefix(line, ".") {
		return "", false, fmt.Errorf("%.80q is a path or a URL, and only packages of an index are fetched; name a file without it, or %s", line, wayOut)
	}
	if !nameForm.MatchString(name) {
		return "", false, fmt.Errorf("expected the name of a package, found %.80q", line)
	}
	text = wheel.Normal(name)
	if strings.HasPrefix(rest, "[") {
		list, after, closed := strings.Cut(rest[1:], "]")
		var extras []string
		for _, extra := range strings.Split(list, ",") {
			if extra = strings.TrimSpace(extra); extra == "" && strings.TrimSpace(list) == "" {
				continue
			}
			if !closed || !nameForm.MatchString(extra) {
				return "", false, fmt.Errorf("expected extras in brackets after %s, found %.80q", name, rest)
			}
			extras = append(extras, extra)
		}
		slices.Sort(extras)
		if rest = strings.TrimSpace(after); len(extras) > 0 {
			text += "[" + strings.Join(extras, ",") + "]"
		}
	}
	if inner, ok := strings.CutPrefix(rest, "("); ok {
		if rest, ok = strings.CutSuffix(inner, ")"); !ok {
			return "", false, fmt.Errorf("a parenthesis that is not closed after %s", name)
		}
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		var specs []string
		for _, spec := range strings.Split(strings.TrimSuffix(rest, ","), ",") {
			m := specifierForm.FindStringSubmatch(strings.TrimSpace(spec))
			if m == nil {
				return "", false, fmt.Errorf("expected versions of %s such as >=1.2,<2, found %.80q", name, rest)
			}
			specs = append(specs, m[1]+m[2])
		}
		text += strings.Join(specs, ",")
	}
	for _, h := range hashes {
		text += " --hash=" + h
	}
	wanted, err = r.situation().holds(marker)
	return text, wanted, err
}

// cutHashes takes the hashes from a requirement's end.
func cutHashes(line string) (before string, hashes []string, err error) {
	i := strings.Index(line, " --")
	if i < 0 {
		return line, nil, nil
	}
	words := strings.Fields(line[i:])
	for n := 0; n < len(words); n++ {
		name, value, joined := strings.Cut(words[n], "=")
		if !joined && n+1 < len(words) {
			n++
			value = words[n]
		}
		if name != "--hash" {
			return "", nil, fmt.Errorf("the option %.40q of a requirement is not followed: only wheels are taken, and nothing is built; %s", name, wayOut)
		}
		if value = strings.ToLower(value); !hashForm.MatchString(value) {
			return "", nil, fmt.Errorf("expected --hash=sha256:... (or sha384, sha512), found %.80q", words[n])
		}
		hashes = append(hashes, value)
	}
	slices.Sort(hashes)
	return line[:i], slices.Compact(hashes), nil
}
