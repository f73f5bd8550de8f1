package main

import (
	"slices"

	"evlab/datasets"
)

// wrongKind is the failure of a file that holds something else; name is what the message calls it.
func wrongKind(name, path string, is, want datasets.Kind) error {
	f := usage("", "%s: it holds %s; expected %s", name, is, want)
	if command := is.Command(path); command != "" {
		f.Hint = command + " takes it"
	}
	return f
}

// otherKind is wrongKind for the first of the files that certainly holds none of what is wanted, nil when there is none. It
// is asked of files that can't be used: what it says takes the place of a fault in every row.
func otherKind(files []string, want ...datasets.Kind) error {
	for _, file := range files {
		if is := datasets.KindOf(file); is != datasets.KindUnknown && !slices.Contains(want, is) {
			return wrongKind(file, file, is, want[0])
		}
	}
	return nil
}
