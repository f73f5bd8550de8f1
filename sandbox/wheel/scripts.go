package wheel

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

var (
	programForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$`)
	objectForm  = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_.]*)\s*:\s*([A-Za-z_][A-Za-z0-9_]*)((?:\.[A-Za-z_][A-Za-z0-9_]*)*)\s*(?:\[[^\]]*\])?$`)
)

// scripts writes the programs that the wheel's entry points name.
func (w *one) scripts() error {
	if w.points == nil {
		return nil
	}
	text, err := whole(w.points)
	if err != nil {
		return err
	}
	section := ""
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, " #")
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			section = strings.TrimSpace(strings.Trim(line, "[]"))
			continue
		}
		if section != "console_scripts" && section != "gui_scripts" {
			continue
		}
		name, object, _ := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		m := objectForm.FindStringSubmatch(strings.TrimSpace(object))
		if !programForm.MatchString(name) || m == nil {
			return bad("entry_points.txt: expected a line such as tool = package.module:function, found %.100q", line)
		}
		target := path.Join("bin", name)
		free, err := w.place(target)
		if err != nil {
			return err
		}
		if !free {
			continue
		}
		if w.count++; w.count > maxFiles {
			return bad("with it there are more than %d files", maxFiles)
		}
		program := fmt.Sprintf("#!%s\nimport sys\nfrom %s import %s\nsys.exit(%s%s())\n", w.python.program(), m[1], m[2], m[2], m[3])
		if err := w.each(Entry{Path: target, Mode: 0o755, Size: int64(len(program))}, strings.NewReader(program)); err != nil {
			return err
		}
	}
	return nil
}
