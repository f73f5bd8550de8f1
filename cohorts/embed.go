// Package cohorts carries the cohorts that come with the program, so that a first experiment needs nothing but the
// binary.
//
// The decision that shapes it: a cohort is data in the folder format evlab-cohort-v1 and nothing else. Its
// repositories are texts from which real histories are built, with the same commit ids on every machine, and its two
// sides lie apart: public/ for conditions and executors, private/ for the organizer. How tasks are made is written in
// demo/README.md.
//
// What may not be here: code that reads or judges a cohort (that is package datasets), repositories or archives in
// binary form, and anything that was written with a run's results in view.
package cohorts

import "embed"

// Demo is the cohort named demo, in the folder "demo". Its content may run in the host sandbox: it is ours.
//
//go:embed all:demo
var Demo embed.FS
