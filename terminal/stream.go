package terminal

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Bounds of the width that output is laid out for, in columns.
const (
	MinWidth     = 20
	MaxWidth     = 300
	DefaultWidth = 80
)

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width is the number of columns of w within MinWidth..MaxWidth; DefaultWidth when w is not a terminal.
func Width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return clampWidth(columns)
		}
	}
	return DefaultWidth
}

// Columns is the width that the environment asks for in COLUMNS, within MinWidth..MaxWidth; 0 when it asks for none.
func Columns(getenv func(string) string) int {
	columns, err := strconv.Atoi(getenv("COLUMNS"))
	if err != nil || columns < 1 {
		return 0
	}
	return clampWidth(columns)
}

func clampWidth(columns int) int { return min(max(columns, MinWidth), MaxWidth) }

// Dumb reports whether the terminal can't move its cursor (TERM=dumb or none at all).
func Dumb(getenv func(string) string) bool {
	t := getenv("TERM")
	return t == "dumb" || t == ""
}

// ColourChoices are the values of --color.
var ColourChoices = []string{"auto", "always", "never"}

// Colour decides whether to use colour. In order: the flag's choice, NO_COLOR (set and not empty), CLICOLOR_FORCE (set
// and not 0), and then whether the stream is a terminal that can show it.
func Colour(choice string, getenv func(string) string, isTTY bool) (bool, error) {
	switch choice {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto", "":
	default:
		return false, fmt.Errorf("%q is not one of auto, always, never", choice)
	}
	if getenv("NO_COLOR") != "" {
		return false, nil
	}
	if force := getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true, nil
	}
	return isTTY && !Dumb(getenv), nil
}
