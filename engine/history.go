package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	enumspb "go.temporal.io/api/enums/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// ExportHistory writes a workflow's history as the JSON form of temporal.api.history.v1.History, which the SDK's
// client.HistoryFromJSON and its replayer read: one object with the list "events", one event per line. An empty run id
// means the latest run. Events are fetched and written page by page, and the same history gives the same bytes.
func (e *Engine) ExportHistory(ctx context.Context, workflowID, runID string, w io.Writer) error {
	out := bufio.NewWriter(w)
	events := e.client.GetWorkflowHistory(ctx, workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	before := "{\"events\":[\n"
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return fmt.Errorf("reading the history of workflow %s: %w", workflowID, err)
		}
		text, err := protojson.Marshal(event)
		if err != nil {
			return fmt.Errorf("writing event %d of workflow %s: %w", event.GetEventId(), workflowID, err)
		}
		// The library varies its white space on purpose.
		var line bytes.Buffer
		if err := json.Compact(&line, text); err != nil {
			return fmt.Errorf("writing event %d of workflow %s: %w", event.GetEventId(), workflowID, err)
		}
		// Errors of a buffered writer stay and are returned by Flush.
		_, _ = out.WriteString(before)
		_, _ = out.Write(line.Bytes())
		before = ",\n"
	}
	if before != ",\n" {
		return fmt.Errorf("reading the history of workflow %s: it is empty", workflowID)
	}
	_, _ = out.WriteString("\n]}\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the history of workflow %s: %w", workflowID, err)
	}
	return nil
}
