// Package environments says what the tests of a language need to run, and what more where a tree's sources ask for it, and
// fetches what is not on the machine.
//
// The decision that shapes it: a recipe is data (configs/environments), and fetching is a step of its own that is done
// before any code of a repository runs: Debian packages by apt, into a folder of evlab's own and without root, and wheels
// of Python's by Debian's pip. Their maintainers' scripts are never run. Tests run without a network.
//
// What may not be here: the sandbox, and anything of one task.
package environments
