package evaluation

import "evlab/experiments"

// SWEBenchReport is a report in the shape of SWE-bench, schema version 2, for one model. Tasks without a verdict and
// patches that do not apply are errors there.
type SWEBenchReport struct {
	TotalInstances      int      `json:"total_instances"`
	SubmittedInstances  int      `json:"submitted_instances"`
	CompletedInstances  int      `json:"completed_instances"`
	ResolvedInstances   int      `json:"resolved_instances"`
	UnresolvedInstances int      `json:"unresolved_instances"`
	EmptyPatchInstances int      `json:"empty_patch_instances"`
	ErrorInstances      int      `json:"error_instances"`
	CompletedIDs        []string `json:"completed_ids"`
	IncompleteIDs       []string `json:"incomplete_ids"`
	EmptyPatchIDs       []string `json:"empty_patch_ids"`
	SubmittedIDs        []string `json:"submitted_ids"`
	ResolvedIDs         []string `json:"resolved_ids"`
	UnresolvedIDs       []string `json:"unresolved_ids"`
	ErrorIDs            []string `json:"error_ids"`
	SchemaVersion       int      `json:"schema_version"`
}

// SWEBench makes the report of one model; tasks are all that were asked, with or without a prediction of the model.
func SWEBench(lines []Line, model string, tasks []string) SWEBenchReport {
	empty := func() []string { return []string{} }
	r := SWEBenchReport{
		TotalInstances: len(tasks), SchemaVersion: 2, CompletedIDs: empty(), IncompleteIDs: empty(), EmptyPatchIDs: empty(),
		SubmittedIDs: empty(), ResolvedIDs: empty(), UnresolvedIDs: empty(), ErrorIDs: empty(),
	}
	predicted := map[string]bool{}
	for _, l := range lines {
		if l.Model != model {
			continue
		}
		predicted[l.Task] = true
		r.SubmittedIDs = append(r.SubmittedIDs, l.Task)
		switch l.Verdict {
		case experiments.Resolved:
			r.CompletedIDs, r.ResolvedIDs = append(r.CompletedIDs, l.Task), append(r.ResolvedIDs, l.Task)
		case experiments.Unresolved:
			r.CompletedIDs, r.UnresolvedIDs = append(r.CompletedIDs, l.Task), append(r.UnresolvedIDs, l.Task)
		case experiments.Empty:
			r.EmptyPatchIDs = append(r.EmptyPatchIDs, l.Task)
		default:
			r.ErrorIDs = append(r.ErrorIDs, l.Task)
		}
	}
	for _, t := range tasks {
		if !predicted[t] {
			r.IncompleteIDs = append(r.IncompleteIDs, t)
		}
	}
	r.SubmittedInstances, r.CompletedInstances = len(r.SubmittedIDs), len(r.CompletedIDs)
	r.ResolvedInstances, r.UnresolvedInstances = len(r.ResolvedIDs), len(r.UnresolvedIDs)
	r.EmptyPatchInstances, r.ErrorInstances = len(r.EmptyPatchIDs), len(r.ErrorIDs)
	return r
}
