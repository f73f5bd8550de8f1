package main

import (
	"fmt"
	"strings"

	"evlab/scores"
	"evlab/scores/statefile"
	"evlab/tabular"
	"evlab/terminal"
)

// scoreObject is the JSON form of evlab score. Scores are shares from 0 to 1.
type scoreObject struct {
	Type         string             `json:"type"` // score
	Cohort       string             `json:"cohort"`
	States       int                `json:"states"`
	Repositories int                `json:"repositories"`
	Instances    int                `json:"instances"`
	Overflow     string             `json:"overflow"`
	Gain         scores.Gain        `json:"ndcg_gain"`
	TokenSource  string             `json:"token_source"`        // given, the counter's name, or empty
	NoTokens     string             `json:"no_tokens,omitempty"` // why there are no token figures
	Methods      []scores.Scored    `json:"methods"`
	References   []scores.Reference `json:"references"`
	Partitions   []scores.Partition `json:"partitions"`
	Pair         *scores.Pair       `json:"pair,omitempty"`
	Notices      []error            `json:"notices"`
	NoticeCount  int                `json:"notice_count"`
}

func newScoreObject(f scoreFlags, c *statefile.Cohort, p *statefile.Predictions, r *scores.Result) scoreObject {
	o := scoreObject{
		Type: "score", Cohort: f.cohort, States: r.States, Repositories: r.Repositories, Instances: r.Instances,
		Overflow: r.Options.Overflow, Gain: r.Options.Gain, TokenSource: c.TokenSource, Methods: r.Methods, References: r.References,
		Partitions: r.Partitions, Pair: r.Pair, Notices: []error{}, NoticeCount: p.Notices.Len(),
	}
	if r.NoTokens != nil {
		o.NoTokens = r.NoTokens.Error()
	}
	for _, n := range p.Notices.All() {
		if _, listed := n.(*tabular.Fault); listed {
			o.Notices = append(o.Notices, n)
		}
	}
	return o
}

// printNotices says on stderr what counts against a method without being a fault: a few of them, and how many.
func (a *app) printNotices(notices *tabular.Faults) {
	const most = 10
	for i, n := range notices.All() {
		if i == most {
			fmt.Fprintf(a.stderr, "note: and %d more such notes; --json lists them\n", notices.Len()-most)
			break
		}
		fmt.Fprintf(a.stderr, "note: %s\n", terminal.Safe(n.Error()))
	}
}

// scoreView is a result as it is printed.
type scoreView struct {
	flags  scoreFlags
	cohort *statefile.Cohort
	*scores.Result
	shown []scores.Partition
}

// percent is a share in percent, as tables have it.
func percent(share float64) string { return fmt.Sprintf("%.2f", 100*share) }

// points is a difference of shares in percentage points.
func points(diff float64) string { return fmt.Sprintf("%+.2f", 100*diff) }

func orDash(x *float64, format func(float64) string) string {
	if x == nil {
		return "-"
	}
	return format(*x)
}

func whole(x float64) string { return fmt.Sprintf("%.0f", x) }

