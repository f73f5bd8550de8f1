package main

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"evlab/artifacts"
	"evlab/contrasts"
	"evlab/experiments"
	"evlab/planning"
	"evlab/terminal"
)

func newPlan(a *app) *cobra.Command {
	var machine machineFlags
	var fresh, pending bool
	cmd := &cobra.Command{
		Use:   "plan FILE",
		Short: "Show what a run would do, why, and what it can show",
		Long: "Plan reads the experiment and its cohort as run would and says of every cell whether it will run and why, what that\n" +
			"takes, and the smallest difference that this many tasks can show. It starts nothing. A cell in state cached is taken\n" +
			"over: an earlier run finished it with the same inputs. An excluded one can't be asked; its reason says why.",
		Example:     "  evlab plan configs/demo.yaml\n  evlab plan exp.yaml --json\n  evlab plan exp.yaml --exit-code",
		Args:        exactArgs("an experiment file"),
		Annotations: map[string]string{exitNote: "4,5,20"},
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := a.readSpec(args[0], &machine)
			if err != nil {
				return err
			}
			folder, err := a.openFolder()
			if err != nil {
				return err
			}
			defer folder.Close()
			contract, err := planning.Freeze(cmd.Context(), folder, planning.Request{
				Created: time.Now(), SpecFile: loaded.File, Spec: loaded.Spec, Fresh: fresh, Version: currentVersion().Version,
			})
			if err != nil {
				return planningFailure(err, args[0])
			}
			plan, err := planning.Make(folder, nil, contract)
			if err != nil {
				return err
			}
			if err := a.printPlan(a.stdout, folder, contract, plan, loaded.Spec.Concurrency.Steps); err != nil {
				return err
			}
			if n := plan.Count(experiments.ToRun); pending && n > 0 {
				return &failure{Code: exitPending, Msg: fmt.Sprintf("%d cells would run", n)}
			}
			return nil
		},
	}
	machine.bind(cmd)
	cmd.Flags().BoolVar(&fresh, "fresh", false, "plan as run --fresh would")
	cmd.Flags().BoolVar(&pending, "exit-code", false, "end with code 20 when there is work to do")
	return cmd
}

// detectable is the smallest difference that the tasks that are not excluded can show at 80% power, for a share of discordant pairs.
type detectable struct {
	Discordance float64  `json:"discordance"`
	Points      *float64 `json:"points"` // null: not even the largest possible difference
}

type planObject struct {
	Type       string             `json:"type"` // plan
	Experiment string             `json:"experiment"`
	SpecDigest experiments.Digest `json:"spec_digest"`
	Sandbox    string             `json:"sandbox"`
	Counts     map[string]int     `json:"counts"`
	Estimate   planning.Estimate  `json:"estimate"`
	Detectable []detectable       `json:"smallest_detectable"`
	Notes      []string           `json:"notes,omitempty"`
	Plan       *experiments.Plan  `json:"plan"`
}

// showPlan shows the plan before a question, so it goes where the question goes.
func (a *app) showPlan(folder *artifacts.Folder, c *experiments.Contract, plan *experiments.Plan, steps int) error {
	if a.json {
		return nil
	}
	return a.printPlan(a.stderr, folder, c, plan, steps)
}

func (a *app) printPlan(w io.Writer, folder *artifacts.Folder, c *experiments.Contract, plan *experiments.Plan, steps int) error {
	if steps == 0 {
		steps = runtime.NumCPU()
	}
	estimate, err := planning.Guess(folder, c, plan, steps)
	if err != nil {
		return err
	}
	o := planObject{
		Type: "plan", Experiment: c.Spec.Name, SpecDigest: c.SpecDigest, Sandbox: c.Sandbox.Kind, Plan: plan, Estimate: estimate, Notes: c.Notes,
		Counts: map[string]int{},
	}
	for _, s := range []experiments.CellState{experiments.ToRun, experiments.TakeOver, experiments.Done, experiments.Barred} {
		o.Counts[string(s)] = plan.Count(s)
	}
	usable := map[string]bool{}
	for _, cell := range plan.Cells {
		if cell.State != experiments.Barred {
			usable[cell.Task] = true
		}
	}
	for _, share := range []float64{0.1, 0.2, 0.3, 0.5} {
		d := detectable{Discordance: share}
		if points, ok := contrasts.SmallestDetectable(len(usable), share, 0.8); ok {
			d.Points = &points
		}
		o.Detectable = append(o.Detectable, d)
	}
	if a.json {
		return a.printJSON(o)
	}
	fmt.Fprintf(w, "Experiment %s (%s): %s x %s x %s x %s = %s, sandbox %s\n\n", c.Spec.Name, c.SpecDigest.Short(),
		plural(len(c.Tasks), "task"), plural(len(c.Spec.Conditions), "condition"), plural(len(c.Spec.Executors), "executor"),
		plural(c.Spec.Replicates, "replicate"), plural(len(plan.Cells), "cell"), c.Sandbox.Kind)
	if err := a.planTable(w, plan); err != nil {
		return err
	}
	for _, note := range c.Notes {
		fmt.Fprintf(w, "\nNote: %s\n", terminal.Safe(note))
	}
	if len(usable) == 0 {
		fmt.Fprint(w, "\nNo task can be used: every cell is excluded, for the reasons above.\n")
		return nil
	}
	if estimate.Cells == 0 {
		fmt.Fprint(w, "\nNothing is left to run: every cell has its verdict, or is excluded.\n")
	} else {
		fmt.Fprintf(w, "\nTime: %s to %s for %s in %s (%s).\nDisk: about %d MB. Executor calls: at most %d, none of them paid for.\n",
			terminal.Duration(estimate.Low), terminal.Duration(estimate.High), plural(estimate.Cells, "cell"), plural(estimate.Tasks, "task"),
			estimate.Basis, estimate.DiskMB, estimate.Calls)
	}
	fmt.Fprintf(w, "Smallest difference that %s can show with 80%% power (mid-p McNemar, 5%%):\n", plural(len(usable), "task"))
	for _, d := range o.Detectable {
		points := "none, however large"
		if d.Points != nil {
			points = fmt.Sprintf("%.1f points", *d.Points)
		}
		fmt.Fprintf(w, "  if %2.0f%% of the pairs differ: %s\n", d.Discordance*100, points)
	}
	return nil
}

// planTable groups cells that have the same fate for the same reason.
func (a *app) planTable(w io.Writer, plan *experiments.Plan) error {
	type group struct {
		condition, executor string
		state               experiments.CellState
		reason              string
	}
	var order []group
	count := map[group]int{}
	for _, p := range plan.Cells {
		g := group{p.Condition, p.Executor, p.State, p.Reason}
		if count[g] == 0 {
			order = append(order, g)
		}
		count[g]++
	}
	const most = 60
	table := terminal.NewTable("condition", "executor", "state", "cells", "reason")
	for i, g := range order {
		if i == most {
			fmt.Fprintf(a.stderr, "%s more in --json\n", plural(len(order)-i, "group"))
			break
		}
		table.Row(g.condition, g.executor, string(g.state), fmt.Sprint(count[g]), g.reason)
	}
	return table.Write(w, a.width(w), a.style(w))
}
