// Package requirements reads what a Python repository says it needs: requirements files and the lock files of poetry, uv
// and pipenv, and pylock.toml.
//
// The decision that shapes it: the files are a stranger's, so none of them reaches pip. Names, versions, extras, hashes and
// markers are read here, and what is handed on is written anew from these. Everything else (other indexes, URLs, paths,
// options) is refused with its place.
//
// What may not be here: files and networks.
package requirements
