package main

import (
	"fmt"
	"strings"

	"evlab/terminal"
)

func shareText(share float64) string { return fmt.Sprintf("%g%%", 100*share) }

// figureOrDash is a figure, or a dash where there is none.
func figureOrDash(v *float64, format string) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}

func (a *app) printDetectable(f powerFlags, rows []detectableRow) error {
	if a.json {
		return printEach(a, rows)
	}
	a.prose("Smallest true difference in points that is shown with %s power: exact power of the mid-p McNemar test at 5%%, the normal formula\n"+
		"in brackets. - : not even the largest difference that the discordance allows.\n\n", shareText(f.power))
	titles := []string{">tasks"}
	for _, share := range f.shares {
		titles = append(titles, ">"+shareText(share)+" discordant")
	}
	table := terminal.NewTable(titles...)
	for i := 0; i < len(rows); i += len(f.shares) {
		cells := []string{fmt.Sprint(rows[i].Tasks)}
		for _, r := range rows[i : i+len(f.shares)] {
			cells = append(cells, figureOrDash(r.Points, "%.1f")+" ("+figureOrDash(r.Formula, "%.1f")+")")
		}
		table.Row(cells...)
	}
	return table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout))
}

func (a *app) printNeeded(f powerFlags, rows []neededRow) error {
	if a.json {
		return printEach(a, rows)
	}
	a.prose("Tasks that show a true difference of %g points with %s power (mid-p McNemar, 5%%, one replicate)\n\n", f.diff, shareText(f.power))
	table := terminal.NewTable(">discordance", ">tasks, exact", ">by the formula")
	for _, r := range rows {
		exact := "-"
		if r.Tasks != nil {
			exact = fmt.Sprint(*r.Tasks)
		}
		table.Row(shareText(r.Discordance), exact, figureOrDash(r.Formula, "%.0f"))
	}
	if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	a.prose("- : the discordance does not allow the difference, or more than 20,000 tasks.\n")
	return nil
}

func (a *app) printCoverage(f powerFlags, rows []coverageRow) error {
	if a.json {
		return printEach(a, rows)
	}
	table := terminal.NewTable(">tasks", ">discordance", ">clusters", ">difference", "method", ">holds", ">size", ">width", "how")
	last := ""
	for _, r := range rows {
		at := []string{fmt.Sprint(r.Tasks), shareText(r.Discordance), fmt.Sprint(r.Clusters), fmt.Sprintf("%g", r.Diff)}
		if key := strings.Join(at, " "); key == last {
			at = make([]string, len(at))
		} else {
			last = key
		}
		holds, width, how := "", "", "simulated"
		if r.Width > 0 {
			holds, width = fmt.Sprintf("%.1f%%", 100*r.Holds), fmt.Sprintf("%.1f", r.Width)
		}
		if r.Summed {
			how = "summed"
		}
		table.Row(append(at, r.Method, holds, fmt.Sprintf("%.1f%%", 100*r.Size), width, how)...)
	}
	if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	a.prose("holds: how often the interval holds the true difference (95%% is promised); size: how often it leaves out zero, or the test calls, when\n"+
		"there is no difference (5%%). Simulated: %d cohorts of %d draws, seed %d, intraclass correlation %g.\n", f.cohorts, f.draws, f.seed, f.intraclass)
	return nil
}

func (a *app) printPilot(f powerFlags, o pilotObject) error {
	if a.json {
		return a.printJSON(o)
	}
	c := o.Components
	a.prose("Pilot: %s, %s - %s, %s, up to %s\n", terminal.Safe(o.Metric), terminal.Safe(o.A), terminal.Safe(o.B), plural(c.Tasks, "task"), plural(o.Replicates, "replicate"))
	if o.Discordance != nil {
		fmt.Fprintf(a.stdout, "Discordant pairs: %.0f%%\n", 100**o.Discordance)
	}
	if c.Split {
		a.prose("Variance of the difference: %.4g between tasks, %.4g within a task (one replicate)\n\n", c.Between, c.Within)
	} else {
		a.prose("Variance of the difference: %.4g; with one replicate a task, what replicates would buy can't be told\n\n", c.Between)
	}
	table := terminal.NewTable(">tasks", ">replicates", ">shows, "+terminal.Safe(o.Unit), "90% of resampled pilots")
	for _, r := range o.Rows {
		table.Row(fmt.Sprint(r.Tasks), fmt.Sprint(r.Replicates), fmt.Sprintf("%.3g", r.Detectable), fmt.Sprintf("%.3g to %.3g", r.Lo, r.Hi))
	}
	if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout)
	a.prose("Smallest true difference shown with %s power, two-sided 5%%, normal approximation. More tasks always help; replicates only down to the\n"+
		"variance between tasks.\n", shareText(f.power))
	return nil
}

// printEach writes one JSON line a row.
func printEach[T any](a *app, rows []T) error {
	for _, r := range rows {
		if err := a.printJSON(r); err != nil {
			return err
		}
	}
	return nil
}
