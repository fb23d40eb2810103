// Package schedule runs the calls of one model message side by side where what they
// touch lets them, and in the order of the message where it does not.
//
// A [Scheduler] stands in the chain of a registry. It lets one call of a [Batch] at a
// time pass the layers that rewrite and decide, in the order of the batch; only the
// tools overlap. A call is decided on when nothing that runs conflicts with its claims
// any more, so a decision never speaks of a state that an earlier call is about to
// change. Every call gets its one Result, whatever happens.
package schedule

import (
	"context"
	"fmt"

	"github.com/toolfall/toolfall"
)

// Name is that of the middleware that begins, and the start of that of the others.
const Name = "schedule"

// DefaultWidth is how many tools run at once when the configuration does not say.
const DefaultWidth = 10

// MaxWidth is the largest width.
const MaxWidth = 1 << 20

// Config sets up a Scheduler.
type Config struct {
	Width int // how many tools of a batch run at once; 0 stands for DefaultWidth
}

// A Scheduler runs batches of calls through one registry.
type Scheduler struct {
	registry *toolfall.Registry
	width    int
}

// New adds a scheduler's layers to the registry until o is cleaned up. They hold up
// only calls that come through the scheduler.
func New(o toolfall.Owner, r *toolfall.Registry, c Config) (*Scheduler, error) {
	switch {
	case c.Width == 0:
		c.Width = DefaultWidth
	case c.Width < 0 || c.Width > MaxWidth:
		return nil, fmt.Errorf("schedule: a width of %d calls: it is 1 to %d", c.Width, MaxWidth)
	}
	r.Use(o, toolfall.Middleware{Name: Name, Stage: toolfall.Rewrite, Before: true, Wrap: waiting})
	r.Use(o, toolfall.Middleware{Name: Name + ".rewritten", Stage: toolfall.Decide, Before: true, Wrap: rewritten})
	r.Use(o, toolfall.Middleware{Name: Name + ".start", Stage: toolfall.Contain, Before: true, Wrap: starting})
	return &Scheduler{r, c.Width}, nil
}

// ExecuteAll runs calls and returns their Results, in the same order. When ctx ends,
// the tools that run are told so and awaited, and what has not started is answered
// with ABORTED_BEFORE_DISPATCH.
func (s *Scheduler) ExecuteAll(ctx context.Context, calls []toolfall.Call) []toolfall.Result {
	results := make([]toolfall.Result, len(calls))
	if len(calls) == 1 {
		results[0] = s.registry.Execute(ctx, calls[0])
		return results
	}
	b := s.Batch()
	pending := make([]*Pending, len(calls))
	for i, c := range calls {
		pending[i] = b.Add(ctx, c)
	}
	for i, p := range pending {
		results[i] = p.Result()
	}
	return results
}

// waiting holds a call up until nothing that runs conflicts with it.
func waiting(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if p := from(ctx, &c); p != nil {
		p.waited = c
		if err := p.await(ctx, &c, false); err != nil {
			return toolfall.Fail(err)
		}
	}
	return next(ctx, c)
}

// rewritten is waiting for a call that hooks have made another one.
func rewritten(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if p := from(ctx, &c); p != nil && p.changed(&c) {
		return waiting(ctx, c, next)
	}
	return next(ctx, c)
}

// starting lets the next call of the batch begin while the tool of this one runs.
func starting(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	p := from(ctx, &c)
	if p == nil {
		return next(ctx, c)
	}
	if err := p.await(ctx, &c, true); err != nil {
		return toolfall.Fail(err)
	}
	defer p.stop()
	return next(ctx, c)
}
