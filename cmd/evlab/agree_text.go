package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"evlab/agreement"
	"evlab/terminal"
)

func (a *app) printAgreement(o agreeObject) error {
	if len(o.Reports) > 0 {
		a.prose("%s and %s: %s, categories %s; 95%% intervals over %s, %d draws, seed %d\n\n", terminal.Safe(o.Reviewers[0]), terminal.Safe(o.Reviewers[1]),
			plural(o.Items, "item"), terminal.Safe(strings.Join(o.Categories, ", ")), units(o), o.Draws, o.Seed)
		if err := a.coefficientTable(o); err != nil {
			return err
		}
		if err := a.verdictTables(o); err != nil {
			return err
		}
	}
	if o.Ledger == nil {
		return nil
	}
	if len(o.Reports) > 0 {
		fmt.Fprintln(a.stdout)
	}
	return a.printLedger(o.Ledger)
}

func units(o agreeObject) string {
	if o.Unit == "repository" {
		return repositories(o.Reports[0].Clusters)
	}
	return plural(o.Reports[0].Clusters, "item")
}

func (a *app) coefficientTable(o agreeObject) error {
	table := terminal.NewTable("~field", ">n", ">missing", ">raw %", "interval", ">kappa", "interval", ">2p-1", "interval", ">AC1", "interval")
	few, undefined := false, false
	unanimous := 0 // items of the smallest field without a disagreement
	for _, r := range o.Reports {
		field := r.Field
		if field == "" {
			field = "verdict"
		}
		table.Row(terminal.Safe(field), fmt.Sprint(r.N), fmt.Sprint(r.Missing),
			orDash(r.Raw, percent), intervalCell(r.Intervals.Raw, percent), orDash(r.Kappa, coefficient), intervalCell(r.Intervals.Kappa, coefficient),
			orDash(r.TwoPMinus1, coefficient), intervalCell(r.Intervals.TwoPMinus1, coefficient), orDash(r.AC1, coefficient), intervalCell(r.Intervals.AC1, coefficient))
		few = few || r.Clusters < 20
		if r.Raw != nil && *r.Raw == 1 && (unanimous == 0 || r.N < unanimous) {
			unanimous = r.N
		}
		undefined = undefined || r.Kappa != nil && r.Intervals.Kappa.Lo == nil
	}
	if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	if few {
		fmt.Fprintln(a.stderr, "note: fewer than 20 units are resampled: the intervals are too short")
	}
	if unanimous > 0 {
		fmt.Fprintf(a.stderr, "note: where nobody disagrees, no resample does: %s without a disagreement still fit a true rate of up to %.1f%% (rule of three)\n",
			plural(unanimous, "item"), min(100, 300/float64(unanimous)))
	}
	if undefined {
		fmt.Fprintln(a.stderr, "note: kappa has no interval where it is 0/0 in more than 2.5% of the resamples: at such margins it says little; read 2p-1 and AC1")
	}
	return nil
}

func intervalCell(x agreement.Interval, format func(float64) string) string {
	if x.Lo == nil {
		return "-"
	}
	return "[" + format(*x.Lo) + ", " + format(*x.Hi) + "]"
}

// verdictTables shows who accepted what, and what the arbiter did.
func (a *app) verdictTables(o agreeObject) error {
	accepted := terminal.NewTable("~field", ">accepted by both", ">flagged by one or both", ">flagged by both")
	arbitrated := terminal.NewTable("~field", ">disagreements", ">arbitrated", ">with "+terminal.Safe(o.Reviewers[0]), ">with "+terminal.Safe(o.Reviewers[1]), ">neither", ">open", ">overturned", "stands")
	for _, r := range o.Reports {
		field := r.Field
		if field == "" {
			field = "verdict"
		}
		if x := r.Accepted; x != nil {
			accepted.Row(terminal.Safe(field), shareOf(x.ByBoth, r.N), shareOf(x.FlaggedByOne, r.N), shareOf(x.FlaggedByBoth, r.N))
		}
		if x := r.Arbitration; x != nil {
			var final []string
			for _, v := range slices.Sorted(maps.Keys(x.Final)) {
				final = append(final, fmt.Sprintf("%s %d", terminal.Safe(v), x.Final[v]))
			}
			arbitrated.Row(terminal.Safe(field), fmt.Sprint(x.Disagreements), fmt.Sprint(x.Arbitrated), fmt.Sprint(x.WithFirst), fmt.Sprint(x.WithSecond), fmt.Sprint(x.Neither),
				fmt.Sprint(x.Open), fmt.Sprint(x.Overturned), strings.Join(final, ", "))
		}
	}
	for _, t := range []*terminal.Table{accepted, arbitrated} {
		if t.Len() == 0 {
			continue
		}
		fmt.Fprintln(a.stdout)
		if err := t.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
			return err
		}
	}
	return nil
}

// shareOf is a count with its share in percent.
func shareOf(n, of int) string {
	if of == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%s%%)", n, percent(float64(n)/float64(of)))
}

func (a *app) printLedger(l *agreement.Account) error {
	a.prose("Ledger: %s; %s and %s, which are events and do not partition the items\n\n", plural(l.Items, "item"), plural(l.Edits, "edit"), plural(l.Replacements, "replacement"))
	table := terminal.NewTable("class", ">items", "meaning")
	for _, c := range []struct {
		class   agreement.Class
		meaning string
	}{
		{agreement.L0, "no final change"}, {agreement.L1, "edited, and no locked outcome changed"}, {agreement.L2, "edited, and a locked outcome changed"},
		{agreement.L3, "replaced"},
	} {
		table.Row(string(c.class), fmt.Sprint(l.Classes[c.class]), c.meaning)
	}
	if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	if len(l.Flips) > 0 {
		var flips []string
		for _, at := range slices.Sorted(maps.Keys(l.Flips)) {
			flips = append(flips, fmt.Sprintf("%s %d", terminal.Safe(at), l.Flips[at]))
		}
		fmt.Fprintln(a.stdout)
		a.prose("Outcomes that changed: %s\n", strings.Join(flips, ", "))
	}
	return nil
}
