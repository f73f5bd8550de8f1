package targetfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"evlab/experiments"
	"evlab/localization"
	"evlab/tabular"
)

// maxTargets bounds the targets of one row, most of which no cap would let through.
const maxTargets = 10_000

// ReadSelections reads what executors proposed: one row for each task, condition and executor, with targets, a list of
// objects {path, symbol, start_line, end_line} or of plain paths; other fields (intent, invariants, citations) are left
// alone. An empty list is a valid selection. tasks are the references; every fault goes to faults.
func ReadSelections(files []string, tasks []*Task, faults *tabular.Faults) ([]localization.Selection, error) {
	known := names(tasks)
	var all []localization.Selection
	places := map[localization.Key]string{}
	err := tabular.EachRow(files, faults, []tabular.Field{taskField, conditionField}, func(row *tabular.Row) {
		k, ok := readKey(row, known, true, faults)
		if !ok {
			return
		}
		if first := places[k]; first != "" {
			faults.Add(row.Fault("task", fmt.Errorf("there is a selection for %.120q, condition %.60q, executor %.60q at %s already", k.Task, k.Condition, k.Executor, first)))
			return
		}
		places[k] = row.Place()
		if targets, ok := readTargets(row, faults); ok {
			all = append(all, localization.Selection{Key: k, Targets: targets})
		}
	})
	if err != nil {
		return nil, err
	}
	if len(places) == 0 && faults.Len() == 0 {
		faults.Addf(strings.Join(files, ", "), "there are no selections")
	}
	return all, nil
}

func names(tasks []*Task) map[string]*Task {
	known := make(map[string]*Task, len(tasks))
	for _, t := range tasks {
		known[t.Task] = t
	}
	return known
}

// readKey reads whose row it is. The condition has to be there for selections; adjudicators may not have seen it.
func readKey(row *tabular.Row, known map[string]*Task, selection bool, faults *tabular.Faults) (k localization.Key, ok bool) {
	var ok1, ok2, ok3 bool
	k.Task, ok1 = taskField.Text(row, faults)
	if selection {
		k.Condition, ok2 = conditionField.Text(row, faults)
	} else {
		k.Condition, ok2 = conditionField.OptionalText(row, faults)
	}
	k.Executor, ok3 = executorField.OptionalText(row, faults)
	if ok1 && known[k.Task] == nil {
		ids := make([]string, 0, len(known))
		for id := range known {
			ids = append(ids, id)
		}
		faults.Add(row.Fault("task", fmt.Errorf("no reference is of %.120q%s", k.Task, experiments.Suggest(k.Task, ids))))
		ok1 = false
	}
	return k, ok1 && ok2 && ok3
}

func readTargets(row *tabular.Row, faults *tabular.Faults) ([]localization.Target, bool) {
	const column = "targets"
	v := row.Get(column)
	fault := func(err error) ([]localization.Target, bool) {
		faults.Add(row.Fault(column, err))
		return nil, false
	}
	if v.Kind() == tabular.Absent {
		return fault(errors.New("there is none: expected a list of {path, symbol, start_line, end_line}; an empty list is a selection of nothing"))
	}
	raw, err := v.JSON()
	var items []json.RawMessage
	if err != nil || json.Unmarshal(raw, &items) != nil || items == nil {
		return fault(fmt.Errorf("expected a list of targets, found %s", v))
	}
	if len(items) > maxTargets {
		return fault(fmt.Errorf("%d targets; at most %d are read", len(items), maxTargets))
	}
	targets := make([]localization.Target, 0, len(items))
	ok := true
	for i, item := range items {
		t, err := readTarget(item)
		if err != nil {
			faults.Add(row.Fault(fmt.Sprintf("%s[%d]", column, i), err))
			ok = false
			continue
		}
		targets = append(targets, t)
	}
	return targets, ok
}

// readTarget reads an object, or a path alone.
func readTarget(item json.RawMessage) (t localization.Target, err error) {
	if len(item) > 0 && item[0] == '"' {
		err := json.Unmarshal(item, &t.Path)
		return t, err
	}
	var o struct {
		Path   *string `json:"path"`
		Symbol *string `json:"symbol"`
		Start  *int    `json:"start_line"`
		End    *int    `json:"end_line"`
	}
	if err := json.Unmarshal(item, &o); err != nil || len(item) == 0 || item[0] != '{' {
		return t, errors.New("expected {path, symbol, start_line, end_line} with texts and whole numbers, or a path")
	}
	if o.Path == nil {
		return t, errors.New("there is no path")
	}
	t.Path = *o.Path
	if o.Symbol != nil {
		t.Symbol = strings.TrimSpace(*o.Symbol)
	}
	t.Lines, err = span(o.Start, o.End)
	return t, err
}

func span(start, end *int) (s localization.Span, err error) {
	switch {
	case start == nil && end == nil:
		return s, nil
	case start == nil:
		return s, errors.New("there is an end_line and no start_line")
	case end == nil:
		end = start
	}
	if *start < 1 || *end < *start {
		return s, fmt.Errorf("lines %d to %d are no range; they count from 1", *start, *end)
	}
	return localization.Span{First: *start, Last: *end}, nil
}
