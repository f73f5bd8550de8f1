package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"evlab/agreement"
	"evlab/agreement/reviewfile"
	"evlab/datasets"
	"evlab/tabular"
)

// agreeFlags are what evlab agree is asked for.
type agreeFlags struct {
	reviews []string
	choice  agreement.Choice
	options agreement.Options
	ledger  string
	cutoffs []int
}

func newAgree(a *app) *cobra.Command {
	var f agreeFlags
	cmd := &cobra.Command{
		Use:   "agree [REVIEWS ...] [--ledger FILE]",
		Short: "Agreement of two reviewers, arbitration, and the ledger of changes",
		Long: "Agree reads rows {item, reviewer, verdict}, with field, repository and role where there are any, and reports raw\n" +
			"agreement, Cohen's kappa, 2p-1 and Gwet's AC1 from one table, each with a 95% bootstrap interval over repositories\n" +
			"(over items where they name none), and what an arbiter made of the disagreements. With --ledger it derives the\n" +
			"class of change, L0 to L3, of every item. docs/agreement.md says which coefficient to read when.",
		Example: "  evlab agree docs/examples/agree/validity-audit.csv --categories accept,revise,rebuild\n" +
			"  evlab agree fields.jsonl --reviewers ann,bob --seed 7 --json\n" +
			"  evlab agree --ledger docs/examples/agree/ledger.csv",
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{readsNote: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.reviews = args
			if len(args) == 0 && f.ledger != "" {
				if err := onlyFlags(cmd, "with a ledger alone, without reviews", "ledger", "cutoffs"); err != nil {
					return err
				}
			}
			if f.ledger == "" {
				if err := withoutFlags(cmd, "without --ledger", "cutoffs"); err != nil {
					return err
				}
			}
			return a.agree(f)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.choice.Reviewers, "reviewers", nil, "the two reviewers that are meant, when there are more")
	flags.StringSliceVar(&f.choice.Categories, "categories", nil, "all verdicts that could be given; AC1 depends on how many there are (default those that were given)")
	flags.StringVar(&f.options.Accept, "accept", "", "the verdict that leaves an item as it is (default accept, when it is a verdict)")
	flags.IntVar(&f.options.Draws, "draws", 20_000, "bootstrap draws")
	flags.Uint64Var(&f.options.Seed, "seed", 20260912, "seed of the draws")
	flags.StringVar(&f.ledger, "ledger", "", "file of changes and of outcomes before and after them")
	flags.IntSliceVar(&f.cutoffs, "cutoffs", agreement.LockedCutoffs, "cutoffs whose outcomes decide between L1 and L2")
	return cmd
}

// agreeObject is the JSON form.
type agreeObject struct {
	Type       string             `json:"type"` // agreement
	Reviewers  []string           `json:"reviewers,omitempty"`
	Arbiter    string             `json:"arbiter,omitempty"`
	Categories []string           `json:"categories,omitempty"`
	Items      int                `json:"items"`
	Unit       string             `json:"unit,omitempty"` // of the bootstrap: repository or item
	Draws      int                `json:"draws,omitempty"`
	Seed       uint64             `json:"seed"`
	Reports    []agreement.Report `json:"reports"`
	Ledger     *agreement.Account `json:"ledger,omitempty"`
}

func (a *app) agree(f agreeFlags) error {
	switch {
	case len(f.reviews) == 0 && f.ledger == "":
		return usage("evlab agree REVIEWS.csv, or evlab agree --ledger FILE", "agree needs a file of reviews or a ledger")
	case len(f.choice.Reviewers) != 0 && (len(f.choice.Reviewers) != 2 || f.choice.Reviewers[0] == f.choice.Reviewers[1]):
		return usage("", "--reviewers names two different reviewers, not %q", strings.Join(f.choice.Reviewers, ","))
	case f.options.Draws == 0:
		return usage("leave it out for 20000", "--draws 0 is outside 100 to 1000000")
	case slices.ContainsFunc(f.cutoffs, func(k int) bool { return k < 1 }):
		return usage("", "--cutoffs are numbers of items from 1 up, not %v", f.cutoffs)
	}
	o := agreeObject{Type: "agreement", Seed: f.options.Seed, Reports: []agreement.Report{}}
	var faults tabular.Faults
	var study *agreement.Study
	var err error
	if len(f.reviews) > 0 {
		if study, err = reviewfile.ReadReviews(f.reviews, f.choice, &faults); err != nil {
			return usage("", "%v", err)
		}
	}
	var ledger *agreement.Ledger
	if f.ledger != "" {
		if ledger, err = reviewfile.ReadLedger(f.ledger, f.cutoffs, &faults); err != nil {
			return usage("", "%v", err)
		}
		if faults.Len() == 0 {
			account, err := ledger.Account()
			if err != nil {
				faults.Addf(f.ledger, "%w", err)
			}
			o.Ledger = account
		}
	}
	if err := fileFaults("these files can't be used", &faults); err != nil {
		return cmp.Or(otherKind(f.reviews, datasets.KindReviews), err)
	}
	if study != nil {
		if f.options.Accept == "" && slices.Contains(study.Categories, "accept") {
			f.options.Accept = "accept"
		}
		if o.Reports, err = study.Agree(f.options); err != nil {
			return usage("", "%v", err)
		}
		o.Reviewers, o.Arbiter, o.Categories, o.Items, o.Draws = study.Reviewers[:], study.Arbiter, study.Categories, study.Items(), f.options.Draws
		if o.Unit = "item"; study.Clustered() {
			o.Unit = "repository"
		}
	}
	if a.json {
		return a.printJSON(o)
	}
	return a.printAgreement(o)
}
