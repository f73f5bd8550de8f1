package experiments

import (
	"fmt"
	"strings"
)

// ProcedureVersion names the cell's own procedure: the order of its steps, the prompt, the scores. Raise it when a
// change of evlab could change a record whose inputs stayed the same.
const ProcedureVersion = "repair-v12"

// Cell is task x condition x executor x replicate: the unit of work, of resume and of audit.
type Cell struct {
	Task      string `json:"task"`
	Condition string `json:"condition"`
	Executor  string `json:"executor"`
	Replicate int    `json:"replicate"` // from 1
}

// ID is the cell's stable id inside a run: task/condition/executor/replicate. Names hold no slash, so it parses back.
func (c Cell) ID() string {
	return fmt.Sprintf("%s/%s/%s/%d", c.Task, c.Condition, c.Executor, c.Replicate)
}

// Input is one named thing that could change a cell's result.
type Input struct {
	Name   string `json:"name"`
	Digest Digest `json:"digest"`
}

// Key identifies a cell by its inputs: cells with the same key have the same result, whatever run asked for them.
type Key = Digest

// KeyOf is the digest of the inputs in their order. Run id, paths, concurrency and the binary's version are never
// inputs.
func KeyOf(inputs []Input) Key {
	var b strings.Builder
	b.WriteString("evlab-cell\n")
	for _, in := range inputs {
		fmt.Fprintf(&b, "%s\t%s\n", in.Name, in.Digest)
	}
	return DigestBytes([]byte(b.String()))
}

// FirstDifference names the first input in which two cells differ, with both digests; ok is false when none does. An
// input that only one of them has counts, with an empty digest for the other.
func FirstDifference(old, now []Input) (name string, was, is Digest, ok bool) {
	before := make(map[string]Digest, len(old))
	for _, in := range old {
		before[in.Name] = in.Digest
	}
	for _, in := range now {
		if before[in.Name] != in.Digest {
			return in.Name, before[in.Name], in.Digest, true
		}
		delete(before, in.Name)
	}
	for _, in := range old {
		if _, left := before[in.Name]; left {
			return in.Name, in.Digest, "", true
		}
	}
	return "", "", "", false
}
