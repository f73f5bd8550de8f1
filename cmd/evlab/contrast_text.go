package main

import (
	"fmt"
	"math"
	"strings"

	"evlab/contrasts"
	"evlab/outcomes"
	"evlab/terminal"
)

// printContrasts shows one contrast as a block, several as a table with notes.
func (a *app) printContrasts(answers []outcomes.Answer) error {
	if len(answers) == 1 {
		_, err := fmt.Fprint(a.stdout, a.contrastBlock(answers[0]))
		return err
	}
	table := terminal.NewTable("contrast", "metric", ">n", ">difference", "95% interval", "W/T/L", ">p", ">Holm", "verdict")
	for _, r := range answers {
		name := terminal.Safe(r.A) + " - " + terminal.Safe(r.B)
		switch r.Part {
		case outcomes.PartStratum:
			name = fmt.Sprintf("  within %s (%.0f%%)", terminal.Safe(r.Stratum), 100*r.Weight)
		case outcomes.PartSubset:
			name = "  only " + terminal.Safe(r.Stratum)
		}
		holm := ""
		if r.PHolm != nil {
			holm = pValue(*r.PHolm)
		}
		table.Row(name, terminal.Safe(r.Metric), fmt.Sprintf("%d/%d", r.N, r.Planned), difference(r), interval(r, r.Lo, r.Hi), fmt.Sprintf("%d/%d/%d", r.Win, r.Tie, r.Loss),
			pValue(r.P), holm, terminal.Safe(r.Verdict))
	}
	if err := table.Write(a.stdout, a.width(a.stdout), a.style(a.stdout)); err != nil {
		return err
	}
	first := true
	for _, r := range answers {
		for _, note := range contrastNotes(r) {
			name := terminal.Safe(r.A) + " - " + terminal.Safe(r.B) + ", " + terminal.Safe(r.Metric)
			if r.Part != "" {
				name += ", " + terminal.Safe(r.Stratum)
			}
			if first {
				fmt.Fprintln(a.stdout)
				first = false
			}
			a.prose("%s: %s\n", name, note)
		}
	}
	return nil
}

func (a *app) contrastBlock(r outcomes.Answer) string {
	var b strings.Builder
	style := a.style(a.stdout)
	line := func(name, format string, args ...any) { b.WriteString(a.entry(name, 16, format, args...)) }
	fmt.Fprintf(&b, "%s\n", style.Strong(fmt.Sprintf("%s: %s - %s", terminal.Safe(r.Metric), terminal.Safe(r.A), terminal.Safe(r.B))))
	pairs := fmt.Sprintf("%d complete of %d planned tasks", r.N, r.Planned)
	if r.Unit != contrasts.UnitTask {
		pairs += fmt.Sprintf(", in %d clusters (%s)", r.Clusters, terminal.Safe(r.Unit))
	}
	if r.Replicates > 1 {
		pairs += fmt.Sprintf(", up to %d replicates averaged within each", r.Replicates)
	}
	if r.Executor != "" {
		pairs += ", executor " + terminal.Safe(r.Executor)
	}
	line("pairs", "%s", pairs)
	if r.Problem != "" {
		line("problem", "%s", terminal.Safe(r.Problem))
	}
	if r.Ratio != nil {
		line("means", "%.6g and %.6g (geometric)", r.MeanA, r.MeanB)
	} else if r.PExact != nil {
		line("means", "%.0f/%d (%.1f%%) and %.0f/%d (%.1f%%)", r.MeanA*float64(r.N)/100, r.N, r.MeanA, r.MeanB*float64(r.N)/100, r.N, r.MeanB)
	} else {
		line("means", "%.1f and %.1f points", r.MeanA, r.MeanB)
	}
	line("difference", "%s  %s  %s", difference(r), interval(r, r.Lo, r.Hi), methodName(r.Method, r.Draws, r.Seed))
	for _, i := range r.Also {
		line("", "%s  %s  %s", difference(r), interval(r, i.Lo, i.Hi), methodName(i.Method, i.Draws, i.Seed))
	}
	line("win/tie/loss", "%d/%d/%d", r.Win, r.Tie, r.Loss)
	test := "p " + pValue(r.P) + " (" + r.Test + ")"
	if r.PExact != nil && r.Unit == contrasts.UnitTask { // by task it takes no notice of clusters; the JSON form has it
		test += fmt.Sprintf(", exact McNemar %s", pValue(*r.PExact))
	}
	line("test", "%s", test)
	if r.MDE != nil {
		line("could show", "%.1f points with 80%% power, at this discordance (%.0f%%)", *r.MDE, 100*r.Discordance())
	}
	for _, note := range contrastNotes(r) {
		line("note", "%s", note)
	}
	line("verdict", "%s", style.Strong(terminal.Safe(r.Verdict)))
	return b.String()
}

// contrastNotes is what a careful reader has to know besides the numbers.
func contrastNotes(r outcomes.Answer) []string {
	var notes []string
	if c := r.Recommended; c != nil {
		notes = append(notes, fmt.Sprintf("report %s by %s (%s)", interval(r, c.Lo, c.Hi), c.Method, c.Why))
	}
	if r.Edge {
		notes = append(notes, "a tie at the percentile: an end of the exact interval would move with 1e-12 of probability")
	}
	if r.MissingA+r.MissingB > 0 {
		notes = append(notes, fmt.Sprintf("missing: %d of A, %d of B; filled in against A the difference is %s, against B %s", r.MissingA, r.MissingB,
			change(r, r.BoundLo), change(r, r.BoundHi)))
	}
	if r.Unit != contrasts.UnitTask && r.Clusters < 10 {
		notes = append(notes, fmt.Sprintf("%d clusters are too few to say much", r.Clusters))
	}
	return notes
}

func difference(r outcomes.Answer) string { return change(r, r.Diff) }

// change is a difference in points, or what a ratio multiplies by.
func change(r outcomes.Answer, v float64) string {
	if r.Ratio != nil {
		return fmt.Sprintf("x%.3f", 1+v/100)
	}
	if math.Abs(v) < 0.005 {
		v = 0
	}
	return fmt.Sprintf("%+.2f", v)
}

func interval(r outcomes.Answer, lo, hi float64) string {
	return "[" + change(r, lo) + ", " + change(r, hi) + "]"
}

func methodName(method string, draws int, seed uint64) string {
	name := map[string]string{contrasts.MethodExact: "exact bootstrap percentiles", contrasts.MethodBootstrap: "bootstrap percentiles"}[method]
	if name == "" {
		name = method
	}
	if draws > 0 {
		name += fmt.Sprintf(", %d draws, seed %d", draws, seed)
	}
	return name
}

// pValue is a p-value with as many digits as say something; the JSON form has the number.
func pValue(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3g", p)
}
