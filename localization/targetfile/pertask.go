package targetfile

import (
	"errors"

	"evlab/localization"
	"evlab/tabular"
)

// WritePerTask writes one row for each task, condition and executor: the outcomes that evlab contrast reads, with recall,
// success (0 or 1), raw_precision and fixed_precision (of this task: precise targets over its cap) as metrics. What there
// is no label for is empty, never zero. The file's ending tells the format.
func WritePerTask(file string, r *localization.Result) (err error) {
	w, err := tabular.Create(file,
		tabular.Column{Name: "task", Type: tabular.Texts}, tabular.Column{Name: "condition", Type: tabular.Texts},
		tabular.Column{Name: "executor", Type: tabular.Texts}, tabular.Column{Name: "repository", Type: tabular.Texts},
		tabular.Column{Name: "recall", Type: tabular.Numbers}, tabular.Column{Name: "success", Type: tabular.Ints},
		tabular.Column{Name: "cap_eligible_success", Type: tabular.Ints},
		tabular.Column{Name: "raw_precision", Type: tabular.Numbers}, tabular.Column{Name: "fixed_precision", Type: tabular.Numbers},
		tabular.Column{Name: "label_source", Type: tabular.Texts},
		tabular.Column{Name: "reference_files", Type: tabular.Ints}, tabular.Column{Name: "cap", Type: tabular.Ints},
		tabular.Column{Name: "emitted", Type: tabular.Ints}, tabular.Column{Name: "precise", Type: tabular.Ints},
		tabular.Column{Name: "coarse", Type: tabular.Ints}, tabular.Column{Name: "wrong", Type: tabular.Ints},
		tabular.Column{Name: "other", Type: tabular.Ints}, tabular.Column{Name: "unlabelled", Type: tabular.Ints},
		tabular.Column{Name: "missing", Type: tabular.Bools})
	if err != nil {
		return err
	}
	for i := range r.Tasks {
		if err := w.Append(cells(&r.Tasks[i])...); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	return w.Commit()
}

func cells(t *localization.TaskScore) []any {
	success := 0
	if t.Success {
		success = 1
	}
	row := []any{t.Task, t.Condition, orNil(t.Executor), orNil(t.Repository), t.Recall, success, nil, nil, nil, nil, t.References, t.Cap, t.Emitted,
		nil, nil, nil, nil, nil, t.Missing}
	if t.Eligible {
		row[6] = success
	}
	if l := t.Labels; l != nil {
		raw, fixed := l.Raw(), l.FixedBudget(t.Cap)
		row[7], row[8], row[9] = share(raw.Value), share(fixed.Value), string(l.Source)
		row[13], row[14], row[15], row[16], row[17] = l.Precise, l.Coarse, l.Wrong, l.Other, l.Unlabelled
	}
	return row
}

func share(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
