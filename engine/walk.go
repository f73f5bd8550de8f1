package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
)

// walkers is how many workflows are asked about at a time.
const walkers = 8

// separators are what may follow a workflow's id in the ids of those below it: "run-1" owns "run-1/task" and not
// "run-10".
const separators = "/:"

// walk visits the given workflows and those below them as far as they are running, each once, several at a time.
// What is below a workflow is what it lists as its pending children and, since those of an earlier run of it are not
// listed, whatever running workflow has its id as a prefix. Ids that do not exist or have closed are passed over, and
// one workflow's error does not keep the others from being visited.
func (e *Engine) walk(ctx context.Context, ids []string, visit func(*workflowservice.DescribeWorkflowExecutionResponse) error) error {
	seen := make(map[string]bool, len(ids))
	level := unique(ids, seen)
	var errs []error
	for _, root := range tops(level) {
		below, err := e.runningBelow(ctx, root)
		errs = append(errs, err)
		level = append(level, unique(below, seen)...)
	}
	return errors.Join(append(errs, e.descend(ctx, level, seen, visit))...)
}

// descend visits the workflows of a level and their pending children, as walk does.
func (e *Engine) descend(ctx context.Context, level []string, seen map[string]bool, visit func(*workflowservice.DescribeWorkflowExecutionResponse) error) error {
	var errs []error
	for len(level) > 0 {
		var next []string
		var mu sync.Mutex
		errs = append(errs, each(ctx, level, func(id string) error {
			found, err := e.client.DescribeWorkflowExecution(ctx, id, "")
			var missing *serviceerror.NotFound
			switch {
			case errors.As(err, &missing):
				return nil
			case err != nil:
				return fmt.Errorf("asking about workflow %s: %w", id, err)
			case found.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING:
				return nil
			}
			mu.Lock()
			for _, child := range found.GetPendingChildren() {
				next = append(next, child.GetWorkflowId())
			}
			mu.Unlock()
			return visit(found)
		}))
		if ctx.Err() != nil {
			return errors.Join(append(errs, context.Cause(ctx))...)
		}
		level = unique(next, seen)
	}
	return errors.Join(errs...)
}

// each calls f for every id, walkers at a time, and joins the errors.
func each(ctx context.Context, ids []string, f func(id string) error) error {
	var mu sync.Mutex
	var errs []error
	var wg sync.WaitGroup
	slots := make(chan struct{}, walkers)
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := f(id); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// runningBelow lists the running workflows whose ids say that they belong to the given one. The list lags a little
// behind; what it does not know yet is found through its parent.
func (e *Engine) runningBelow(ctx context.Context, id string) ([]string, error) {
	var terms []string
	for _, separator := range separators {
		terms = append(terms, "WorkflowId STARTS_WITH "+quote(id+string(separator)))
	}
	found, err := e.running(ctx, " AND ("+strings.Join(terms, " OR ")+")")
	if err != nil {
		err = fmt.Errorf("listing the workflows below %s: %w", id, err)
	}
	return slices.DeleteFunc(found, func(child string) bool { return !isBelow(child, id) }), err
}

// running lists the running workflows for which the further terms of the query hold.
func (e *Engine) running(ctx context.Context, terms string) (found []string, err error) {
	var page []byte
	for {
		answer, err := e.client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: e.options.Namespace, Query: `ExecutionStatus = "Running"` + terms, PageSize: 1000, NextPageToken: page,
		})
		if err != nil {
			return found, err
		}
		for _, execution := range answer.GetExecutions() {
			found = append(found, execution.GetExecution().GetWorkflowId())
		}
		if page = answer.GetNextPageToken(); len(page) == 0 {
			return found, nil
		}
	}
}

func isBelow(child, id string) bool {
	rest, ok := strings.CutPrefix(child, id)
	return ok && rest != "" && strings.ContainsRune(separators, rune(rest[0]))
}

// tops leaves out the ids that are below another one of them.
func tops(ids []string) []string {
	given := make(map[string]bool, len(ids))
	for _, id := range ids {
		given[id] = true
	}
	var found []string
	for _, id := range ids {
		covered := false
		for i, r := range id {
			covered = covered || i > 0 && strings.ContainsRune(separators, r) && given[id[:i]]
		}
		if !covered {
			found = append(found, id)
		}
	}
	return found
}

// unique keeps the first of each id that is not empty and has not been seen, and marks them as seen.
func unique(ids []string, seen map[string]bool) []string {
	if seen == nil {
		seen = make(map[string]bool, len(ids))
	}
	var kept []string
	for _, id := range ids {
		if id != "" && !seen[id] {
			seen[id] = true
			kept = append(kept, id)
		}
	}
	return kept
}

// quote writes a string value for the server's query language.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
