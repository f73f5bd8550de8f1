// Package contrasts is evlab's paired statistics: condition A minus condition B on one metric over the same tasks, with
// an interval, a test, the bounds that missing verdicts leave open, and one sentence of verdict; and, before a run is
// paid for, the smallest difference that a cohort can show.
//
// The decision that shapes it: a difference is an integer. Values are put on the smallest lattice that holds them all
// (0/1 outcomes, thirds, hundredths; 2^-40 when there is none), so that wins, ties, means and sign-flip sums are exact,
// the order of the tasks can't matter, and the bootstrap distribution of a mean can be computed instead of drawn.
//
// What may not be here: files, the clock, formatting of tables, randomness without a seed, and any other package of ours.
package contrasts
