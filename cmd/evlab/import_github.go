package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"evlab/datasets/github"
	"evlab/terminal"
)

func newImportGitHub(a *app) *cobra.Command {
	var opts github.Options
	var output, since, until string
	var noCache bool
	cmd := &cobra.Command{
		Use:   "github OWNER/NAME [OWNER/NAME ...]",
		Short: "Make tasks of merged pull requests that close an issue and have tests",
		Long: "Import github goes through the pull requests that were merged in a window of dates. One that closes an issue and has tests\n" +
			"in its change becomes a task: the issue's title and body, its comments up to the base commit's date, the merge base, and\n" +
			"the change divided into repair and tests by path. Every other one is listed with the reason. Which tests fail before\n" +
			"and pass after the repair is measured later, by evlab cohort validate.\n\n" +
			"The token is taken from GITHUB_TOKEN or GH_TOKEN; without one GitHub allows 60 requests an hour. Answers are kept in the\n" +
			"data folder and asked for again only if they changed, so that an interrupted import can be started again as it was.",
		Example: "  evlab import github acme/ledger --since 2026-06-01 --until 2026-07-01\n" +
			"  evlab import github acme/ledger acme/relay --since 2026-06-01 --one-per-repository --name fresh\n" +
			"  evlab import github acme/ledger --label bug --limit 20 --repos mirrors --json",
		Annotations: map[string]string{exitNote: "4,5"},
		Args:        exactArgs("a repository on GitHub, as OWNER/NAME..."),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Repositories = args
			opts.Token = cmp.Or(a.getenv("GITHUB_TOKEN"), a.getenv("GH_TOKEN"))
			opts.API = cmp.Or(opts.API, a.getenv("GITHUB_API_URL"))
			for _, date := range []struct {
				flag, text string
				to         *time.Time
			}{{"--since", since, &opts.Since}, {"--until", until, &opts.Until}} {
				if date.text == "" {
					continue
				}
				at, err := parseDate(date.text)
				if err != nil {
					return usage("", "%s: %v", date.flag, err)
				}
				*date.to = at
			}
			if err := opts.Check(); err != nil {
				return usage(importHint(err, "evlab import github --help shows examples"), "%v", err)
			}
			if !noCache {
				folder, err := a.openFolder()
				if err != nil {
					return err
				}
				defer folder.Close()
				opts.Cache = folder.GitHub()
			}
			if a.progress != string(terminal.None) && !a.json {
				opts.Progress = func(text string) { fmt.Fprintln(a.stderr, terminal.Safe(text)) }
			}
			m, err := github.Import(cmd.Context(), opts)
			if err != nil {
				return gitHubFailure(cmd.Context(), err, opts.Cache)
			}
			if len(m.Tasks)+len(m.Refused) == 0 {
				return &failure{Code: exitNothing, Msg: "no pull request was merged in that window"}
			}
			return a.finishImport(m, output)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&output, "output", "o", "", "folder to write (default cohorts/NAME); it must not be there, or be empty")
	flags.StringVar(&opts.Name, "name", "", "name of the cohort (default the first repository's)")
	flags.StringVar(&since, "since", "", "merged on this day or later (2026-06-01, or a time in RFC 3339)")
	flags.StringVar(&until, "until", "", "merged before this day")
	flags.StringSliceVar(&opts.Labels, "label", nil, "the pull request or its issue has one of these labels")
	flags.IntVar(&opts.Limit, "limit", 0, "at most so many tasks of a repository")
	flags.BoolVar(&opts.OnePerRepository, "one-per-repository", false, "a census: the first that qualifies stands for its repository, the others are listed")
	flags.StringVar(&opts.Repos, "repos", "", "folder of repositories, for changes that are too large for GitHub or hold binary files")
	flags.StringVar(&opts.API, "api", "", "address of the API (GITHUB_API_URL; default https://api.github.com/)")
	flags.DurationVar(&opts.MaxWait, "max-wait", 75*time.Minute, "the longest wait for a rate limit")
	flags.BoolVar(&noCache, "no-cache", false, "keep no answers")
	return cmd
}

// gitHubFailure is an import that came to no end. cache is where answers are kept, empty where none are.
func gitHubFailure(ctx context.Context, err error, cache string) error {
	var none *github.NoRepositoryError
	switch {
	case ctx.Err() != nil && cache == "":
		return &failure{Code: exitInterrupted, Msg: "interrupted; no cohort was written", Hint: "the same command begins anew; without --no-cache it would keep what it was told"}
	case ctx.Err() != nil:
		return &failure{Code: exitInterrupted, Msg: "interrupted; no cohort was written, and GitHub's answers so far are kept in " + cache, Hint: "the same command goes on with them"}
	case errors.As(err, &none) && none.Token:
		return precondition("is the name right? The token in GITHUB_TOKEN has to be one that may read a private repository", "%v", none)
	case errors.As(err, &none):
		return precondition("is the name right? For a private repository give a token that may read it, in GITHUB_TOKEN", "%v", none)
	}
	return precondition("", "%v", err)
}

// parseDate reads a day, which begins at midnight UTC, or a time.
func parseDate(text string) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no date such as 2026-06-01", text)
}
