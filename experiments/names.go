package experiments

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxName keeps every name usable as one path element on every file system and inside a workflow id.
const maxName = 128

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+@=-]*$`)

// CheckName reports why name can't name a task, condition, executor, run or contrast family: names become path
// elements and workflow ids, so they are letters, digits and ._+@=- only, start with a letter or digit, and have at
// most 128 bytes. What Windows has as the name of a device (con, nul, com1, with any ending) names no file there, so it is refused
// everywhere: a cohort and a run are folders that may be carried from one machine to another.
func CheckName(kind, name string) error {
	switch {
	case name == "":
		return fmt.Errorf("the %s has no name", kind)
	case len(name) > maxName:
		return fmt.Errorf("the %s name %.40q... has %d bytes; at most %d are allowed", kind, name, len(name), maxName)
	case !namePattern.MatchString(name):
		return fmt.Errorf("the %s name %q has characters other than letters, digits and ._+@=- (or starts with one of the latter)", kind, name)
	}
	if device, _, _ := strings.Cut(name, "."); slices.Contains(devices, strings.ToLower(device)) {
		return fmt.Errorf("the %s name %q can't be the name of a file on Windows, where %s is a device", kind, name, strings.ToUpper(device))
	}
	return nil
}

// devices are the names that Windows takes for devices, whatever follows them after a dot.
var devices = []string{
	"con", "prn", "aux", "nul",
	"com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}
