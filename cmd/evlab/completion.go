package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"evlab/experiments"
)

func newCompletion(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a completion script for a shell",
		Example: "  source <(evlab completion bash)\n" +
			"  evlab completion zsh > \"${fpath[1]}/_evlab\"\n" +
			"  evlab completion fish > ~/.config/fish/completions/evlab.fish",
		ValidArgs: shells,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := exactArgs("the name of a shell")(cmd, args); err != nil {
				return err
			}
			if !slices.Contains(shells, args[0]) {
				return usage("evlab completion --help shows how to use it", "there is no completion for %q; it is one of %s%s",
					args[0], strings.Join(shells, ", "), experiments.Suggest(args[0], shells))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			default:
				return root.GenBashCompletionV2(a.stdout, true)
			}
		},
	}
}
