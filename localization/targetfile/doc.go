// Package targetfile reads and writes the files of localization: references, selections, adjudications, scores by task;
// and finds the sources of the files that references edit.
//
// The decision that shapes it: everything is checked against the references, which are read first, and every fault of
// every file is noted with its file and row before anything is scored. A task that an executor has no selection for is no
// fault: it counts as an empty one.
//
// What may not be here: scores and labels (localization makes them).
package targetfile
