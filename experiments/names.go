package experiments

import (
	"fmt"
	"regexp"
)

// maxName keeps every name usable as one path element on every file system and inside a workflow id.
const maxName = 128

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+@=-]*$`)

// CheckName reports why name can't name a task, condition, executor, run or contrast family: names become path
// elements and workflow ids, so they are letters, digits and ._+@=- only, start with a letter or digit, and have at
// most 128 bytes.
func CheckName(kind, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("the %s has no name", kind)
	case len(name) > maxName:
		return fmt.Errorf("the %s name %.40q... has %d bytes; at most %d are allowed", kind, name, len(name), maxName)
	case !namePattern.MatchString(name):
		return fmt.Errorf("the %s name %q has characters other than letters, digits and ._+@=- (or starts with one of the latter)", kind, name)
	}
	return nil
}
