package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"evlab/experiments"
)

// Prediction is one row of a predictions file.
type Prediction struct {
	Task  string // instance_id
	Model string // model_name_or_path
	Patch []byte // model_patch or patch, byte for byte; empty when it is null
}

// maxModel bounds a model's name, which stands in every line about it.
const maxModel = 1 << 10

// ReadPredictions reads the patches that one model proposed, by task id. The file is JSONL, a JSON list, or a JSON
// object keyed by instance_id, told apart by content; rows have instance_id (or org, repo and number), model_name_or_path (or
// prefix) and model_patch (or patch, fix_patch), where null stands for an empty patch, and may have other fields. When no
// row names a model, the model is called like the file. An empty patch is an entry of no bytes.
// "gold" and "empty" are model names like any other. All rows are checked, also those of other models: the error
// joins every fault with its place, the same task and model given twice among them. A model without rows is a fault
// that lists the models there are.
func ReadPredictions(file, model string) (map[string][]byte, error) {
	patches, err := ReadModels(file, []string{model})
	return patches[model], err
}

// ReadModels is ReadPredictions for several models of one file, which is read once.
func ReadModels(file string, models []string) (map[string]map[string][]byte, error) {
	p := newPredictions(file, models)
	if err := p.read(); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(p.models))
	if len(p.errs) == 0 && len(names) == 0 {
		p.add(file, "it has no rows")
	} else if len(p.errs) == 0 {
		for _, model := range models {
			if p.models[model] == 0 {
				p.add(file, "no row has model_name_or_path %q%s; there are rows of %s", model, experiments.Suggest(model, names), experiments.List(names, 12))
			}
		}
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return p.patches, nil
}

// predictions is a file being read.
type predictions struct {
	faults
	file    string
	first   map[[2]string]string         // task and model -> place
	models  map[string]int               // rows of each
	patches map[string]map[string][]byte // wanted model -> task -> patch
	listed  []ListedPrediction
	unnamed []placed // rows without a model

	lines, objects int
	strangers      *strangers // rows of tasks that there are not, where it is known which there are
}

// newPredictions keeps the patches of the models; of others the rows are checked.
func newPredictions(file string, models []string) *predictions {
	p := &predictions{file: file, first: map[[2]string]string{}, models: map[string]int{}, patches: map[string]map[string][]byte{}}
	for _, model := range models {
		p.patches[model] = map[string][]byte{}
	}
	return p
}

// read reads all rows, whatever the file's form.
func (p *predictions) read() error {
	if err := expect(p.file, KindPredictions); err != nil {
		return err
	}
	document, err := eachRow(p.file, maxPrediction, &p.faults, func(r row) { p.row(r.at(p.file), r.text, r.key) })
	if err == nil {
		what, expected := "lines", "JSON lines"
		if document {
			what, expected = "entries", "objects with model_patch, in a list or by instance_id"
		}
		p.noRows(p.lines, p.objects, what, expected)
		p.name()
	}
	return err
}

// row checks one row and keeps it when it is the model's. key is the row's key in a map, else empty.
func (p *predictions) row(at string, text []byte, key string) {
	p.lines++
	o, err := parseObject(text)
	if err != nil {
		p.add(at, "%w", err)
		return
	}
	p.objects++
	pred, errs := parsePrediction(o, key)
	for _, err := range errs {
		p.add(at, "%w", err)
	}
	if len(errs) > 0 {
		return
	}
	if p.strangers != nil {
		p.strangers.note(p, at, pred.Task)
	}
	if pred.Model == "" {
		p.unnamed = append(p.unnamed, placed{pred, at})
		return
	}
	p.keep(pred, at)
}

// placed is a prediction with its place.
type placed struct {
	Prediction
	at string
}

// name gives the rows without a model the file's own name. Where other rows have a model, one without is a fault.
func (p *predictions) name() {
	for _, row := range p.unnamed {
		if len(p.models) > 0 {
			p.add(row.at, "field model_name_or_path is missing, and other rows have it")
		}
	}
	if len(p.models) > 0 {
		return
	}
	base := filepath.Base(p.file)
	for _, row := range p.unnamed {
		row.Model = strings.TrimSuffix(base, filepath.Ext(base))
		p.keep(row.Prediction, row.at)
	}
}

// keep takes a row whose task and model are new.
func (p *predictions) keep(pred Prediction, at string) {
	id := [2]string{pred.Task, pred.Model}
	if first := p.first[id]; first != "" {
		p.add(at, "task %q of model %q is given at %s already", pred.Task, pred.Model, first)
		return
	}
	p.first[id] = at
	p.models[pred.Model]++
	p.listed = append(p.listed, ListedPrediction{Task: pred.Task, Model: pred.Model, Place: at})
	if patches := p.patches[pred.Model]; patches != nil {
		patches[pred.Task] = pred.Patch
	}
}

// parsePrediction reads one row, with all that is wrong with it.
func parsePrediction(o object, key string) (p Prediction, errs []error) {
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	id, there, err := o.text("instance_id")
	if err == nil && key == "" {
		other, parts, err2 := multiID(o)
		switch {
		case !there:
			id, there, err = other, parts, err2
		case parts && err2 == nil && other != id:
			err = fmt.Errorf("fields instance_id (%.80q) and org, repo, number (%.80q) differ", id, other)
		}
	}
	if err == nil {
		id, err = taskID(id, there, key)
	}
	if err == nil {
		err = experiments.CheckName("task", id)
	}
	note(err)
	p.Task = id
	for _, field := range []string{"model_name_or_path", "prefix"} {
		p.Model, there, err = o.text(field)
		if err != nil {
			note(err)
		} else if there && strings.TrimSpace(p.Model) == "" {
			note(fmt.Errorf("field %s is empty", field))
		} else if len(p.Model) > maxModel {
			note(fmt.Errorf("field %s has %d bytes; at most %d are a model's name", field, len(p.Model), maxModel))
		}
		if there || err != nil {
			break
		}
	}
	p.Patch, err = predictedPatch(o)
	note(err)
	return p, errs
}

// multiID is the id of a row in the form of Multi-SWE-bench: org, repo and number.
func multiID(o object) (id string, there bool, err error) {
	org, hasOrg, err1 := o.text("org")
	repo, hasRepo, err2 := o.text("repo")
	raw, hasNumber := o["number"]
	if !hasOrg || !hasRepo || !hasNumber {
		return "", false, errors.Join(err1, err2)
	}
	number := strings.Trim(string(raw), `"`)
	if _, err := strconv.ParseUint(number, 10, 63); err != nil {
		return "", false, fmt.Errorf("field number: expected a number, found %.40s", raw)
	}
	return org + "__" + repo + "-" + number, true, errors.Join(err1, err2)
}

// predictedPatch is a row's patch under any of its names.
func predictedPatch(o object) ([]byte, error) {
	var found [][]byte
	for _, key := range []string{"model_patch", "patch", "fix_patch"} {
		raw, there := o[key]
		if !there {
			continue
		}
		patch := []byte{}
		if string(raw) != "null" {
			var err error
			if patch, err = unquote(raw, true); err != nil {
				return nil, fmt.Errorf("field %s: %w; null and \"\" stand for an empty patch", key, err)
			}
		}
		found = append(found, patch)
	}
	switch {
	case len(found) == 0:
		return nil, errors.New("field model_patch is missing; null or \"\" stands for an empty patch")
	}
	for _, other := range found[1:] {
		if !bytes.Equal(found[0], other) {
			return nil, errors.New("fields model_patch, patch and fix_patch differ")
		}
	}
	return found[0], nil
}
