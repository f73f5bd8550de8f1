package datasets_test

import (
	"testing"

	"evlab/datasets"
	"evlab/experiments"
)

func TestMeasure(t *testing.T) {
	m := &datasets.Imported{}
	for _, id := range []string{"a", "b", "c", "d"} {
		m.Tasks = append(m.Tasks, datasets.ImportedTask{Task: experiments.Task{ID: id}})
	}
	m.Measure(map[string]datasets.Measured{
		"a": {FailToPass: []string{"x"}, PassToPass: []string{"y"}}, "b": {Excluded: "its own repair does not resolve it"}, "c": {PassToPass: []string{"y"}},
	})
	if len(m.Tasks) != 1 || m.Tasks[0].ID != "a" || m.Tasks[0].Private.Tests.FailToPass[0] != "x" || m.Tasks[0].Private.Tests.PassToPass[0] != "y" {
		t.Errorf("tasks %+v", m.Tasks)
	}
	if len(m.Refused) != 3 || m.Refused[0].ID != "b" || m.Refused[2].Reasons[0] != "it was not measured" {
		t.Errorf("refused %+v", m.Refused)
	}
}
