// Package artifacts keeps what a run leaves behind: content-addressed blobs (Store), the folder of one run (Run), the
// index of finished cells (Index) and the memory of steps that must not happen twice (Once).
//
// The decision that shapes it: a file is either whole or absent. Everything is written to a temporary name, synced and
// renamed, and everything is checked when it is read, so a process that dies at any moment leaves nothing that a later
// one could take for a result. The files here, not the engine's, are the source of truth: an engine's state folder may
// be deleted between two commands and nothing is lost.
//
// What may not be here: any knowledge of how a cell is done, and the engine. Three stores keep three privileges apart
// (Folder.Public, Private, HandOut); a role is given the stores that it may read and no others.
package artifacts
