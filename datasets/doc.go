// Package datasets reads cohorts and predictions from files: the cohort folder of evlab, task rows in the form of
// SWE-bench, and predictions files.
//
// The decision that shapes it: a file is read to its end and every fault is reported with its place, because a user
// repairs a file once and not once per fault. What makes a file untrustworthy as a whole (a line that is no object, an
// id given twice) is an error; what only bars one task from being asked goes on as Cohort.Excluded with the reason.
// Public and private sides are read from different places and have a digest each.
//
// What may not be here: applying patches, running anything of a repository, a network, and guesses about content:
// patches and test names are handed on byte for byte.
package datasets
