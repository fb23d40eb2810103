package toolfall

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// run is the innermost handler: it executes the tool that admission found.
func (s *Snapshot) run(ctx context.Context, c Call) Result {
	a := c.admitted
	switch {
	case !a.covers(c):
		return Fail(newError(MiddlewareError, "a middleware changed the call after it was decided on"))
	case a.entry == nil:
		return Fail(s.unknown(c.Name))
	case ctx.Err() != nil:
		return Fail(early(ctx))
	case c.caller.Err() != nil:
		return Fail(early(c.caller))
	}
	if ctx != c.caller {
		fused, release := fuse(ctx, c.caller)
		defer release()
		ctx = fused
	}
	content, err := a.entry.call(ctx, c)
	return outcome(ctx, content, err)
}

// fuse returns ctx, which also ends when caller does: a wrapper may narrow what
// it was given, but not cut it off.
func fuse(ctx, caller context.Context) (fused context.Context, release func()) {
	fused, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(caller, func() { cancel(context.Cause(caller)) })
	return fused, func() {
		stop()
		cancel(nil)
	}
}

// call runs the tool where its definition says, and waits for it.
func (e *entry) call(ctx context.Context, c Call) ([]Content, error) {
	if e.Inline {
		return e.guarded(ctx, c)
	}
	b := body{entry: e, call: c, err: &PanicError{}} // the error stands if the tool calls runtime.Goexit
	b.ended.Add(1)
	go b.run(ctx)
	b.ended.Wait()
	return b.content, b.err
}

// body is a tool that runs in a goroutine of its own.
type body struct {
	entry   *entry
	call    Call
	content []Content
	err     error
	ended   sync.WaitGroup
}

func (b *body) run(ctx context.Context) {
	defer b.ended.Done()
	b.content, b.err = b.entry.guarded(ctx, b.call)
}

// guarded runs the tool and turns a panic into an error.
func (e *entry) guarded(ctx context.Context, c Call) (content []Content, err error) {
	defer recovered(&content, &err)
	return e.Execute(ctx, c)
}

// recovered is deferred: it turns a panic into an error.
func recovered(content *[]Content, err *error) {
	if v := recover(); v != nil {
		*content, *err = nil, &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// outcome is the Result of a tool that ran. The end of its context replaces a
// success, since nobody can tell whether all of the work was done, but no error
// that says more.
func outcome(ctx context.Context, content []Content, err error) Result {
	switch {
	case ctx.Err() != nil && (err == nil || cancelled(ctx, err)):
		return Fail(late(ctx))
	case err != nil:
		return Fail(err)
	case content == nil:
		content = none
	}
	return Result{Content: content}
}

// cancelled reports whether err says no more than that ctx ended.
func cancelled(ctx context.Context, err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Cause(ctx))
}

// early tells of a context that ended before the tool was started.
func early(ctx context.Context) error {
	return NewError(AbortedBeforeDispatch, fmt.Errorf("aborted before the tool ran: %w", context.Cause(ctx)))
}

// late tells of a context that ended while the tool ran. A cause that has a code
// keeps it, so that a deadline is told apart from the user's wish.
func late(ctx context.Context) error {
	cause := context.Cause(ctx)
	var coded interface{ Code() string }
	switch {
	case errors.As(cause, &coded):
		return cause
	case errors.Is(cause, context.DeadlineExceeded):
		return NewError(Timeout, fmt.Errorf("the deadline passed while the tool ran; side effects are possible: %w", cause))
	}
	return NewError(Aborted, fmt.Errorf("aborted while the tool ran; side effects are possible: %w", cause))
}
