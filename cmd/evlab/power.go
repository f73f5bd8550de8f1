package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"evlab/contrasts"
	"evlab/outcomes"
)

// powerFlags are what evlab power is asked for.
type powerFlags struct {
	tasks        []int
	discordances []string
	shares       []float64 // the discordances, read
	power, diff  float64
	coverage     bool
	clusters     []int
	intraclass   float64
	cohorts      int
	draws        int
	seed         uint64
	source       outcomeSource
	selection    outcomes.Selection
	replicates   []int
}

func newPower(a *app) *cobra.Command {
	var f powerFlags
	cmd := &cobra.Command{
		Use:   "power",
		Short: "What a number of tasks can show, how many are needed, and how honest each interval is",
		Long: "Power answers before anything is paid for. Alone: the smallest true difference of a 0/1 metric that a number of tasks shows,\n" +
			"for shares of discordant pairs, by exact unconditional power of the mid-p McNemar test, with the normal formula beside it.\n" +
			"With --diff: the tasks that it takes. With the outcomes of a pilot: what replicates would buy. With --coverage: how often each\n" +
			"interval holds the true difference and each test calls one that is not there.",
		Example: "  evlab power --n 23,52,100,500\n" +
			"  evlab power --diff 5 --discordance 10%,20%\n" +
			"  evlab power --outcomes docs/examples/contrast/pilot.jsonl --metric resolved --a new --b old --n 150,500\n" +
			"  evlab power --coverage --n 23 --discordance 5%,20% --clusters 0,10",
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if err := f.meant(cmd); err != nil {
				return err
			}
			switch {
			case f.coverage:
				return a.measureCoverage(cmd.Context(), f)
			case f.source != outcomeSource{}:
				return a.pilotPower(f)
			}
			return a.power(f)
		},
	}
	flags := cmd.Flags()
	flags.IntSliceVar(&f.tasks, "n", []int{50, 100, 150, 200, 300, 500, 1000}, "numbers of tasks")
	flags.StringSliceVar(&f.discordances, "discordance", []string{"5%", "10%", "15%", "20%", "30%"}, "shares of discordant pairs, as 0.1 or 10%")
	flags.Float64Var(&f.power, "power", 0.8, "chance to show a difference that is there")
	flags.Float64Var(&f.diff, "diff", 0, "true difference in points: how many tasks show it? With --coverage: the true difference (default half of the discordance)")
	flags.BoolVar(&f.coverage, "coverage", false, "measure coverage and size of every method")
	flags.IntSliceVar(&f.clusters, "clusters", []int{0, 10}, "coverage: numbers of clusters; 0 for independent tasks")
	flags.Float64Var(&f.intraclass, "intraclass", 0.2, "coverage: correlation inside a cluster of the side that a discordant pair falls to")
	flags.IntVar(&f.cohorts, "cohorts", 2000, "coverage: simulated cohorts, where figures are not summed exactly")
	flags.IntVar(&f.draws, "draws", 1000, "draws within each simulated cohort, and of a pilot's spread")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of what is drawn")
	f.source.bind(cmd)
	flags.StringVar(&f.selection.Metric, "metric", "", "the pilot's metric")
	flags.StringVar(&f.selection.A, "a", "", "the pilot's condition A")
	flags.StringVar(&f.selection.B, "b", "", "the pilot's condition B")
	flags.StringVar(&f.selection.Executor, "executor", "", "the pilot's executor, when there are several")
	flags.IntSliceVar(&f.replicates, "replicates", []int{1, 2, 4, 8}, "numbers of replicates to weigh")
	return cmd
}

