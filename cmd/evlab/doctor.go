package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"evlab/terminal"
)

// The closed set of a check's states.
const (
	checkOK   = "ok"
	checkWarn = "warn" // evlab works without it, or not everywhere
	checkFail = "fail" // nothing works without it
)

// check is one line of doctor: a state, the fact behind it, and what to do when it is not ok.
type check struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Fact  string `json:"fact"`
	Fix   string `json:"fix,omitempty"`
}

func ok(format string, args ...any) check {
	return check{State: checkOK, Fact: fmt.Sprintf(format, args...)}
}

func warn(fix, format string, args ...any) check {
	return check{State: checkWarn, Fact: fmt.Sprintf(format, args...), Fix: fix}
}

func fail(fix, format string, args ...any) check {
	return check{State: checkFail, Fact: fmt.Sprintf(format, args...), Fix: fix}
}

// examination is doctor's JSON form.
type examination struct {
	Type   string  `json:"type"` // doctor
	OK     bool    `json:"ok"`   // nothing that is required failed
	Checks []check `json:"checks"`
}

func newDoctor(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check that everything is here that evlab needs",
		Long: "Doctor looks at what evlab stands on and says how to mend what is missing. Only git and a data folder that can be\n" +
			"written to are required. Without Docker, evlab can run the code of trusted cohorts only, in the host sandbox.",
		Example:     "  evlab doctor\n  evlab doctor --data /mnt/big/evlab\n  evlab doctor --json",
		Annotations: map[string]string{exitNote: "4"},
		Args:        exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := a.examine(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				err = a.printJSON(e)
			} else {
				err = a.printExamination(e)
			}
			if err != nil || e.OK {
				return err
			}
			var failed []string
			for _, c := range e.Checks {
				if c.State == checkFail {
					failed = append(failed, c.Name)
				}
			}
			return precondition("each check that failed says how to mend it", "required and not usable: %s", strings.Join(failed, ", "))
		},
	}
}

// examine does every check, in order. Its error is that the context ended, or that there is no data folder to look at.
func (a *app) examine(ctx context.Context) (*examination, error) {
	data, err := a.dataFolder()
	if err != nil {
		return nil, err
	}
	engine := askDocker(ctx)
	e := &examination{Type: "doctor", OK: true}
	for _, c := range []struct {
		name string
		do   func() check
	}{
		{"data folder", func() check { return checkData(data) }},
		{"free disk", func() check { return checkDisk(data) }},
		{"git", func() check { return a.checkGit(ctx) }},
		{"go", func() check { return a.checkGo(ctx) }},
		{"patch", func() check { return a.checkPatch(ctx) }},
		{"docker", engine.check},
		{"engine", func() check { return checkEngineLock(engineFolder(data)) }},
		{"clock", func() check { return checkClock(engine) }},
	} {
		result := c.do()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		result.Name = c.name
		e.Checks = append(e.Checks, result)
		e.OK = e.OK && result.State != checkFail
	}
	return e, nil
}

func (a *app) printExamination(e *examination) error {
	style := a.style(a.stdout)
	widest := 0
	for _, c := range e.Checks {
		widest = max(widest, len(c.Name))
	}
	for _, c := range e.Checks {
		state := map[string]string{
			checkOK: style.Good("✓ ok  "), checkWarn: style.Warn("! warn"), checkFail: style.Bad("✗ fail"),
		}[c.State]
		pad := strings.Repeat(" ", widest-len(c.Name))
		if _, err := fmt.Fprintf(a.stdout, "%s  %s%s  %s\n", state, c.Name, pad, terminal.Safe(c.Fact)); err != nil {
			return err
		}
		if c.Fix != "" {
			fmt.Fprintf(a.stdout, "        %s  → %s\n", strings.Repeat(" ", widest), terminal.Safe(c.Fix))
		}
	}
	warned := slices.ContainsFunc(e.Checks, func(c check) bool { return c.State == checkWarn })
	switch {
	case e.OK && warned:
		fmt.Fprintln(a.stdout, "\nEvlab works here, with the limits above.")
	case e.OK:
		fmt.Fprintln(a.stdout, "\nEvlab works here.")
	}
	return nil
}
