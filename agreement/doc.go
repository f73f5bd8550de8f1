// Package agreement says how far two reviewers agree, what an arbiter made of their disagreements, and what a ledger of
// changes did to the scores (section C).
//
// The decision that shapes it: no coefficient stands alone. Raw agreement, Cohen's kappa, 2p-1 and Gwet's AC1 are computed
// from the same table and shown together with it, because each misleads somewhere: with nearly everything accepted, kappa
// is about zero whatever the reviewers do, and raw agreement is high whatever they do. A coefficient that is 0/0 has no
// value and says so; an item that one reviewer left out is counted as missing and never as a disagreement.
//
// What may not be here: files and their forms (reviewfile reads them), certificates, and the differences between
// conditions (contrasts).
package agreement
