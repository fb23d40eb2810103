package limit

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/toolfall/toolfall"
)

// A Setter is who set a deadline.
type Setter string

// Those who may, in the words of a [DeadlineError].
const (
	Definition    Setter = "its definition"
	Configuration Setter = "the configuration"
	Caller        Setter = "the caller"
)

// A DeadlineError is the cause of a context that ended because the time of a call was up.
// It is in the Err of the call, and of every call that was part of it.
type DeadlineError struct {
	Tool  string
	Limit time.Duration
	By    Setter
}

// Error tells whose deadline passed.
func (e *DeadlineError) Error() string {
	return fmt.Sprintf("the limit of %v that %s sets for %s passed while it ran; side effects are possible", e.Limit, e.By, e.Tool)
}

// Code returns TIMEOUT.
func (e *DeadlineError) Code() string { return toolfall.Timeout }

// Unwrap returns [context.DeadlineExceeded].
func (e *DeadlineError) Unwrap() error { return context.DeadlineExceeded }

// own is the context key of the caller's limit.
type own struct{}

// With returns a context in which a tool gets no longer than d, counted from when it
// starts: what a call waits for before is not part of it, and each attempt has its own. A
// deadline of the context itself is on all of the call. A d that is not positive, or longer
// than what holds in ctx, changes nothing.
func With(ctx context.Context, d time.Duration) context.Context {
	if outer, set := ctx.Value(own{}).(time.Duration); d <= 0 || set && outer <= d {
		return ctx
	}
	return context.WithValue(ctx, own{}, d)
}

// clock is limit.time.
type clock struct {
	most  time.Duration
	tools []Tool
	guard guard
}

func newClock(c Config) *clock {
	w := c.Watch
	if w == nil {
		w = new(Watch)
	}
	return &clock{most: c.Timeout, tools: c.Tools, guard: guard{watch: w, grace: cmp.Or(max(c.Grace, 0), 5*time.Second)}}
}

func (k *clock) middleware() toolfall.Middleware {
	return toolfall.Middleware{Name: Name + ".time", Stage: toolfall.Contain, Wrap: k.wrap}
}

func (k *clock) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if _, ok := c.Tool(); !ok {
		return next(ctx, c) // it reaches nothing but the answer that there is no such tool
	}
	if d, by := k.limit(ctx, c); d > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, d, &DeadlineError{Tool: c.Name, Limit: d, By: by})
		defer cancel()
		ctx = limited
	}
	return k.guard.run(ctx, c, next)
}

// limit is the shortest of the limits on a call, or 0.
func (k *clock) limit(ctx context.Context, c toolfall.Call) (d time.Duration, by Setter) {
	tighten := func(to time.Duration, setter Setter) {
		if to > 0 && (d == 0 || to < d) {
			d, by = to, setter
		}
	}
	tighten(c.Timeout(), Definition)
	switch t := of(k.tools, c.Name); {
	case t != nil && t.Timeout != 0:
		tighten(t.Timeout, Configuration)
	case c.Timeout() >= 0: // a tool that wants no limit bounds itself
		tighten(k.most, Configuration)
	}
	if asked, set := ctx.Value(own{}).(time.Duration); set {
		tighten(asked, Caller)
	}
	return d, by
}
