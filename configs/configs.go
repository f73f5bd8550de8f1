// Package configs holds experiments that can be run as they are and the recipes of environments, and gives them to the
// program.
//
// The decision that shapes it: the files are the truth. `evlab init` hands out the bytes that lie here, so what a user
// reads in the repository is what the program writes. Nothing but data may be here.
package configs

import "embed"

// Demo is demo.yaml: an experiment over the bundled cohort that needs no key and no network.
//
//go:embed demo.yaml
var Demo []byte

// Environments holds environments/NAME.yaml, one recipe each, and the programs that recipes have run.
//
//go:embed environments/*.yaml environments/*.py
var Environments embed.FS
