package runs_test

import (
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"evlab/artifacts"
	"evlab/experiments"
	"evlab/repos"
	"evlab/runs"
	"evlab/sandbox"
)

// BenchmarkCellOverhead compares cells, one at a time, with the bare containers of the same commands in the same run:
// the difference is what evlab adds (engine, retrieval, patch, records). It reports medians in seconds.
func BenchmarkCellOverhead(b *testing.B) {
	folder, err := artifacts.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer folder.Close()
	spec := experiments.Defaults()
	spec.Name, spec.Sandbox = "overhead", "docker"
	spec.Cohort = experiments.CohortSource{Name: "demo"}
	spec.Tasks = []string{benchTask}
	spec.Conditions = []experiments.ConditionSpec{{Kind: experiments.BM25}}
	spec.Executors = []experiments.ExecutorSpec{{Kind: experiments.Simulated}}
	spec.Replicates = 20
	spec.Concurrency = experiments.Concurrency{Tasks: 1, Steps: 1}
	spec.FillIn()
	for range b.N {
		cells, bare := measure(b, folder, spec)
		b.ReportMetric(cells.Seconds(), "s/cell")
		b.ReportMetric(bare.Seconds(), "s/bare")
		b.ReportMetric((cells - bare).Seconds(), "s/overhead")
		b.ReportMetric(cells.Seconds()/bare.Seconds(), "ratio")
	}
}

const benchTask = "ledger-tax-cent"

func measure(b *testing.B, folder *artifacts.Folder, spec experiments.Spec) (cell, bare time.Duration) {
	b.Helper()
	run, err := folder.CreateRun(artifacts.Header{RunID: "overhead-" + time.Now().Format("150405.000"), Created: time.Now(), Spec: spec, Fresh: true})
	if err != nil {
		b.Fatal(err)
	}
	contract, err := runs.Contract(b.Context(), folder, run, "benchmark", nil)
	if err != nil {
		b.Fatal(err)
	}
	session, err := runs.Open(b.Context(), runs.Options{Folder: folder, Concurrency: spec.Concurrency, KeepImages: true})
	if err != nil {
		b.Fatal(err)
	}
	summary, err := session.Carry(b.Context(), run, contract, func(runs.State) {})
	if cerr := session.Close(); err != nil || cerr != nil {
		b.Fatal(err, cerr)
	}
	if !summary.Cells.Complete() {
		b.Fatalf("the run left %+v", summary.Missing)
	}
	var walls, containers []time.Duration
	var commands []experiments.Command
	var tree string
	for _, c := range contract.Cells(benchTask) {
		rec, err := run.Record(c)
		if err != nil || rec == nil {
			b.Fatal(err)
		}
		walls = append(walls, rec.Finished.Sub(rec.Started))
		commands, tree = rec.Commands, rec.Tree
	}
	mirror, err := repos.Open(b.Context(), folder.Mirror(contract.Tasks[0].Mirror))
	if err != nil {
		b.Fatal(err)
	}
	delta, err := mirror.Delta(b.Context(), contract.Tasks[0].BaseCommit, tree)
	if err != nil {
		b.Fatal(err)
	}
	box, err := sandbox.OpenDocker(b.Context(), sandbox.Options{State: folder.State("sandbox"), Host: "benchmark", Slots: 1, Label: map[string]string{"evlab.run": run.ID}})
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	task := contract.Tasks[0]
	image, err := box.Ensure(b.Context(), sandbox.Recipe{
		Task: task.ID, SnapshotID: task.BaseTree, GoVersion: contract.Versions["go"],
		Snapshot: func(w io.Writer) error { return mirror.Archive(b.Context(), task.BaseCommit, w) },
		Warm:     [][]string{{"go", "list", "-test", "-export", "-deps", "-f", "", "./..."}},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer box.Remove(b.Context(), image)
	l := contract.Spec.Limits
	for range len(walls) {
		began := time.Now()
		for _, c := range commands {
			id := "bare-" + c.Phase
			_, err := box.Run(b.Context(), sandbox.Step{
				ID: id, Attempt: 1, Image: image, Command: c.Args, Files: delta,
				Limits: sandbox.Limits{Timeout: l.StepTimeout, Memory: int64(l.Memory), Scratch: int64(l.Scratch), Log: int64(l.Log), Processes: l.Processes, CPUs: l.CPUs},
				Stdout: filepath.Join(b.TempDir(), "out"), Stderr: filepath.Join(b.TempDir(), "err"),
			})
			if err != nil {
				b.Fatal(err)
			}
			if err := box.Forget(b.Context(), id, 1); err != nil {
				b.Fatal(err)
			}
		}
		containers = append(containers, time.Since(began))
	}
	slices.Sort(walls)
	slices.Sort(containers)
	return walls[len(walls)/2], containers[len(containers)/2]
}
