package outcomes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Family is contrasts that are declared together: their p-values are adjusted for their number.
type Family struct {
	Name      string     `yaml:"name"`
	Contrasts []Question `yaml:"contrasts"`
}

const maxFamilyFile = 1 << 20

// ReadFamily reads a family from a YAML file: a name and a list of contrasts, whose keys are those of Question. Unknown keys are
// faults.
func ReadFamily(file string) (*Family, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close() // read only: a failing close loses nothing
	data, err := io.ReadAll(io.LimitReader(in, maxFamilyFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", file, err)
	case len(data) > maxFamilyFile:
		return nil, fmt.Errorf("%s: a family has at most %d bytes", file, maxFamilyFile)
	}
	var f Family
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty; expected a name and a list of contrasts")
		}
		// What a Go type is called says nothing to who wrote the file.
		return nil, fmt.Errorf("%s: %s", file, strings.NewReplacer(" into outcomes.Family", " as a name and a list of contrasts",
			" into outcomes.Question", " as a contrast", " into []outcomes.Question", " as a list of contrasts").Replace(err.Error()))
	}
	var faults []error
	for i, q := range f.Contrasts {
		for _, need := range []struct{ key, value string }{{"metric", q.Metric}, {"a", q.A}, {"b", q.B}} {
			if need.value == "" {
				faults = append(faults, fmt.Errorf("%s: contrast %d has no %s", file, i+1, need.key))
			}
		}
	}
	if len(f.Contrasts) == 0 {
		faults = append(faults, fmt.Errorf("%s: it has no contrasts", file))
	}
	return &f, errors.Join(faults...)
}
