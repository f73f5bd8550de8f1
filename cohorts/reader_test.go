package cohorts_test

import (
	"context"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"evlab/evidence"
	"evlab/executors"
	"evlab/organizer"
	"evlab/repos"
)

// reply puts the simulated reader before some units, in one round of several.
func (d *demoTask) reply(t *testing.T, ids []string, round, rounds int) executors.Reply {
	t.Helper()
	var shown []evidence.Unit
	for _, u := range d.units {
		if slices.Contains(ids, u.ID) {
			shown = append(shown, u)
		}
	}
	if len(shown) != len(ids) {
		t.Fatalf("%s: %d of the units %v exist", d.ID, len(shown), ids)
	}
	text, _, _ := evidence.Render(shown, math.MaxInt, evidence.OverflowSkip)
	reader, err := executors.New("simulated")
	if err != nil {
		t.Fatal(err)
	}
	reply, err := reader.Propose(context.Background(), executors.Request{
		Input: d.script, State: d.State, Evidence: text, Round: round, Rounds: rounds,
		ReadFile: func(path string) ([]byte, error) {
			for _, f := range d.files {
				if f.Path == path {
					return f.Content, nil
				}
			}
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		},
	})
	if err != nil {
		t.Fatalf("%s: %v", d.ID, err)
	}
	return reply
}

// propose is the tree that the reader's patch gives when it has seen some units and may not ask.
func (d *demoTask) propose(t *testing.T, ids []string) string {
	t.Helper()
	reply := d.reply(t, ids, 1, 1)
	if reply.Kind != executors.Patch {
		return d.tree(t)
	}
	a, err := d.mirror.Apply(context.Background(), d.BaseCommit, reply.Patch)
	if err != nil {
		t.Fatal(err)
	}
	if a.Outcome != repos.OutcomeApplied {
		t.Fatalf("%s: the reader's patch is %s: %s\n%s", d.ID, a.Outcome, a.Reason, reply.Patch)
	}
	return a.Tree
}

// minimal lists every way to cover the groups with one unit each, and the alternative branches.
func minimal(c *organizer.Certificate) [][]string {
	ways := [][]string{nil}
	for _, g := range c.Groups {
		var longer [][]string
		for _, way := range ways {
			for _, id := range g.AcceptableIDs {
				if slices.Contains(way, id) {
					longer = append(longer, way)
				} else {
					longer = append(longer, append(slices.Clone(way), id))
				}
			}
		}
		ways = longer
	}
	return append(ways, c.AlternativeMinimalSets...)
}