// meant refuses flags that the question leaves unread.
func (f *powerFlags) meant(cmd *cobra.Command) error {
	switch {
	case f.coverage && !slices.ContainsFunc(f.clusters, func(n int) bool { return n > 0 }) && cmd.Flags().Changed("intraclass"):
		return idleFlags(cmd, "without clusters, which --clusters gives", []string{"--intraclass"})
	case f.coverage:
		return onlyFlags(cmd, "with --coverage", "coverage", "n", "discordance", "diff", "clusters", "intraclass", "cohorts", "draws", "seed")
	case f.source != outcomeSource{}:
		return onlyFlags(cmd, "with a pilot's outcomes", "outcomes", "run", "metric", "a", "b", "executor", "n", "replicates", "power", "draws", "seed")
	case f.diff > 0:
		return onlyFlags(cmd, "with --diff, which asks how many tasks are needed", "diff", "discordance", "power")
	}
	return onlyFlags(cmd, "without --diff, --coverage or a pilot's outcomes", "n", "discordance", "power", "diff")
}

// check reads and refuses flags.
func (f *powerFlags) check() error {
	for _, text := range f.discordances {
		number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
		share, err := strconv.ParseFloat(number, 64)
		if percent {
			share /= 100
		}
		if err != nil || !(share > 0 && share <= 1) {
			return usage("", "--discordance %q is not a share such as 0.1 or 10%%", text)
		}
		f.shares = append(f.shares, share)
	}
	for _, n := range f.tasks {
		if n < 2 || n > 1_000_000 {
			return usage("", "--n %d is outside 2 to 1000000", n)
		}
	}
	for _, r := range f.replicates {
		if r < 1 || r > 1000 {
			return usage("", "--replicates %d is outside 1 to 1000", r)
		}
	}
	switch {
	case !(f.power > 0.05 && f.power < 1):
		return usage("", "--power %v is outside 0.05 to 1", f.power)
	case !(f.diff >= 0 && f.diff <= 100):
		return usage("", "--diff %v is outside 0 to 100 points", f.diff)
	}
	return nil
}

// detectableRow is one number of tasks at one discordance. A missing figure means that not even the largest possible difference
// is shown that often.
type detectableRow struct {
	Type        string   `json:"type"` // detectable
	Tasks       int      `json:"tasks"`
	Discordance float64  `json:"discordance"`
	Power       float64  `json:"power"`
	Points      *float64 `json:"points"`  // by exact power of the mid-p test (by the formula above 20,000 tasks)
	Formula     *float64 `json:"formula"` // by the normal formula alone
	Size        *float64 `json:"size"`    // how often the test calls a difference where there is none
}

// neededRow is how many tasks show a difference.
type neededRow struct {
	Type        string   `json:"type"` // needed
	Diff        float64  `json:"diff"` // points
	Discordance float64  `json:"discordance"`
	Power       float64  `json:"power"`
	Tasks       *int     `json:"tasks"` // by exact power; null above 20,000, and where the discordance does not allow the difference
	Formula     *float64 `json:"formula"`
}

func (a *app) power(f powerFlags) error {
	if f.diff > 0 {
		rows, err := f.needed()
		if err != nil {
			return err
		}
		return a.printNeeded(f, rows)
	}
	var rows []detectableRow
	for _, n := range f.tasks {
		for _, share := range f.shares {
			row := detectableRow{Type: "detectable", Tasks: n, Discordance: share, Power: f.power}
			if points, ok := contrasts.SmallestDetectable(n, share, f.power); ok {
				row.Points = &points
			}
			if points, ok := contrasts.SmallestByFormula(n, share, f.power); ok {
				row.Formula = &points
			}
			if size, err := contrasts.Power(contrasts.MidP, n, share, 0); err == nil {
				row.Size = &size
			}
			rows = append(rows, row)
		}
	}
	return a.printDetectable(f, rows)
}

