// Package specfile reads, explains and writes experiment files: YAML in, experiments.Spec out.
//
// The decision that shapes it: a file is walked node by node against the shape of experiments.Spec before anything
// decodes it. The walk knows lines and columns, so every fault is reported at once and at its place, and what reaches
// viper (which decodes, merges and lower-cases silently) holds nothing that it could misread. Only fields that are the
// machine's business (MachineKeys) can be said outside of the file; an attempt to say a scientific one is an error, so
// that two people with the same file have the same experiment.
//
// What may not be here: the meaning of an experiment (package experiments), cohorts and predictions (package
// datasets), the process's own environment and the terminal.
package specfile
