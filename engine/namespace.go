package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"
)

// settleTime bounds how long a server may take to know what was just registered: its caches are refreshed every few
// seconds.
const settleTime = 30 * time.Second

// ensureNamespace makes the namespace on a remote server when it is missing, and leaves an existing one as it is.
func ensureNamespace(ctx context.Context, c client.Client, namespace string) error {
	_, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	var missing *serviceerror.NamespaceNotFound
	var notFound *serviceerror.NotFound
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &missing) && !errors.As(err, &notFound):
		return fmt.Errorf("looking for the namespace %s: %w", namespace, err)
	}
	_, err = c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace:                        namespace,
		Description:                      "paired experiments on coding agents",
		WorkflowExecutionRetentionPeriod: durationpb.New(Retention),
	})
	var exists *serviceerror.NamespaceAlreadyExists
	if err != nil && !errors.As(err, &exists) {
		return fmt.Errorf("making the namespace %s (is this user allowed to? otherwise have it made with a retention of %v): %w",
			namespace, Retention, err)
	}
	return nil
}

// ensureAttributes registers the search attributes that the namespace lacks and waits until queries know them.
func ensureAttributes(ctx context.Context, c client.Client, namespace string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, settleTime, fmt.Errorf("the server does not know them after %v", settleTime))
	defer cancel()
	var known map[string]enumspb.IndexedValueType
	err := settle(ctx, func() error {
		found, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
		known = found.GetCustomAttributes()
		return err
	})
	if err != nil {
		return fmt.Errorf("listing the search attributes of namespace %s: %w", namespace, err)
	}
	missing := make(map[string]enumspb.IndexedValueType)
	for _, name := range searchAttributes {
		switch kind, ok := known[name]; {
		case !ok:
			missing[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
		case kind != enumspb.INDEXED_VALUE_TYPE_KEYWORD:
			return fmt.Errorf("the search attribute %s of namespace %s is of type %s where Keyword is needed: remove it there",
				name, namespace, kind)
		}
	}
	if len(missing) > 0 {
		err := settle(ctx, func() error {
			_, err := c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
				Namespace: namespace, SearchAttributes: missing,
			})
			var exists *serviceerror.AlreadyExists // another process was faster
			if errors.As(err, &exists) {
				return nil
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("registering the search attributes of namespace %s: %w", namespace, err)
		}
	}
	terms := make([]string, len(searchAttributes))
	for i, name := range searchAttributes {
		terms[i] = name + ` = "?"`
	}
	err = settle(ctx, func() error {
		_, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: namespace, Query: strings.Join(terms, " OR "),
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("waiting for the search attributes of namespace %s: %w", namespace, err)
	}
	return nil
}

// settle repeats a call while its error says that the server has not caught up with what was registered.
func settle(ctx context.Context, call func() error) error {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := call()
		var missing *serviceerror.NamespaceNotFound
		var notFound *serviceerror.NotFound
		var invalid *serviceerror.InvalidArgument
		if !errors.As(err, &missing) && !errors.As(err, &notFound) && !errors.As(err, &invalid) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (last: %w)", context.Cause(ctx), err)
		case <-time.After(wait):
		}
	}
}
