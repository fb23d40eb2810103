package limit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// wrapper is what a middleware does.
type wrapper = func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result

// A Deadline is the cause of the end of a call that took too long.
type Deadline struct {
	Tool  string
	Limit time.Duration
	Whose string // who set it: "the tool", "the configuration" or "the call"
}

// Error tells the model.
func (d *Deadline) Error() string {
	return fmt.Sprintf("%s took longer than the %s that %s allows it, and was told to stop; side effects are possible", d.Tool, d.Limit, d.Whose)
}

// Code returns TIMEOUT.
func (d *Deadline) Code() string { return toolfall.Timeout }

type timeoutKey struct{}

// With asks that calls in the context take no longer than d, also where the tool and the
// configuration allow more.
func With(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, timeoutKey{}, d)
}

// timer ends calls that take too long.
type timer struct{ Config }

// deadline is the limit of a call, and who set it: what the configuration says of the
// tool, or else the tool itself, or else the default; the call may ask for less.
func (t *timer) deadline(ctx context.Context, c *toolfall.Call) (d time.Duration, whose string) {
	d, whose = t.Timeout, "the configuration"
	if own := c.Timeout(); own != 0 {
		d, whose = own, "the tool"
	}
	if tool := t.tool(c.Name); tool != nil && tool.Timeout > 0 {
		d, whose = tool.Timeout, "the configuration"
	}
	if asked, ok := ctx.Value(timeoutKey{}).(time.Duration); ok && asked > 0 && (d <= 0 || asked < d) {
		d, whose = asked, "the call"
	}
	return d, whose
}

func (t *timer) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	d, whose := t.deadline(ctx, &c)
	if d <= 0 {
		return next(ctx, c)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, d, &Deadline{c.Name, d, whose})
	defer cancel()
	defer t.watch(ctx, &c)()
	return next(ctx, c)
}

// Stuck is a tool that goes on although its context ended.
type Stuck struct {
	Tool, Call, Agent string
	Since             time.Time // the end of its context
}

// A Watch knows which tools go on although their contexts ended. Its zero value works.
type Watch struct {
	mu    sync.Mutex
	stuck []*Stuck
}

// Stuck returns those that go on now, the oldest first.
func (w *Watch) Stuck() []Stuck {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]Stuck, 0, len(w.stuck))
	for _, s := range w.stuck {
		out = append(out, *s)
	}
	return out
}

func (w *Watch) add(s *Stuck) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stuck = append(w.stuck, s)
}

func (w *Watch) remove(s *Stuck) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stuck = slices.DeleteFunc(w.stuck, func(o *Stuck) bool { return o == s })
}

// watch waits for the end of the context, and some time longer, until stop is called. A
// call that is not over then is told of.
func (t *timer) watch(ctx context.Context, c *toolfall.Call) (stop func()) {
	w := &watching{watch: t.Watch, stuck: Stuck{Tool: c.Name, Call: c.ID, Agent: c.Agent}}
	ended := context.AfterFunc(ctx, func() { w.grace(ctx, t.Grace) })
	return func() {
		ended()
		w.stop()
	}
}

// watching is one call that is watched.
type watching struct {
	watch *Watch
	stuck Stuck

	mu    sync.Mutex
	over  bool
	timer *time.Timer
}

func (w *watching) grace(ctx context.Context, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stuck.Since = time.Now()
	if !w.over {
		w.timer = time.AfterFunc(d, func() { w.tell(ctx) })
	}
}

func (w *watching) tell(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	w.watch.add(&w.stuck)
	toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedStuck, By: Name, Text: fmt.Sprintf("%s goes on although it was told to stop (%v)", w.stuck.Tool, context.Cause(ctx))})
}

func (w *watching) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	if w.timer != nil {
		w.timer.Stop()
	}
	w.watch.remove(&w.stuck)
}
