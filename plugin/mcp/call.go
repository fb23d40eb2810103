package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/rpc"
)

// The codes of calls that a server did not answer.
const (
	ServerDown     = "SERVER_DOWN"     // it is not there, so the call was not made
	OutcomeUnknown = "OUTCOME_UNKNOWN" // it ended while the call ran
)

// unavailable is a server that is not there. It may be back the next time.
type unavailable struct{ why error }

func (u unavailable) Error() string   { return u.why.Error() }
func (u unavailable) Unwrap() error   { return u.why }
func (u unavailable) Code() string    { return ServerDown }
func (u unavailable) Temporary() bool { return true }

func (v *server) down(fault error) error {
	return unavailable{fmt.Errorf("the server %s is down: %w; it is tried again, also by the next call", v.Name, fault)}
}

// call makes one call. One whose outcome nobody knows is made again only if that does no
// harm, by what the server says of the tool.
func (v *server) call(ctx context.Context, tool string, hints toolfall.Hints, c toolfall.Call) ([]toolfall.Content, error) {
	harmless := hints.ReadOnly == toolfall.Yes || hints.Idempotent == toolfall.Yes
	for attempt := 1; ; attempt++ {
		s, err := v.use(ctx)
		if err != nil {
			return nil, err
		}
		raw, err := s.hear(ctx, "tools/call", map[string]any{"name": tool, "arguments": c.Arguments}, v.progress(ctx))
		var refused *rpc.Error
		switch {
		case err == nil:
			return content(raw)
		case errors.As(err, &refused):
			return nil, fmt.Errorf("the server %s refuses the call: %w", v.Name, err)
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case harmless && attempt == 1:
			toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedAttempt, By: "mcp." + v.Name, Text: c.Name, Why: err.Error(), Done: 2, Total: 2})
			v.gone(ctx, s)
		default:
			return nil, toolfall.NewError(OutcomeUnknown, fmt.Errorf("the server %s ended while the call ran (%w): whether it was done is not known", v.Name, err))
		}
	}
}

// gone waits until the server is known to be down, so that the next attempt does not meet
// the same connection.
func (v *server) gone(ctx context.Context, s *session) {
	for {
		v.mu.Lock()
		now, changed := v.session, v.changed
		v.mu.Unlock()
		if now != s {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// progress passes on what a server says of how far it is.
func (v *server) progress(ctx context.Context) func(json.RawMessage) {
	if !toolfall.Heard(ctx) {
		return nil
	}
	last := -1.0
	return func(raw json.RawMessage) {
		var p struct {
			Progress, Total float64
			Message         string
		}
		if json.Unmarshal(raw, &p) != nil || p.Progress <= last {
			return // it must grow
		}
		last = p.Progress
		toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedProgress, By: "mcp." + v.Name, Text: p.Message, Done: p.Progress, Total: p.Total})
	}
}
