// Package scores measures recovery: how much of what a decision still lacks a ranking brings back (sections 3 and D of
// the paper). It has Complete-MSS, group recall, necessity recall and grouped nDCG at cutoffs by items and by tokens,
// budgets that are matched per state, the exact references (k units drawn uniformly, the oracle's ceiling), and strata
// whose weights add back to the whole.
//
// The decision that shapes it: a ranking is scored as the positions in which groups become covered, once, and every
// cutoff is read off that one pass, so that no two numbers can disagree about what was returned. Positions are never
// moved: an observed unit keeps its place, a missing state counts zero, nothing is dropped. A reference is exact or says
// that it is a bound; none is drawn.
//
// What may not be here: files (statefile reads and writes them), the clock, random numbers, intervals (contrasts has
// those), and any opinion on which units are right besides the certificate's.
package scores
