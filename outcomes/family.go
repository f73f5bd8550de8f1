package outcomes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

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
	if info, err := os.Stat(file); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() { // a pipe would block, a device would never end
		return nil, fmt.Errorf("%s: expected a regular file", file)
	}
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
	if err := decodeFamily(dec, &f); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: it is empty; expected a name and a list of contrasts", file)
	} else if err != nil {
		return nil, familyFaults(file, err)
	}
	var faults []error
	var said struct {
		Contrasts []struct {
			Draws *int `yaml:"draws"`
		} `yaml:"contrasts"`
	}
	if err := yaml.Unmarshal(data, &said); err != nil {
		return nil, familyFaults(file, err)
	}
	for i, q := range f.Contrasts {
		if n := said.Contrasts[i].Draws; n != nil && *n == 0 { // left out it is the default; a zero is a mistake
			faults = append(faults, fmt.Errorf("%s: contrast %d: draws: 0 is outside 100 to 10000000", file, i+1))
		}
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

// decodeFamily decodes the file's document. The library reports some malformed inputs by panicking; that is a fault of the file.
func decodeFamily(dec *yaml.Decoder, f *Family) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	return dec.Decode(f)
}
