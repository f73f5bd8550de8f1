package validation

import (
	"bytes"
	"strings"
)

// deciding picks the lines of a log that name one of the tests, or an error, the last of them when there are more.
func deciding(log []byte, names []string, most int) []string {
	var lines []string
	for line := range bytes.Lines(log) {
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" || !tells(text, names) {
			continue
		}
		if len(text) > 300 {
			text = strings.ToValidUTF8(text[:300], "") + "..."
		}
		lines = append(lines, text)
		if len(lines) > most {
			lines = lines[1:]
		}
	}
	return lines
}

func tells(line string, names []string) bool {
	if strings.HasPrefix(line, "E  ") || strings.HasPrefix(line, "ERROR") || strings.Contains(line, "panic") {
		return true
	}
	if !strings.Contains(line, "FAIL") && !strings.Contains(line, "rror") && !strings.Contains(line, `"fail"`) {
		return false
	}
	for _, name := range names {
		if _, bare, ok := strings.Cut(name, "::"); ok && strings.Contains(line, bare) || strings.Contains(line, name) {
			return true
		}
	}
	return false
}
