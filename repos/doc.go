// Package repos keeps snapshots of repositories and applies patches to them: a Mirror is a bare git repository that
// holds exactly one commit, and a candidate is a git tree id that Apply computed from base and patch.
//
// The decision that shapes it: nothing is ever checked out. Patches are applied by the real git in a temporary
// index, trees are read as objects, and what leaves the package is bytes (a tar, a Delta). So no filter, hook or
// attribute of a hostile repository has a place to run, a failed patch leaves nothing half done, and two patches that
// give the same tree are the same candidate. The one exception is ApplyLoosely, which says what other harnesses would have
// tested and decides nothing: their programs work on plain files, in a folder that is no repository and has no links.
//
// What may not be here: network transports but Fetch's, which speaks the one protocol of its origin (all else is the file protocol), work trees, any knowledge of tasks,
// verdicts or who proposed a patch, and any other package of ours.
//
// It needs git 2.38 or newer on PATH.
package repos
