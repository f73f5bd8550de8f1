package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"evlab/experiments"
	"evlab/terminal"
)

// bundledCohorts are the cohorts that come with the program.
var bundledCohorts = []string{"demo"}

// commands is the list of every command, in the order in which help shows them.
func commands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newInit(a),
		newPlan(a),
		newRun(a),
		newResume(a),
		newEvaluate(a),
		newCompare(a),
		newStatus(a),
		newWatch(a),
		newHistory(a),
		newRuns(a),
		newImport(a),
		newScore(a),
		newCohort(a),
		newContrast(a),
		newAgree(a),
		newPower(a),
		newConfig(a),
		newDoctor(a),
		newVersion(a),
		newCompletion(a),
		newExitCodes(),
	}
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "evlab",
		Short: "Paired experiments on coding agents",
		Long: "Evlab runs paired experiments on coding agents: the same tasks under several evidence conditions, patches tested\n" +
			"by hidden tests in a sandbox, and differences reported with intervals.",
		Example: "  evlab doctor                      is everything here that evlab needs?\n" +
			"  evlab init -o demo.yaml           write an experiment that runs without any key\n" +
			"  evlab config check demo.yaml      find its mistakes",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.checkGlobals(); err != nil {
				return err
			}
			a.began = true
			a.reads.Store(cmd.Annotations[readsNote] != "")
			return nil
		},
	}
	group(root)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return flagFailure(cmd, err)
	})
	flags := root.PersistentFlags()
	flags.BoolVar(&a.json, "json", false, "write results and errors as JSON")
	flags.StringVar(&a.color, "color", "auto", "auto, always or never; NO_COLOR and CLICOLOR_FORCE are heeded")
	flags.StringVar(&a.progress, "progress", "", "auto, tty, plain, json or none (EVLAB_PROGRESS; default auto)")
	flags.StringVar(&a.data, "data", "", "folder for runs and artifacts (EVLAB_DATA; default the user's data folder)")
	root.AddCommand(commands(a)...)
	root.SetHelpFunc(a.showHelp)
	root.SetHelpCommand(newHelp(root))
	root.SetUsageTemplate(usageTemplate)
	return root
}

// groupNote marks, among a command's annotations, one that only holds others.
const groupNote = "evlab.group"

// group makes cmd one that only holds others: alone it shows its help, with an unknown word it says which are known.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[groupNote] = "group"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		return usage(cmd.CommandPath()+" --help lists the commands",
			"%s has no command %q%s", cmd.CommandPath(), args[0], experiments.Suggest(args[0], names))
	}
	return cmd
}

// exactArgs wants the named arguments, and says which one is missing. A name in brackets may be left out, and one that
// ends with ... may be given again.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "usage: " + cmd.UseLine()
		needed := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasPrefix(name, "[") })
		again := len(names) > 0 && strings.HasSuffix(names[len(names)-1], "...")
		switch {
		case len(args) < len(needed):
			missing := strings.TrimSuffix(strings.Join(needed[len(args):], " and "), "...")
			return usage(hint, "%s needs %s", cmd.CommandPath(), missing)
		case len(args) > len(names) && !again:
			return usage(hint, "%s has no place for %q", cmd.CommandPath(), args[len(names)])
		}
		return nil
	}
}

// exitNote is the annotation of a command's own exit codes, besides 0, 1, 2 and 130: "4,5".
const exitNote = "exit-codes"

// readsNote is the annotation of a command that reads files and writes what it found to stdout, or into a file that is there
// whole or not at all: it may be ended anywhere.
const readsNote = "reads"

// showHelp prints examples first: they answer more questions than the rest. They stay as they are, to be copied.
func (a *app) showHelp(cmd *cobra.Command, _ []string) {
	out := cmd.OutOrStdout()
	if cmd.HasExample() {
		fmt.Fprintf(out, "Examples:\n%s\n\n", strings.TrimRight(cmd.Example, "\n"))
	}
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(&b, "%s\n", strings.TrimRight(text, "\n"))
	if cmd.Runnable() || cmd.HasSubCommands() { // else it is a topic
		fmt.Fprintf(&b, "\n%s", cmd.UsageString())
		helpCodes(&b, cmd)
	}
	text = b.String()
	if width := a.width(a.stdout); width > 0 {
		text = terminal.Reflow(text, width)
	}
	fmt.Fprint(out, text)
}

// helpCodes lists the exit codes of a command.
func helpCodes(b *strings.Builder, cmd *cobra.Command) {
	own := []int{exitOK, exitUnexpected, exitUsage, exitInterrupted}
	for code := range strings.SplitSeq(cmd.Annotations[exitNote], ",") {
		if n, err := strconv.Atoi(code); err == nil {
			own = append(own, n)
		}
	}
	b.WriteString("\nExit codes (evlab help exit-codes lists all):\n")
	for _, c := range exitCodes {
		if slices.Contains(own, c.Code) {
			fmt.Fprintf(b, "  %3d  %s\n", c.Code, c.Meaning)
		}
	}
}

// usageNote is the annotation of a command that holds others and does something itself: its own usage.
const usageNote = "usage"

const usageTemplate = `Usage:{{with index .Annotations "usage"}}
  {{.}}{{end}}
  {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
{{if .HasAvailableSubCommands}}
Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{if .HasHelpSubCommands}}
Topics:{{range .Commands}}{{if .IsAdditionalHelpTopicCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{end}}{{if .HasAvailableInheritedFlags}}
Global flags:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}
{{end}}`
