// Package terminal is what evlab looks like to people at a terminal and in a pipe: colour, tables, progress.
//
// The decision that shapes it: it never guesses about a stream. The caller says whether the stream it writes to is a
// terminal (IsTerminal of that very stream) and whether colour is wanted (Colour); everything here then follows from
// those two answers, so that a pipe gets plain lines without escape codes and a test can ask for either.
//
// What may not be here: what a number means, where results go (stdout or stderr is the command's choice), reading keys,
// and text that came from a model or a repository without Safe around it.
package terminal
