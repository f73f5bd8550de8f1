package outcomes

import (
	"fmt"

	"evlab/contrasts"
)

// Pilot is what a table says about the noise of a contrast.
type Pilot struct {
	Tasks       []contrasts.Replicated
	Components  contrasts.Components
	Replicates  int      // most of a cell
	Share       bool     // every value is within 0 to 1
	Discordance *float64 // share of complete pairs that differ; 0/1 metrics of one replicate only
}

// Pilot reads a selection for evlab power.
func (t *Table) Pilot(s Selection) (*Pilot, error) {
	sample, err := t.Select(s)
	if err != nil {
		return nil, err
	}
	out := &Pilot{Replicates: sample.Replicates, Share: sample.Low >= 0 && sample.High <= 1}
	if out.Tasks, err = t.replicated(s); err != nil {
		return nil, err
	}
	if out.Components, err = contrasts.VarianceComponents(out.Tasks); err != nil {
		return nil, fmt.Errorf("%s: %w", t.source, err)
	}
	if sample.Binary {
		n, differ := 0, 0
		for _, p := range sample.Pairs {
			if p.HasA && p.HasB {
				n++
				if p.A != p.B {
					differ++
				}
			}
		}
		share := float64(differ) / float64(n)
		out.Discordance = &share
	}
	return out, nil
}

// replicated are the decided values of a selection's tasks, replicates apart.
func (t *Table) replicated(s Selection) ([]contrasts.Replicated, error) {
	metric, err := t.find("metric", s.Metric, t.metrics.list)
	if err != nil {
		return nil, err
	}
	executor, err := t.executor(s.Executor)
	if err != nil {
		return nil, err
	}
	out := make([]contrasts.Replicated, len(t.tasks.list))
	for i, r := range t.rows {
		v := t.values[metric][i]
		if r.executor != executor || v != v { // NaN is missing
			continue
		}
		switch t.conditions.list[r.condition] {
		case s.A:
			out[r.task].A = append(out[r.task].A, v)
		case s.B:
			out[r.task].B = append(out[r.task].B, v)
		}
	}
	return out, nil
}
