package artifacts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"evlab/experiments"
)

// Run is the folder of one run.
type Run struct {
	ID  string
	Dir string
}

// Header is run.json: what is known of a run within a second of its start, before anything slow.
type Header struct {
	Schema   string           `json:"schema"` // HeaderSchema
	RunID    string           `json:"run_id"`
	Created  time.Time        `json:"created"`
	SpecFile string           `json:"spec_file,omitempty"`
	Spec     experiments.Spec `json:"spec"`
	Fresh    bool             `json:"fresh"`
	Ending   json.RawMessage  `json:"ending,omitempty"` // what becomes of the results: the words of the command that made the run
}

// HeaderSchema is the wire form's name.
const HeaderSchema = "evlab-run-v1"

// ErrNoRun, ErrManyRuns and ErrRunExists are returned, wrapped with the run's id, by OpenRun and CreateRun.
var (
	ErrNoRun     = errors.New("no such run")
	ErrManyRuns  = errors.New("it is not clear which run is meant")
	ErrRunExists = errors.New("the run exists already")
)

func (f *Folder) runDir(id string) string { return filepath.Join(f.Dir, "runs", id) }

// CreateRun makes the folder of a new run and writes its header.
func (f *Folder) CreateRun(h Header) (*Run, error) {
	if err := experiments.CheckName("run", h.RunID); err != nil {
		return nil, err
	}
	r := &Run{ID: h.RunID, Dir: f.runDir(h.RunID)}
	if err := os.MkdirAll(filepath.Dir(r.Dir), 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of runs: %w", err)
	}
	// Mkdir is the one atomic claim of the name.
	if err := os.Mkdir(r.Dir, 0o755); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: %s", ErrRunExists, h.RunID)
	} else if err != nil {
		return nil, fmt.Errorf("making the run's folder: %w", err)
	}
	h.Schema = HeaderSchema
	if err := WriteJSON(filepath.Join(r.Dir, "run.json"), h); err != nil {
		os.RemoveAll(r.Dir)
		return nil, err
	}
	return r, nil
}

// OpenRun opens a run by id or by a unique prefix of it; an ambiguous prefix names the first candidates.
func (f *Folder) OpenRun(id string) (*Run, error) {
	if err := experiments.CheckName("run", id); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(f.runDir(id), "run.json")); err == nil {
		return &Run{ID: id, Dir: f.runDir(id)}, nil
	}
	ids, err := f.RunIDs()
	if err != nil {
		return nil, err
	}
	var match []string
	for _, other := range ids {
		if strings.HasPrefix(other, id) {
			match = append(match, other)
		}
	}
	switch len(match) {
	case 1:
		return &Run{ID: match[0], Dir: f.runDir(match[0])}, nil
	case 0:
		return nil, fmt.Errorf("%w: %s%s in %s", ErrNoRun, id, experiments.Suggest(id, ids), f.Dir)
	}
	const most = 5
	return nil, fmt.Errorf("%w: there are %d that begin with %s: %s", ErrManyRuns, len(match), id, experiments.List(match, most))
}

// RunIDs lists the runs of the folder, sorted by id.
func (f *Folder) RunIDs() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(f.Dir, "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && experiments.CheckName("run", e.Name()) == nil {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Header reads run.json.
func (r *Run) Header() (*Header, error) {
	var h Header
	if err := ReadJSON(filepath.Join(r.Dir, "run.json"), &h); err != nil {
		return nil, fmt.Errorf("reading run %s: %w", r.ID, err)
	}
	if h.Schema != HeaderSchema {
		return nil, fmt.Errorf("reading run %s: run.json has schema %.40q, expected %q", r.ID, h.Schema, HeaderSchema)
	}
	return &h, nil
}

// Freeze writes the contract, once: a contract that is there is never replaced. Its digest goes beside it, after it: a
// contract without one is of a process that died between the two.
func (r *Run) Freeze(c *experiments.Contract) error {
	path := filepath.Join(r.Dir, "contract.json")
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("run %s is frozen already", r.ID)
	}
	if err := os.Remove(r.seal()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := WriteJSON(path, c); err != nil {
		return err
	}
	data, err := readFile(path)
	if err != nil {
		return err
	}
	return WriteFile(r.seal(), []byte(experiments.DigestBytes(data)+"\n"))
}

// seal is the file of the contract's digest.
func (r *Run) seal() string { return filepath.Join(r.Dir, "contract.sha256") }

// Contract reads the contract; fs.ErrNotExist when the run died before it was frozen.
func (r *Run) Contract() (*experiments.Contract, error) {
	var c experiments.Contract
	path := filepath.Join(r.Dir, "contract.json")
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if err := decode(path, data, &c); err != nil {
		return nil, err
	}
	frozen, err := readFile(r.seal())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil && string(experiments.DigestBytes(data)) != strings.TrimSpace(string(frozen)) {
		return nil, fmt.Errorf("%w: %s was changed after it was frozen", ErrDamaged, path)
	}
	if c.Schema != experiments.ContractSchema || c.RunID != r.ID {
		return nil, fmt.Errorf("%w: %s is not the contract of run %s", ErrDamaged, path, r.ID)
	}
	return &c, nil
}

// WritePlan and Plan keep plan.json, every cell of the run in order.
func (r *Run) WritePlan(p *experiments.Plan) error {
	return WriteJSON(filepath.Join(r.Dir, "plan.json"), p)
}

// Plan reads plan.json.
func (r *Run) Plan() (*experiments.Plan, error) {
	var p experiments.Plan
	if err := ReadJSON(filepath.Join(r.Dir, "plan.json"), &p); err != nil {
		return nil, err
	}
	return &p, nil
}

func (r *Run) recordPath(c experiments.Cell) string {
	return filepath.Join(r.Dir, "cells", c.Task, c.Condition, c.Executor+"-"+strconv.Itoa(c.Replicate)+".json")
}

// WriteRecord seals the record and writes it whole.
func (r *Run) WriteRecord(rec *experiments.Record) error {
	if err := rec.Seal(); err != nil {
		return err
	}
	return WriteJSON(r.recordPath(rec.Cell), rec)
}

// Record reads the record of a cell: nil when there is none, ErrDamaged when what is there is not whole.
func (r *Run) Record(c experiments.Cell) (*experiments.Record, error) {
	path := r.recordPath(c)
	var rec experiments.Record
	err := ReadJSON(path, &rec)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !rec.Intact():
		return nil, fmt.Errorf("%w: %s does not match its own sum", ErrDamaged, path)
	case rec.Cell != c:
		return nil, fmt.Errorf("%w: %s is the record of %s", ErrDamaged, path, rec.Cell.ID())
	}
	return &rec, nil
}

