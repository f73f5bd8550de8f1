package outcomes

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"evlab/experiments"
)

// The YAML library's words about a value of another type, and about a key that a type has not.
var (
	wrongType  = regexp.MustCompile("^line ([0-9]+): cannot unmarshal (!![a-z]+)(?: `(.*)`)? into (.+)$")
	unknownKey = regexp.MustCompile(`^line ([0-9]+): field (.+) not found in type (.+)$`)
	atLine     = regexp.MustCompile(`^(?:yaml: )?line ([0-9]+): (.+)$`)
)

// expectedAs says what a Go type is to who wrote the file.
var expectedAs = map[string]string{
	"outcomes.Family": "a name and a list of contrasts", "outcomes.Question": "a contrast ({metric: M, a: A, b: B})", "[]outcomes.Question": "a list of contrasts",
	"string": "text", "[]string": "a list of texts", "int": "a whole number", "uint64": "a whole number from 0 up", "float64": "a number", "bool": "true or false",
}

// foundAs says what a YAML tag is.
var foundAs = map[string]string{
	"!!str": "text", "!!int": "a number", "!!float": "a number", "!!bool": "a truth value", "!!seq": "a list", "!!map": "a mapping", "!!null": "nothing", "!!timestamp": "a date",
}

// familyFaults says in the words of the file what the YAML library says in those of the program, each fault with its line.
func familyFaults(file string, err error) error {
	said := []string{err.Error()}
	var several *yaml.TypeError
	if errors.As(err, &several) {
		said = several.Errors
	}
	var faults []error
	for _, s := range said {
		switch wrong, unknown, at := wrongType.FindStringSubmatch(s), unknownKey.FindStringSubmatch(s), atLine.FindStringSubmatch(s); {
		case wrong != nil:
			expected, found := expectedAs[wrong[4]], foundAs[wrong[2]]
			if expected == "" {
				expected = "another kind of value"
			}
			if found == "" {
				found = "something else"
			}
			if wrong[3] != "" {
				found = fmt.Sprintf("%.60q", wrong[3])
			}
			faults = append(faults, fmt.Errorf("%s:%s: expected %s, found %s", file, wrong[1], expected, found))
		case unknown != nil:
			keys := familyKeys(unknown[3])
			faults = append(faults, fmt.Errorf("%s:%s: unknown key %.60q%s; the keys are %s", file, unknown[1], unknown[2], experiments.Suggest(unknown[2], keys), strings.Join(keys, ", ")))
		case at != nil:
			faults = append(faults, fmt.Errorf("%s:%s: %s", file, at[1], at[2]))
		default:
			faults = append(faults, fmt.Errorf("%s: it is not YAML: %s", file, strings.TrimPrefix(s, "yaml: ")))
		}
	}
	return errors.Join(faults...)
}

// familyKeys are the keys of a type of the family's file.
func familyKeys(name string) (keys []string) {
	t := reflect.TypeFor[Family]()
	if strings.HasSuffix(name, "Question") {
		t = reflect.TypeFor[Question]()
	}
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("yaml"))
	}
	return keys
}
