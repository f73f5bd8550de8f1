// Package evidence is the public side of the science: what an agent can be shown. It holds evidence units and the
// segmentation of a repository into them, the state card of a decision (section 3 of the paper), the token count
// that every ceiling is measured in, and the rendering of units under such a ceiling.
//
// The decision that shapes it: a unit is a run of whole, unchanged source lines with an id that can be derived from
// the source alone (path#Symbol, or path#L1-L60). Certificates, rankings, records and prompts name evidence by
// that id, so the same commit has the same ids on every machine, and a unit is shown whole or not at all.
//
// What may not be here: certificates and anything else of the organizer's, rankings, files and networks, the clock,
// and any other package of ours. Everything is a function of its arguments.
package evidence
