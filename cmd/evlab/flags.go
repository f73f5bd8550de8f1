package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"evlab/experiments"
)

// expected says what a flag of a type takes.
var expected = map[string]string{
	"int":      "a whole number such as 20",
	"intSlice": "whole numbers such as 20,50",
	"uint64":   "a whole number from 0 up, such as 7",
	"float64":  "a number such as 0.8",
	"duration": "a time with its unit, such as 90s, 5m or 1h30m",
	"bool":     "true or false",
}

// flagFailure says what is wrong with a flag, what was expected, and where the flags are listed.
func flagFailure(cmd *cobra.Command, err error) error {
	if words := cmd.Flags().Args(); cmd.Annotations[groupNote] != "" && len(words) > 0 { // no flag of a command that there is not is known
		return cmd.RunE(cmd, words)
	}
	hint := cmd.CommandPath() + " --help shows the flags"
	var value *pflag.InvalidValueError
	if errors.As(err, &value) {
		if form, known := expected[value.GetFlag().Value.Type()]; known {
			return usage(hint, "--%s %q is not %s", value.GetFlag().Name, value.GetValue(), form)
		}
	}
	var lone *pflag.ValueRequiredError
	if errors.As(err, &lone) {
		return usage(hint, "--%s needs a value behind it", lone.GetFlag().Name)
	}
	return usage(hint, "%v%s", err, suggestFlag(cmd, err))
}

// onlyFlags refuses the flags of a command that were given and have no meaning in this use of it; use says which that is,
// as in "with --diff". Global flags always have one.
func onlyFlags(cmd *cobra.Command, use string, meant ...string) error {
	var idle []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains(meant, f.Name) {
			idle = append(idle, "--"+f.Name)
		}
	})
	return idleFlags(cmd, use, idle)
}

// withoutFlags is onlyFlags with the flags named that have no meaning.
func withoutFlags(cmd *cobra.Command, use string, meaningless ...string) error {
	var idle []string
	for _, name := range meaningless {
		if cmd.Flags().Changed(name) {
			idle = append(idle, "--"+name)
		}
	}
	return idleFlags(cmd, use, idle)
}

func idleFlags(cmd *cobra.Command, use string, idle []string) error {
	word := " does nothing "
	switch {
	case len(idle) == 0:
		return nil
	case len(idle) > 1:
		word = " do nothing "
	}
	return usage(cmd.CommandPath()+" --help shows which flags go together", "%s%s%s", strings.Join(idle, ", "), word, use)
}

// suggestFlag finds the flag that was meant by an unknown one.
func suggestFlag(cmd *cobra.Command, err error) string {
	name, found := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !found {
		return ""
	}
	var names []string
	for line := range strings.SplitSeq(cmd.Flags().FlagUsages()+cmd.InheritedFlags().FlagUsages(), "\n") {
		if _, rest, ok := strings.Cut(line, "--"); ok {
			names = append(names, "--"+strings.Fields(rest)[0])
		}
	}
	if meant := experiments.Suggest("--"+name, names); meant != "" {
		return meant
	}
	for _, c := range cmd.Root().Commands() {
		if c.Name() == name {
			return " (" + c.CommandPath() + " is a command)"
		}
	}
	return ""
}

// newHelp is the help command: a topic that there is not is a mistake like a command that there is not.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about a command or topic",
		Example: "  evlab help run\n  evlab help exit-codes",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd := root
			for _, word := range args {
				var names []string
				var next *cobra.Command
				for _, c := range cmd.Commands() {
					if c.Name() == word || c.HasAlias(word) {
						next = c
					}
					if !c.Hidden {
						names = append(names, c.Name())
					}
				}
				if next == nil {
					return usage(cmd.CommandPath()+" --help lists the commands and topics", "there is no help about %q%s", strings.Join(args, " "),
						experiments.Suggest(word, names))
				}
				cmd = next
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}