func (f *powerFlags) needed() ([]neededRow, error) {
	var rows []neededRow
	for _, share := range f.shares {
		row := neededRow{Type: "needed", Diff: f.diff, Discordance: share, Power: f.power}
		if f.diff/100 <= share {
			formula, err := contrasts.TasksNeeded(share, f.diff/100, f.power)
			if err != nil {
				return nil, usage("", "%v", err)
			}
			row.Formula = &formula
			n, ok, err := contrasts.TasksNeededExact(share, f.diff/100, f.power)
			if err != nil {
				return nil, usage("", "%v", err)
			}
			if ok {
				row.Tasks = &n
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// coverageRow is one method in one trial.
type coverageRow struct {
	Type        string  `json:"type"` // coverage
	Tasks       int     `json:"tasks"`
	Discordance float64 `json:"discordance"`
	Diff        float64 `json:"diff"` // points
	Clusters    int     `json:"clusters"`
	contrasts.Coverage
}

func (a *app) measureCoverage(ctx context.Context, f powerFlags) error {
	var rows []coverageRow
	for _, clusters := range f.clusters {
		for _, n := range f.tasks {
			for _, share := range f.shares {
				trial := contrasts.Trial{N: n, Discordance: share, Diff: share / 2, Clusters: clusters, Intraclass: f.intraclass, Cohorts: f.cohorts, Draws: f.draws, Seed: f.seed}
				if f.diff > 0 {
					trial.Diff = f.diff / 100
				}
				measured, err := contrasts.MeasureCoverage(ctx, trial)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err != nil {
					return usage("evlab power --help shows the flags", "%v", err)
				}
				for _, m := range measured {
					rows = append(rows, coverageRow{"coverage", n, share, 100 * trial.Diff, clusters, m})
				}
			}
		}
	}
	return a.printCoverage(f, rows)
}

// pilotObject is what a pilot says about a larger experiment. Variances are in squares of the metric's unit, differences in its unit (points
// for a metric in 0..1).
type pilotObject struct {
	Type        string               `json:"type"` // pilot
	Metric      string               `json:"metric"`
	A           string               `json:"a"`
	B           string               `json:"b"`
	Replicates  int                  `json:"replicates"`  // most of a cell
	Discordance *float64             `json:"discordance"` // 0/1 metrics of one replicate
	Components  contrasts.Components `json:"components"`
	Unit        string               `json:"unit"` // points, or the metric's
	Rows        []pilotRow           `json:"rows"`
}

type pilotRow struct {
	Tasks      int     `json:"tasks"`
	Replicates int     `json:"replicates"`
	Detectable float64 `json:"detectable"`
	Lo         float64 `json:"lo"` // 5% and 95% quantiles over resamples of the pilot's tasks
	Hi         float64 `json:"hi"`
}

func (a *app) pilotPower(f powerFlags) error {
	if f.selection.Metric == "" || f.selection.A == "" || f.selection.B == "" {
		return usage("such as --metric strict --a new --b old", "a pilot needs --metric, --a and --b")
	}
	table, err := a.readOutcomes(f.source, outcomes.Wanted{Metrics: []string{f.selection.Metric}})
	if err != nil {
		return err
	}
	pilot, err := table.Pilot(f.selection)
	if err != nil {
		return usage("", "%v", err)
	}
	o := pilotObject{Type: "pilot", Metric: f.selection.Metric, A: f.selection.A, B: f.selection.B, Replicates: pilot.Replicates, Discordance: pilot.Discordance,
		Components: pilot.Components, Unit: "points"}
	scale := 100.0
	if !pilot.Share {
		scale, o.Unit = 1, f.selection.Metric
	}
	for _, n := range f.tasks {
		for _, r := range f.replicates {
			if !pilot.Components.Split && r > 1 {
				continue
			}
			row := pilotRow{Tasks: n, Replicates: r, Detectable: scale * pilot.Components.Detectable(n, r, f.power)}
			lo, hi, err := contrasts.Spread(pilot.Tasks, n, r, f.power, f.draws, f.seed)
			if err != nil {
				return usage("", "%v", err)
			}
			row.Lo, row.Hi = scale*lo, scale*hi
			o.Rows = append(o.Rows, row)
		}
	}
	return a.printPilot(f, o)
}
