package datasets

import (
	"errors"
	"slices"
)

// Measured are the tests of one task as a validation found them, or why it can't be asked.
type Measured struct {
	FailToPass, PassToPass []string
	Excluded               string
}

// Measure puts measured tests in the place of each task's lists. A task that can't be asked, or that nobody measured, is
// refused by name.
func (m *Imported) Measure(found map[string]Measured) {
	m.Tasks = slices.DeleteFunc(m.Tasks, func(t ImportedTask) bool {
		f, ok := found[t.ID]
		if !ok {
			f.Excluded = "it was not measured"
		}
		if f.Excluded == "" && len(f.FailToPass) == 0 {
			f.Excluded = "no test fails before its repair and passes after it"
		}
		if f.Excluded != "" {
			m.Refuse(t.ID, t.ID, errors.New(f.Excluded))
		}
		return f.Excluded != ""
	})
	m.index = nil
	for i := range m.Tasks {
		tests, f := &m.Tasks[i].Private.Tests, found[m.Tasks[i].ID]
		tests.FailToPass, tests.PassToPass = f.FailToPass, f.PassToPass
	}
}
