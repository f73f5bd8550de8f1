package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/terminal"
)

// Exit codes. An unresolved task is a result, never an error: it ends with exitOK.
const (
	exitOK           = 0
	exitUnexpected   = 1
	exitUsage        = 2
	exitUndecided    = 3
	exitPrecondition = 4
	exitNothing      = 5
	exitDrift        = 6
	exitBroken       = 7
	exitGate         = 8
	exitPending      = 20
	exitInterrupted  = 130
)

// exitCodes is the one table of what each code means.
var exitCodes = []struct {
	Code    int
	Meaning string
}{
	{exitOK, "done; an unresolved task is a result, not an error"},
	{exitUnexpected, "something that evlab did not expect"},
	{exitUsage, "a mistake in the command line, the environment or an experiment file"},
	{exitUndecided, "the run is over, but some cells have no verdict"},
	{exitPrecondition, "something that is needed is missing: Docker, git, the engine, the data folder"},
	{exitNothing, "the selection is empty"},
	{exitDrift, "something is not what it was: a digest, an input, a frozen contract"},
	{exitBroken, "cohort check found a broken certificate"},
	{exitGate, "a contrast did not meet what was required of it"},
	{exitPending, "plan --exit-code: there is work to do"},
	{exitInterrupted, "interrupted"},
}

// failure is an error for the user: what failed, with the exit code and a hint that tells what to do.
type failure struct {
	Code int
	Msg  string
	Hint string
	// Faults lists the parts when Msg sums several up.
	Faults []error
	Err    error // the cause, for errors.Is; its text is part of Msg already
}

func (f *failure) Error() string { return f.Msg }
func (f *failure) Unwrap() error { return f.Err }

// usage is a mistake of the user's. The hint may be empty.
func usage(hint, format string, args ...any) *failure {
	return &failure{Code: exitUsage, Msg: fmt.Sprintf(format, plainly(args)...), Hint: hint}
}

// precondition is something that is needed and missing.
func precondition(hint, format string, args ...any) *failure {
	return &failure{Code: exitPrecondition, Msg: fmt.Sprintf(format, plainly(args)...), Hint: hint}
}

// plainly has errors about files that are not there say so in words, and not by the system's call that found out.
func plainly(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		out[i] = arg
		var path *fs.PathError
		if err, ok := arg.(error); ok && errors.As(err, &path) && errors.Is(path, fs.ErrNotExist) {
			out[i] = strings.ReplaceAll(err.Error(), path.Error(), "there is no file or folder "+path.Path)
		}
	}
	return out
}

// errorObject is the JSON form of an error on stderr.
type errorObject struct {
	Type    string `json:"type"` // error
	Code    int    `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Faults  []any  `json:"faults,omitempty"`
}

// unwritable reports whether an error is that something may not be written, or read.
func unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// makeRoom is what to do about a full disk.
const makeRoom = "free some space there, or give another data folder with --data"

const makeWritable = "evlab doctor checks the data folder: make it writable, or give another one with --data"

// faultObject is a part of an error as JSON: with its place in fields of its own where it has one.
func faultObject(fault error) any {
	if text, err := json.Marshal(fault); err == nil && string(text) != "{}" {
		return fault
	}
	return map[string]string{"reason": fault.Error()}
}

// fail reports err on stderr and returns its exit code. Errors before a command began are mistakes in the command line.
func (a *app) fail(err error) int {
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{Code: exitUnexpected, Msg: err.Error()}
		switch {
		case unwritable(err):
			f.Code, f.Hint = exitPrecondition, makeWritable
		case artifacts.NoRoom(err):
			f.Code, f.Hint = exitPrecondition, makeRoom
		}
		if !a.began {
			f.Code, f.Hint = exitUsage, "evlab help lists the commands"
		}
	} else if outer := err.Error(); outer != f.Msg { // context that was wrapped around it
		f = &failure{Code: f.Code, Msg: outer, Hint: f.Hint, Faults: f.Faults}
	}
	if a.json {
		o := errorObject{Type: "error", Code: f.Code, Message: f.Msg, Hint: f.Hint}
		for _, fault := range f.Faults {
			o.Faults = append(o.Faults, faultObject(fault))
		}
		writeJSON(a.stderr, o)
		return f.Code
	}
	style := a.style(a.stderr)
	fmt.Fprintf(a.stderr, "%s %s\n", style.Bad("error:"), terminal.SafeLines(strings.TrimSpace(f.Msg)))
	for _, line := range folded(f.Faults) {
		fmt.Fprintf(a.stderr, "  %s\n", terminal.Safe(line))
	}
	if f.Hint != "" {
		fmt.Fprintf(a.stderr, "%s %s\n", style.Strong("hint:"), terminal.SafeLines(f.Hint))
	}
	return f.Code
}

// newExitCodes is the help topic of the exit codes.
func newExitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("Every command ends with one of these codes:\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "  %3d  %s\n", c.Code, c.Meaning)
	}
	b.WriteString("\nWith --json an error is also an object on stderr: {\"type\":\"error\",\"code\":...,\"message\":...,\"hint\":...}.")
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: b.String()}
}
