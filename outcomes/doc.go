// Package outcomes turns outcome rows, from a file or from a run's records, into the paired samples that contrasts reads:
// task x condition x executor x replicate with one value per metric, then per task the mean over replicates.
//
// The decision that shapes it: a value that is not there is never a zero. A row without a verdict, an empty cell and a task that a
// condition has no row for are all missing, and every task of the table is planned for every condition, so that what is
// missing shows up in the counts and bounds of every contrast. Names are numbers inside, which lets a million rows fit.
//
// What may not be here: statistics (contrasts), formats (tabular), and any choice between rows: the same cell given twice is
// a fault.
package outcomes