func (a *app) printScores(v scoreView) error {
	a.prose("%s: %s, %s; %s; overflow %s, nDCG gain %s\n", terminal.Safe(v.flags.cohort), plural(v.States, "state"),
		repositories(v.Repositories), plural(len(v.Methods), "method"), v.Options.Overflow, v.Options.Gain)
	switch {
	case v.NoTokens != nil:
		a.prose("No token figures: %s\n", terminal.Safe(v.NoTokens.Error()))
	case v.cohort.TokenSource != statefile.TokensGiven:
		a.prose("Tokens are counted from the units' texts by %s\n", v.cohort.TokenSource)
	}
	tables := []struct {
		title string
		cell  func(scores.At) string
		refs  bool
	}{
		{"Complete-MSS (%)", func(at scores.At) string { return percent(at.Complete) }, true},
		{"Group recall (%)", func(at scores.At) string { return percent(at.GroupRecall) }, false},
		{"Necessity recall (%)", func(at scores.At) string { return percent(at.NecessityRecall) }, false},
		{"Grouped nDCG (%)", func(at scores.At) string { return orDash(at.NDCG, percent) }, false},
		{"Mean units inside the cutoff", func(at scores.At) string { return fmt.Sprintf("%.2f", at.Items) }, false},
		{"Mean source tokens inside the cutoff", func(at scores.At) string { return orDash(at.Tokens, whole) }, false},
	}
	for _, t := range tables {
		if t.title == "Mean source tokens inside the cutoff" && v.NoTokens != nil {
			continue
		}
		a.title(t.title)
		table := terminal.NewTable(append([]string{"~method"}, v.titles()...)...)
		for _, m := range v.Methods {
			row := []string{terminal.Safe(m.Method)}
			for _, at := range m.At {
				row = append(row, t.cell(at))
			}
			table.Row(row...)
		}
		if t.refs {
			uniform, oracle := []string{"(uniform draw)"}, []string{"(oracle)"}
			for _, ref := range v.References {
				uniform = append(uniform, orDash(ref.Uniform, percent))
				oracle = append(oracle, atLeast(ref.Oracle))
			}
			table.Row(uniform...)
			table.Row(oracle...)
		}
		if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
			return err
		}
	}
	if err := a.printCounts(v); err != nil {
		return err
	}
	if err := a.printStrata(v); err != nil {
		return err
	}
	return a.printPair(v)
}

// atLeast marks a ceiling that is a lower bound.
func atLeast(c scores.Ceiling) string {
	if !c.Exact {
		return ">=" + percent(c.Complete)
	}
	return percent(c.Complete)
}

// titles are the columns of the cutoffs.
func (v scoreView) titles() (titles []string) {
	for _, c := range v.Cutoffs {
		name := c.String()
		if n, ok := strings.CutSuffix(name, "tokens"); ok {
			name = n + " tok"
		} else if c != scores.Returned {
			name = "@" + name
		}
		titles = append(titles, ">"+name)
	}
	return titles
}

// printCounts shows the states that count zero because nothing was returned for them; nothing when there are none.
func (a *app) printCounts(v scoreView) error {
	table := terminal.NewTable("~method", ">states", ">no row", ">empty")
	some := false
	for _, m := range v.Methods {
		some = some || m.Missing+m.Empty > 0
		table.Row(terminal.Safe(m.Method), fmt.Sprint(m.States), fmt.Sprint(m.Missing), fmt.Sprint(m.Empty))
	}
	if !some {
		return nil
	}
	a.title("States that count zero because nothing was returned")
	return table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout))
}

// printStrata shows Complete-MSS in each stratum, at every cutoff.
func (a *app) printStrata(v scoreView) error {
	for _, p := range v.shown {
		a.title("Complete-MSS (%) by " + p.By)
		table := terminal.NewTable(append([]string{p.By, ">states", "~method"}, v.titles()...)...)
		for _, s := range p.Strata {
			name, states := terminal.Safe(s.Name), fmt.Sprint(s.States)
			for _, m := range s.Methods {
				row := []string{name, states, terminal.Safe(m.Method)}
				for _, at := range m.At {
					row = append(row, percent(at.Complete))
				}
				table.Row(row...)
				name, states = "", ""
			}
		}
		if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
			return err
		}
	}
	return nil
}

// printPair shows the comparison of two methods (table 12), when one was asked for.
func (a *app) printPair(v scoreView) error {
	if v.Pair == nil {
		return nil
	}
	a.title(terminal.Safe(v.Pair.A) + " minus " + terminal.Safe(v.Pair.B))
	table := terminal.NewTable("at", ">complete a", ">complete b", ">diff", ">group diff", ">necessity diff", ">win/tie/loss", ">tokens a", ">tokens b")
	for _, r := range v.Pair.Rows {
		table.Row(r.Cutoff, percent(r.A), percent(r.B), points(r.Diff), points(r.Group), points(r.Necessity),
			fmt.Sprintf("%d/%d/%d", r.Win, r.Tie, r.Loss), orDash(r.TokensA, whole), orDash(r.TokensB, whole))
	}
	if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, "note: differences are in percentage points; --per-state FILE and evlab contrast --outcomes FILE give their intervals")
	return nil
}

func repositories(n int) string { return countOf(n, "repository", "repositories") }
