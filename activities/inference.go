package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"evlab/executors"
	"evlab/experiments"
	"evlab/workflows"
)

// Inference is the role of deployable conditions and executors. Nothing that it reads is private.
type Inference struct {
	*Site
	rankings rankings
}

// Retrieve ranks the task's units for this round and shows the best that the cell has not seen.
func (f *Inference) Retrieve(ctx context.Context, in workflows.RoundInput) (out workflows.Evidence, err error) {
	run, contract, err := f.run(in.RunID)
	if err != nil {
		return out, err
	}
	err = f.step(ctx, run, in.Cell.Task, in.Cell.ID(), fmt.Sprintf("retrieve-%d", in.Round), func(ctx context.Context) error {
		t, err := f.open(ctx, contract, in.Cell.Task)
		if err != nil {
			return err
		}
		cond, _ := contract.Condition(in.Cell.Condition)
		track := contract.Spec.Tracks.Repair
		seen := map[string]bool{}
		for _, r := range in.Past {
			for _, id := range r.Evidence {
				seen[id] = true
			}
		}
		var ids []string
		// Seen and barred units use up places of the ranking, so that many more are asked for.
		for _, h := range f.rankings.of(t, cond).Rank(query(t.task.State, in.Past), track.UnitsPerCall+len(seen)+len(t.barred)) {
			if !seen[h.ID] && !t.barred[h.ID] && len(ids) < track.UnitsPerCall {
				ids = append(ids, h.ID)
			}
		}
		if err := f.show(ctx, t, ids, in.Past, track, &out); err != nil {
			return err
		}
		out.Called = true // a ranking that finds nothing was a call all the same
		return nil
	})
	return out, err
}

// Propose asks the executor once: its reply is remembered under the round's own id, so a reply that was paid for is
// never asked for again.
func (f *Inference) Propose(ctx context.Context, in workflows.RoundInput) (out workflows.Proposal, err error) {
	run, contract, err := f.run(in.RunID)
	if err != nil {
		return out, err
	}
	name := fmt.Sprintf("propose-%d", in.Round)
	err = f.step(ctx, run, in.Cell.Task, in.Cell.ID(), name, func(ctx context.Context) error {
		t, err := f.open(ctx, contract, in.Cell.Task)
		if err != nil {
			return err
		}
		spec, _ := contract.Executor(in.Cell.Executor)
		request, prompt, err := f.request(ctx, t, spec, in, contract.Spec.Tracks.Repair.Rounds)
		if err != nil {
			return err
		}
		executor, err := executors.New(spec.Kind)
		if err != nil {
			return err
		}
		call := strings.Join([]string{in.RunID, in.Cell.ID(), name, string(prompt)}, "/")
		var reply executors.Reply
		err = f.Folder.Calls.Do(ctx, call, f.Boot, &reply, func(ctx context.Context, _ int) (any, error) {
			return executor.Propose(ctx, request)
		})
		switch {
		case errors.Is(err, executors.ErrNoPrediction):
			out.Excluded = "no prediction"
			return nil
		case errors.Is(err, executors.ErrNoEdits), errors.Is(err, executors.ErrInput):
			return taskFault("task %s: %v", in.Cell.Task, err)
		}
		if err != nil {
			return err
		}
		if out.Calls, err = f.Folder.Calls.Intents(call); err != nil {
			return err
		}
		if reply.Kind == executors.Patch {
			if out.Patch, err = f.Folder.Public.Put(ctx, reply.Patch); err != nil {
				return err
			}
		}
		text, err := f.Folder.Public.Put(ctx, []byte(reply.Text))
		if err != nil {
			return err
		}
		out.Round = experiments.Round{
			Number: in.Round, Called: in.Shown.Called,
			Need: reply.Ask.Need, Hypothesis: reply.Ask.Hypothesis, Subgoal: reply.Ask.Subgoal,
			Evidence: in.Shown.IDs, EvidenceText: in.Shown.Text, EvidenceTokens: in.Shown.Tokens,
			Prompt: prompt, Reply: text, ReplyKind: reply.Kind,
			PromptTokens: reply.PromptTokens, ReplyTokens: reply.ReplyTokens,
		}
		return nil
	})
	return out, err
}

// request is what the executor reads: its own artifact, the state with its last ask, and every piece of evidence that
// the cell has shown so far. It holds no name of a condition.
func (f *Inference) request(ctx context.Context, t *openTask, spec experiments.ExecutorSpec, in workflows.RoundInput, rounds int) (executors.Request, experiments.Digest, error) {
	var r executors.Request
	var err error
	if d, ok := t.frozen.Executors[spec.Name]; ok {
		if r.Input, err = f.Folder.Public.Get(ctx, d); err != nil {
			return r, "", err
		}
		if r.Input == nil {
			r.Input = []byte{} // an empty prediction is one
		}
	}
	var texts []string
	for _, d := range append(textsOf(in.Past), in.Shown.Text) {
		if d == "" {
			continue
		}
		text, err := f.Folder.Public.Get(ctx, d)
		if err != nil {
			return r, "", err
		}
		texts = append(texts, string(text))
	}
	mirror, err := f.mirror(ctx, t.frozen)
	if err != nil {
		return r, "", err
	}
	r.State = stateAfter(t.task.State, in.Past)
	r.Evidence = strings.Join(texts, "\n")
	r.Round, r.Rounds = in.Round, rounds
	if in.Last {
		r.Rounds = in.Round
	}
	r.ReadFile = func(path string) ([]byte, error) { return mirror.ReadFile(ctx, t.frozen.BaseCommit, path) }
	r.Prompt = executors.Prompt(r.State, r.Evidence, r.Round, r.Rounds)
	prompt, err := f.Folder.Public.Put(ctx, []byte(r.Prompt))
	return r, prompt, err
}

func textsOf(rounds []experiments.Round) []experiments.Digest {
	var ds []experiments.Digest
	for _, r := range rounds {
		ds = append(ds, r.EvidenceText)
	}
	return ds
}
