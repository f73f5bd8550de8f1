// Package localization scores where an executor says that the next edit belongs, against the repair that the organizer
// keeps (section F.4): reference-file recall, success, and the precision of the targets.
//
// The decision that shapes it: two questions are kept apart. Which files were named is settled by paths alone, by rules
// that see no label. Whether a target is the right place is a label (precise, coarse, wrong, other), and labels have a
// source: people, whose verdicts come from an adjudication file, or the labeller here, which lays symbols and line ranges
// over the reference patch's hunks. A score has the labels of one source and carries its name; there is no way to put two
// into one number.
//
// What may not be here: files and their forms (targetfile reads them), statistics over tasks (contrasts), anything that a
// deployable condition could import to learn a reference.
package localization
