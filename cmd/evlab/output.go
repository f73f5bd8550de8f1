package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"evlab/terminal"
)

// app is what a command works with: streams, environment and the global flags. stdout is for results; everything else
// (progress, notes, errors) goes to stderr.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            []string

	json     bool
	color    string
	progress string
	data     string

	again string       // what shows the result once more, empty where only the same command does
	began bool         // the command line was understood and a command runs
	reads *atomic.Bool // the command only reads
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, env []string) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, env: env, reads: new(atomic.Bool)}
}

// getenv is the last value of a variable, as the operating system would have it.
func (a *app) getenv(name string) string {
	for _, kv := range slices.Backward(a.env) {
		if k, v, _ := strings.Cut(kv, "="); k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// checkGlobals refuses impossible global flags and variables before a command begins.
func (a *app) checkGlobals() error {
	if a.progress == "" {
		a.progress = a.getenv("EVLAB_PROGRESS")
	}
	mode, err := terminal.ParseMode(a.progress)
	if err != nil {
		return usage("", "progress: %v", err)
	}
	if mode == terminal.TTY && !a.canRedraw(a.stderr) {
		return usage("--progress auto chooses by itself", "progress: tty was asked for, and stderr is not a terminal that can be redrawn")
	}
	if _, err := terminal.Colour(a.color, a.getenv, false); err != nil {
		return usage("", "--color: %v", err)
	}
	return nil
}

func (a *app) canRedraw(w io.Writer) bool {
	return terminal.IsTerminal(raw(w)) && !terminal.Dumb(a.getenv)
}

// newProgress shows progress on stderr, as JSON lines when the output is JSON and nothing else was asked for.
func (a *app) newProgress() *terminal.Progress {
	mode := terminal.Mode(a.progress)
	if mode == "" || mode == terminal.Auto {
		mode = terminal.Auto
		if a.json {
			mode = terminal.JSON
		}
	}
	return terminal.New(raw(a.stderr), mode, a.canRedraw(a.stderr), nil)
}

// style is the style for one stream.
func (a *app) style(w io.Writer) terminal.Style {
	colour, err := terminal.Colour(a.color, a.getenv, terminal.IsTerminal(raw(w)))
	return terminal.NewStyle(err == nil && colour)
}

// width is the width to lay a table out for: what COLUMNS asks for, which shells keep to themselves unless it is exported,
// else the terminal's; 0 (whole cells) in a pipe.
func (a *app) width(w io.Writer) int {
	if columns := terminal.Columns(a.getenv); columns > 0 {
		return columns
	}
	if !terminal.IsTerminal(raw(w)) {
		return 0
	}
	return terminal.Width(raw(w))
}

// prose writes a paragraph to stdout: broken between words at the width of the terminal, as it stands in a pipe.
func (a *app) prose(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if width := a.width(a.stdout); width > 0 {
		text = terminal.Reflow(text, width)
	}
	fmt.Fprint(a.stdout, text)
}

// entry is a line of a list of names and what is said of them, which begins in column indent and keeps to it.
func (a *app) entry(name string, indent int, format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if width := a.width(a.stdout); width > 0 && indent+terminal.StringWidth(text) > width {
		text = terminal.Wrap(text, width, indent)
	}
	return fmt.Sprintf("  %-*s %s\n", indent-3, name, text)
}

// title writes the title of a table below a blank line.
func (a *app) title(text string) {
	fmt.Fprintln(a.stdout)
	a.prose("%s\n", a.style(a.stdout).Strong(text))
}

// printJSON writes one object to stdout.
func (a *app) printJSON(v any) error { return writeJSON(a.stdout, v) }

func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(terminal.SafeJSON(b.Bytes()))
	return err
}

// dataFolder is the absolute folder for runs, artifacts and the engine's state: --data, EVLAB_DATA, or the user's folder
// for application data. It need not exist.
func (a *app) dataFolder() (string, error) {
	dir := a.data
	if dir == "" {
		dir = a.getenv("EVLAB_DATA")
	}
	if dir == "" {
		dir = a.userData()
	}
	if dir == "" {
		return "", usage("give one with --data DIR or EVLAB_DATA", "there is no home folder to keep evlab's data in")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", usage("", "data folder %s: %v", dir, err)
	}
	return abs, nil
}

// userData is evlab's folder where this system keeps application data, empty when that isn't known.
func (a *app) userData() string {
	home := a.getenv("HOME")
	switch runtime.GOOS {
	case "windows":
		if local := a.getenv("LOCALAPPDATA"); local != "" {
			return filepath.Join(local, "evlab")
		}
		return ""
	case "darwin":
		if home == "" {
			return ""
		}
		return filepath.Join(home, "Library", "Application Support", "evlab")
	}
	if xdg := a.getenv("XDG_DATA_HOME"); filepath.IsAbs(xdg) { // a relative one is to be ignored, says its specification
		return filepath.Join(xdg, "evlab")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".local", "share", "evlab")
}

// checkedWriter remembers the first failure of a stream: a result that was not written is not a success.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// raw is the stream below a checkedWriter, which is the one that may be a terminal.
func raw(w io.Writer) io.Writer {
	if c, ok := w.(*checkedWriter); ok {
		w = c.w
	}
	if f, ok := w.(*os.File); ok {
		return f
	}
	return w
}

// wantsJSON looks for --json where cobra has not read the flags to their end.
func wantsJSON(args []string) bool {
	for _, arg := range args {
		if arg == "--" {
			return false
		}
		if value, found := strings.CutPrefix(arg, "--json="); found {
			if on, err := strconv.ParseBool(value); err == nil && on {
				return true
			}
		} else if arg == "--json" {
			return true
		}
	}
	return false
}
