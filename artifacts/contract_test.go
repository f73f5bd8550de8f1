package artifacts_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"evlab/artifacts"
	"evlab/experiments"
)

func frozen(r *artifacts.Run, ceiling int) *experiments.Contract {
	c := &experiments.Contract{Schema: experiments.ContractSchema, RunID: r.ID, Tasks: []experiments.FrozenTask{{ID: "t"}}}
	c.Spec.Replicates = 1
	c.Spec.Conditions = []experiments.ConditionSpec{{Name: "none", Kind: experiments.NoEvidence}}
	c.Spec.Executors = []experiments.ExecutorSpec{{Name: "simulated", Kind: experiments.Simulated}}
	c.Spec.Tracks.Repair.TokenCeiling = ceiling
	return c
}

// A contract that somebody edited is not the one that the run's cells were made by.
func TestAnEditedContractIsDamage(t *testing.T) {
	r := run(t, folder(t), "r")
	if _, err := r.Contract(); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("before it is frozen: %v", err)
	}
	if err := r.Freeze(frozen(r, 6144)); err != nil {
		t.Fatal(err)
	}
	if c, err := r.Contract(); err != nil || c.Spec.Tracks.Repair.TokenCeiling != 6144 {
		t.Fatalf("%+v, %v", c, err)
	}
	path := filepath.Join(r.Dir, "contract.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte("6144"), []byte("100"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Contract(); !errors.Is(err, artifacts.ErrDamaged) {
		t.Errorf("edited: %v", err)
	}
	// One that was taken away is frozen anew, whatever digest the old one had.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := r.Freeze(frozen(r, 200)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Contract(); err != nil {
		t.Errorf("frozen anew: %v", err)
	}
}

// A whole record of the same cell that was made from other inputs is no record of this run.
func TestARecordOfOtherInputsIsDamage(t *testing.T) {
	r := run(t, folder(t), "r")
	cell := experiments.Cell{Task: "t", Condition: "none", Executor: "simulated", Replicate: 1}
	inputs, err := frozen(r, 6144).Inputs(cell)
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := r.RecordOf(frozen(r, 6144), cell); rec != nil || err != nil {
		t.Fatalf("none yet: %v, %v", rec, err)
	}
	if err := r.WriteRecord(&experiments.Record{RunID: "r", Cell: cell, Key: experiments.KeyOf(inputs), Inputs: inputs, Verdict: experiments.Resolved}); err != nil {
		t.Fatal(err)
	}
	if rec, err := r.RecordOf(frozen(r, 6144), cell); err != nil || rec.Verdict != experiments.Resolved {
		t.Errorf("its own: %v, %v", rec, err)
	}
	if _, err := r.RecordOf(frozen(r, 100), cell); !errors.Is(err, artifacts.ErrDamaged) {
		t.Errorf("of other inputs: %v", err)
	}
}