// without lists all units but those that give a group away: the ones that it accepts, and those of alternative
// branches that no other group needs.
func (d *demoTask) without(g organizer.Group) []string {
	var ids []string
	for _, u := range d.units {
		elsewhere := slices.ContainsFunc(d.cert.Groups, func(o organizer.Group) bool {
			return o.ID != g.ID && slices.Contains(o.AcceptableIDs, u.ID)
		})
		branch := slices.ContainsFunc(d.cert.AlternativeMinimalSets, func(b []string) bool { return slices.Contains(b, u.ID) })
		if !slices.Contains(g.AcceptableIDs, u.ID) && (!branch || elsewhere) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// TestDemoReaderWithEverything holds that each way to cover the certificate is enough for the repair.
func TestDemoReaderWithEverything(t *testing.T) {
	for _, task := range load(t).tasks {
		t.Run(task.ID, func(t *testing.T) {
			t.Parallel()
			for _, ids := range minimal(task.cert) {
				if !task.cert.Complete(ids) {
					t.Errorf("%v does not cover the certificate", ids)
				}
				if failed := task.judge(t, task.propose(t, ids)); failed != nil {
					t.Errorf("with %v the reader fails %v", ids, failed)
				}
				if reply := task.reply(t, ids, 1, 3); reply.Kind != executors.Patch {
					t.Errorf("with %v the reader replies %q in the first round", ids, reply.Kind)
				}
			}
		})
	}
}

// TestDemoReaderWithoutOneGroup holds that no group can be spared: with every other unit of the repository at hand
// the reader still makes a mistake that the tests see. Without any evidence it does so, too.
func TestDemoReaderWithoutOneGroup(t *testing.T) {
	for _, task := range load(t).tasks {
		t.Run(task.ID, func(t *testing.T) {
			t.Parallel()
			for _, g := range task.cert.Groups {
				ids := task.without(g)
				if task.cert.Complete(ids) {
					t.Errorf("without group %s the certificate is complete", g.ID)
				}
				tree := task.propose(t, ids)
				if task.judge(t, tree) == nil {
					t.Errorf("without group %s the reader succeeds", g.ID)
				}
				made := task.outcomes(t, task.withTests(t, tree), task.testPackages()...)
				for _, name := range task.tests.FailToPass {
					if _, ran := made[name]; !ran {
						t.Errorf("without group %s the reader's patch keeps %s from running", g.ID, name)
					}
				}
				if reply := task.reply(t, ids, 1, 3); reply.Kind != executors.Ask || reply.Ask != task.ask {
					t.Errorf("without group %s the reader replies %q and does not ask", g.ID, reply.Kind)
				}
			}
			if task.judge(t, task.propose(t, nil)) == nil {
				t.Error("without evidence the reader succeeds")
			}
		})
	}
}

// TestDemoPhrases holds that a needed phrase stands for one group: it is in every unit that the group accepts, in
// each alternative branch, in no unit besides, and in nothing that the reader is told at the start.
func TestDemoPhrases(t *testing.T) {
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, task := range load(t).tasks {
		served := map[string]bool{}
		for _, e := range task.edits {
			if len(e.Needs) == 0 {
				t.Errorf("%s: an edit needs nothing", task.ID)
			}
			for _, phrase := range e.Needs {
				var holders []string
				for _, u := range task.units {
					if strings.Contains(words(u.Text), words(phrase)) {
						holders = append(holders, u.ID)
					}
				}
				var group *organizer.Group
				for i, g := range task.cert.Groups {
					if slices.ContainsFunc(g.AcceptableIDs, func(id string) bool { return slices.Contains(holders, id) }) {
						if group != nil {
							t.Errorf("%s: %q gives away %s and %s", task.ID, phrase, group.ID, g.ID)
						}
						group = &task.cert.Groups[i]
					}
				}
				if group == nil {
					t.Errorf("%s: %q is in no acceptable unit", task.ID, phrase)
					continue
				}
				served[group.ID] = true
				for _, id := range group.AcceptableIDs {
					if !slices.Contains(holders, id) {
						t.Errorf("%s: %q is not in %s, which group %s accepts", task.ID, phrase, id, group.ID)
					}
				}
				for i, branch := range task.cert.AlternativeMinimalSets {
					if !slices.ContainsFunc(branch, func(id string) bool { return slices.Contains(holders, id) }) {
						t.Errorf("%s: %q is not in alternative branch %d", task.ID, phrase, i)
					}
				}
				for _, id := range holders {
					branch := slices.ContainsFunc(task.cert.AlternativeMinimalSets, func(b []string) bool { return slices.Contains(b, id) })
					if !slices.Contains(group.AcceptableIDs, id) && !branch {
						t.Errorf("%s: %q is also in %s, which no group accepts", task.ID, phrase, id)
					}
				}
				told := words(strings.Join([]string{task.State.Issue, task.State.Need, task.State.Observation, task.State.Hypothesis,
					task.State.Subgoal, task.State.Trajectory, task.ask.Need, task.ask.Hypothesis, task.ask.Subgoal}, "\n"))
				if strings.Contains(told, words(phrase)) {
					t.Errorf("%s: its state card says %q", task.ID, phrase)
				}
			}
		}
		for _, g := range task.cert.Groups {
			if !served[g.ID] {
				t.Errorf("%s: no edit needs group %s", task.ID, g.ID)
			}
		}
	}
}
