package activities

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"evlab/artifacts"
	"evlab/evidence"
	"evlab/experiments"
	"evlab/repos"
	"evlab/retrieval"
	"evlab/workflows"
)

// openTask is the public side of a task, read from its artifacts: what a deployable condition may see.
type openTask struct {
	frozen      *experiments.FrozenTask
	task        experiments.Task
	units       []evidence.Unit
	byID        map[string]evidence.Unit
	unavailable []string        // observed units that left the pool; nil when the cohort keeps them
	barred      map[string]bool // the same, as a set
}

func (s *Site) open(ctx context.Context, contract *experiments.Contract, id string) (*openTask, error) {
	frozen, ok := contract.Task(id)
	if !ok {
		return nil, fmt.Errorf("run %s has no task %q", contract.RunID, id)
	}
	t := &openTask{frozen: frozen, barred: map[string]bool{}}
	if err := s.Folder.Public.GetJSON(ctx, frozen.Public, &t.task); err != nil {
		return nil, err
	}
	if err := s.Folder.Public.GetJSON(ctx, frozen.Units, &t.units); err != nil {
		return nil, err
	}
	t.byID = make(map[string]evidence.Unit, len(t.units))
	for _, u := range t.units {
		t.byID[u.ID] = u
	}
	if contract.Cohort.ExcludeObserved {
		t.unavailable = t.task.State.Observed
		for _, id := range t.unavailable {
			t.barred[id] = true
		}
	}
	return t, nil
}

// show renders units of this round under what is left of the cell's ceiling and stores the text.
func (s *Site) show(ctx context.Context, t *openTask, ids []string, past []experiments.Round, track experiments.RepairTrack, out *workflows.Evidence) error {
	left := track.TokenCeiling
	for _, r := range past {
		left -= r.EvidenceTokens
	}
	var units []evidence.Unit
	for _, id := range ids {
		u, ok := t.byID[id]
		if !ok {
			return fmt.Errorf("task %s has no evidence unit %q", t.frozen.ID, id)
		}
		units = append(units, u)
	}
	out.Called = len(ids) > 0
	if len(units) == 0 || left <= 0 {
		return nil
	}
	text, shown, tokens := evidence.Render(units, left, track.Overflow)
	for _, u := range shown {
		out.IDs = append(out.IDs, u.ID)
	}
	out.Tokens = tokens
	var err error
	out.Text, err = s.Folder.Public.Put(ctx, []byte(text))
	return err
}

// query is the text that a deployable ranking is asked with: round 1 asks with the task's state, each later round with
// the executor's new need, hypothesis and subgoal.
func query(state evidence.StateCard, past []experiments.Round) string {
	return retrieval.Query(stateAfter(state, past))
}

func stateAfter(state evidence.StateCard, past []experiments.Round) evidence.StateCard {
	if len(past) == 0 {
		return state
	}
	last := past[len(past)-1]
	return state.WithAsk(evidence.Ask{Need: last.Need, Hypothesis: last.Hypothesis, Subgoal: last.Subgoal})
}

// rankings keeps the few indexes in use: the cells of one task ask the same one.
type rankings struct {
	mu    sync.Mutex
	byKey map[string]*retrieval.BM25
	order []string
}

const keptRankings = 8

func (r *rankings) of(t *openTask, cond experiments.ConditionSpec) *retrieval.BM25 {
	key := strings.Join([]string{string(t.frozen.Units), fmt.Sprint(cond.K1), fmt.Sprint(cond.B)}, " ")
	r.mu.Lock()
	defer r.mu.Unlock()
	if x, ok := r.byKey[key]; ok {
		return x
	}
	if r.byKey == nil {
		r.byKey = map[string]*retrieval.BM25{}
	}
	if len(r.order) == keptRankings {
		delete(r.byKey, r.order[0])
		r.order = r.order[1:]
	}
	x := retrieval.NewBM25(t.units, cond.K1, cond.B)
	r.byKey[key], r.order = x, append(r.order, key)
	return x
}

// mirror opens the frozen snapshot of a task's repository.
func (s *Site) mirror(ctx context.Context, t *experiments.FrozenTask) (*repos.Mirror, error) {
	dir := s.Folder.Mirror(t.Mirror)
	m, err := s.mirrors.open(ctx, dir)
	if _, gone := os.Stat(dir); err != nil && errors.Is(gone, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: the snapshot of %s at commit %.12s is not at %s", artifacts.ErrLost, t.Repo, t.BaseCommit, dir)
	}
	return m, err
}
