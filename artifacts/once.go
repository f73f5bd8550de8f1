package artifacts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"evlab/experiments"
)

// Once remembers the results of steps that cost money or time, by the step's stable id: a step whose result is here is
// never done again. Before each real attempt an intent is written, so the number of intents is an upper bound on the
// effects, counted over every process that ever tried.
type Once struct {
	dir   string
	locks sync.Map // id -> *sync.Mutex: two tries of one step in one process wait for each other
}

// OpenOnce keeps the memory in dir.
func OpenOnce(dir string) *Once { return &Once{dir: dir} }

// intent says who is about to do a step.
type intent struct {
	Step string    `json:"step"`
	Boot string    `json:"boot"`
	At   time.Time `json:"at"`
}

type outcome struct {
	Step   string             `json:"step"`
	Result json.RawMessage    `json:"result"`
	Sum    experiments.Digest `json:"sum"` // of Result in compact form
}

// Do reads step's result into result, or calls do and stores what it returns. do gets the number of intents that
// were written before this one: zero means that nobody ever tried. An error of do is returned and nothing is stored.
func (o *Once) Do(ctx context.Context, step, boot string, result any, do func(ctx context.Context, before int) (any, error)) error {
	l, _ := o.locks.LoadOrStore(step, new(sync.Mutex))
	lock := l.(*sync.Mutex)
	lock.Lock()
	defer lock.Unlock()

	dir := o.folder(step)
	path := filepath.Join(dir, "result.json")
	var known outcome
	err := ReadJSON(path, &known)
	switch {
	case err == nil && known.intact():
		return json.Unmarshal(known.Result, result)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrDamaged):
		return err
	}
	before, err := o.Intents(step)
	if err != nil {
		return err
	}
	if err := WriteJSON(filepath.Join(dir, fmt.Sprintf("intent-%04d.json", before+1)), intent{step, boot, time.Now().UTC()}); err != nil {
		return err
	}
	v, err := do(ctx, before)
	if err != nil {
		return err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding the result of %s: %w", step, err)
	}
	if err := WriteJSON(path, outcome{step, data, experiments.DigestBytes(data)}); err != nil {
		return err
	}
	return json.Unmarshal(data, result)
}

// Known reports whether the step's result is here.
func (o *Once) Known(step string) bool {
	var known outcome
	return ReadJSON(filepath.Join(o.folder(step), "result.json"), &known) == nil && known.intact()
}

// Intents is the number of times that someone set out to do step.
func (o *Once) Intents(step string) (int, error) {
	found, err := filepath.Glob(filepath.Join(o.folder(step), "intent-*.json"))
	if err != nil {
		return 0, err
	}
	return len(found), nil
}

// Forget drops step's result, so that it will be done again; the intents stay, since they were spent.
func (o *Once) Forget(step string) error {
	err := os.Remove(filepath.Join(o.folder(step), "result.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (o *Once) folder(step string) string {
	d := experiments.DigestBytes([]byte(step))
	return filepath.Join(o.dir, string(d[:2]), string(d[:32]))
}

// intact tells a whole outcome from one that was edited or cut. Indentation does not count.
func (k *outcome) intact() bool {
	var v json.RawMessage
	compact, err := json.Marshal(k.Result)
	if err != nil || json.Unmarshal(compact, &v) != nil {
		return false
	}
	return experiments.DigestBytes(compact) == k.Sum
}
