// Package workflows is what Temporal carries: Experiment starts a Task for each task of a run, a Task prepares the
// sandbox image and starts its Cells, a Cell retrieves, proposes, applies, tests and records.
//
// The decision that shapes it: workflows hold no science and no bytes. They order steps, bound how many go at once and
// say what follows a fault; what a step means is the activities' business, and what travels between steps is ids and
// digests. A cell's failure is data (its verdict); only what could not be recorded is an error here.
//
// What may not be here: os, net, time.Now, goroutines, map ranges, and any package of ours but experiments. Names of
// workflow and activity types are written out, so that renaming a Go function never changes what a history says.
package workflows
