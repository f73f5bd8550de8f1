package targetfile

import (
	"errors"
	"fmt"

	"evlab/localization"
	"evlab/tabular"
)

var (
	pathField     = tabular.Field{"path", "target"}
	symbolField   = tabular.Field{"symbol"}
	startField    = tabular.Field{"start_line"}
	endField      = tabular.Field{"end_line"}
	labelField    = tabular.Field{"label"}
	byField       = tabular.Field{"adjudicator", "reviewer"}
	roleField     = tabular.Field{"role"}
	roleArbiter   = "arbiter"
	roleLabelling = "adjudicator"
)

// ReadAdjudication reads people's labels: one row for each target and person, with task, path, symbol, start_line,
// end_line, label, adjudicator (needed as soon as there are two), role (adjudicator or arbiter), and, where the people
// saw them, condition and executor. Paths are normalised as those of selections are, so that they meet.
func ReadAdjudication(files []string, tasks []*Task, faults *tabular.Faults) (*localization.Adjudication, error) {
	known := names(tasks)
	a := localization.NewAdjudication()
	rows := 0
	err := tabular.EachRow(files, faults, []tabular.Field{taskField, pathField, labelField}, func(row *tabular.Row) {
		rows++
		if v, ok := readVerdict(row, known, faults); ok {
			if err := a.Add(v); err != nil {
				faults.Add(row.Fault("adjudicator", err))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if rows == 0 && faults.Len() == 0 {
		faults.Addf(files[0], "there are no labels")
	}
	return a, nil
}

func readVerdict(row *tabular.Row, known map[string]*Task, faults *tabular.Faults) (v localization.Verdict, ok bool) {
	before := faults.Len()
	v.Key, _ = readKey(row, known, false, faults)
	v.Target.Path, _ = pathField.Text(row, faults)
	v.Target.Symbol, _ = symbolField.OptionalText(row, faults)
	v.By, _ = byField.OptionalText(row, faults)
	v.Target.Lines = lines(row, faults)
	if role, ok := roleField.OptionalText(row, faults); ok {
		switch role {
		case roleArbiter:
			v.Arbiter = true
		case roleLabelling, "":
		default:
			faults.Add(row.Fault("role", fmt.Errorf("%.40q: expected %s or %s", role, roleLabelling, roleArbiter)))
		}
	}
	if label, ok := labelField.Text(row, faults); ok {
		var err error
		if v.Label, err = localization.ParseLabel(label); err != nil {
			faults.Add(row.Fault("label", err))
		}
	}
	if v.Condition == "" && v.Executor != "" {
		faults.Add(row.Fault("executor", errors.New("there is an executor and no condition: a label holds for one condition and executor, for one condition, or for all")))
	}
	if faults.Len() > before {
		return v, false
	}
	target, valid := known[v.Task].Normalized(v.Target)
	if !valid {
		faults.Add(row.Fault("path", fmt.Errorf("%.120q is no target: selections have it refused, too", v.Target.Path)))
		return v, false
	}
	v.Target = target
	return v, true
}

func lines(row *tabular.Row, faults *tabular.Faults) (s localization.Span) {
	var ends [2]*int
	for i, f := range []tabular.Field{startField, endField} {
		v, name, err := f.In(row)
		if err == nil && !v.Missing() {
			var n int64
			if n, err = v.Int(); err == nil && (n < 1 || n > 1<<31) {
				err = fmt.Errorf("%d is no line number", n)
			}
			at := int(n)
			ends[i] = &at
		}
		if err != nil {
			faults.Add(row.Fault(name, err))
			return s
		}
	}
	s, err := span(ends[0], ends[1])
	if err != nil {
		faults.Add(row.Fault("start_line", err))
	}
	return s
}