// CheckFolder reports what stands in the place of the run's own folders and files: a link could lead anywhere, and what is
// no file could take for ever to be written.
func (r *Run) CheckFolder() error {
	for _, name := range []string{"run.json", "contract.json", "contract.sha256", "plan.json", "carried", "events.jsonl", "events", "cells", "steps", "report", "histories"} {
		path := filepath.Join(r.Dir, name)
		info, err := os.Lstat(path)
		switch {
		case err != nil: // what keeps it from being read, reading says
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%w: %s is a link, and has the place of something of the run's own: put what it leads to in its place", ErrDamaged, path)
		case !info.IsDir():
			if err := checkPlace(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckPlaces reports the first record of the contract's cells that can't be written, because something else has its place.
func (r *Run) CheckPlaces(c *experiments.Contract) error {
	for i := range c.Tasks {
		for _, cell := range c.Cells(c.Tasks[i].ID) {
			if err := checkPlace(r.recordPath(cell)); err != nil {
				return err
			}
		}
	}
	return nil
}

// RecordOf is Record for a run with a contract: a record that was made from other inputs than the contract's is damage,
// too.
func (r *Run) RecordOf(c *experiments.Contract, cell experiments.Cell) (*experiments.Record, error) {
	rec, err := r.Record(cell)
	if rec == nil || err != nil {
		return nil, err
	}
	inputs, err := c.Inputs(cell)
	if err != nil {
		return nil, err
	}
	if rec.Key != experiments.KeyOf(inputs) {
		return nil, fmt.Errorf("%w: %s was made from other inputs than the contract's", ErrDamaged, r.recordPath(cell))
	}
	return rec, nil
}

// Steps is the run's memory of sandbox steps.
func (r *Run) Steps() *Once { return OpenOnce(filepath.Join(r.Dir, "steps")) }

// Report is a path inside the run's report folder.
func (r *Run) Report(name string) string { return filepath.Join(r.Dir, "report", name) }

// History is the path of an exported engine history.
func (r *Run) History(workflow string) string {
	return filepath.Join(r.Dir, "histories", strings.ReplaceAll(workflow, "/", "~")+".json")
}

// Event is one line of the run's ledger, for people: who did what, when. Results never depend on it.
type Event struct {
	At      time.Time `json:"at"`
	Boot    string    `json:"boot"` // the evlab process
	Cell    string    `json:"cell,omitempty"`
	Task    string    `json:"task,omitempty"`
	Step    string    `json:"step,omitempty"`
	Attempt int       `json:"attempt,omitempty"`
	What    string    `json:"what"` // started, finished, failed, re-attached, ...
	Detail  string    `json:"detail,omitempty"`
}

// Log appends an event to the ledger of its task, or to the run's own. One write per line, so that lines of several
// processes do not mix.
func (r *Run) Log(e Event) error {
	e.At = time.Now().UTC()
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	path := r.ledger(e.Task)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	// The newline in front ends a line that a dying process cut short.
	_, err = f.Write(append(append([]byte{'\n'}, data...), '\n'))
	return errors.Join(err, f.Close())
}

// Events reads the ledger of a task (or the run's own, for task ""), in order; lines that are not whole are counted and
// not returned.
func (r *Run) Events(task string) (events []Event, cut int, err error) {
	data, err := readFile(r.ledger(task))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if line == "" {
			continue
		}
		var e Event
		if json.Unmarshal([]byte(line), &e) != nil || e.What == "" {
			cut++
			continue
		}
		events = append(events, e)
	}
	return events, cut, nil
}

func (r *Run) ledger(task string) string {
	if task == "" {
		return filepath.Join(r.Dir, "events.jsonl")
	}
	return filepath.Join(r.Dir, "events", task+".jsonl")
}
