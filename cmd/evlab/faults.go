package main

import (
	"errors"
	"fmt"
	"slices"

	"evlab/experiments"
	"evlab/tabular"
)

// folded are faults as lines for people: of those that say the same of many rows of one file the first few, and how many
// more there are. A file of another kind has the same fault in every row. The JSON form has all.
func folded(faults []error) []string {
	const most = 3
	type kind struct{ file, column, reason string }
	kindOf := func(err error) (kind, bool) {
		var f *tabular.Fault
		if !errors.As(err, &f) {
			return kind{}, false
		}
		return kind{f.File, f.Column, f.Reason}, true
	}
	count := map[kind]int{}
	for _, err := range faults {
		if k, ok := kindOf(err); ok {
			count[k]++
		}
	}
	var lines []string
	shown := map[kind]int{}
	for _, err := range faults {
		k, ok := kindOf(err)
		if !ok {
			lines = append(lines, err.Error())
			continue
		}
		shown[k]++
		switch {
		case shown[k] <= most || count[k] == most+1: // one more line says no less than "and 1 more"
			lines = append(lines, err.Error())
		case shown[k] == most+1:
			same := tabular.Fault{File: k.file, Column: k.column, Reason: k.reason}
			lines = append(lines, fmt.Sprintf("%v: the same in %d more rows; --json lists more of them", &same, count[k]-most))
		}
	}
	return lines
}

// faultsOf is the failure of a user's file: the one thing that is wrong with it, or msg and all of them.
func faultsOf(hint, msg string, err error) *failure {
	faults := experiments.Flatten(err)
	for i, fault := range faults {
		if said := plainly([]any{fault})[0]; said != error(fault) {
			faults[i] = fmt.Errorf("%v", said)
		}
	}
	// What is wrong with a file that is given twice is wrong once.
	said := map[string]bool{}
	faults = slices.DeleteFunc(faults, func(err error) bool {
		again := said[err.Error()]
		said[err.Error()] = true
		return again
	})
	f := usage(hint, "%s", msg)
	if f.Faults, f.Err = faults, err; len(faults) == 1 {
		f.Msg, f.Faults = faults[0].Error(), nil
	}
	return f
}
