package toolfall

import (
	"context"
	"fmt"
	"runtime/debug"
)

// A Middleware wraps every call. Wrap calls next to go on, as often as it likes,
// or answers itself, which stops the call there. next is bound to its position:
// each call of it runs everything inside again, gates included.
//
// Wrap returns what next returned, perhaps changed, or a Result of its own, such
// as [Fail] makes. A Wrap that panics or returns the zero Result is answered with
// a MIDDLEWARE_ERROR: it never lets a call pass.
type Middleware struct {
	Name   string
	Stage  Stage
	Before bool // outermost in its stage at the time it is added, not innermost
	Wrap   func(ctx context.Context, c Call, next Handler) Result
}

// A Stage is where in the chain a middleware stands. The order is a promise:
// what may rewrite a call stands outside what decides on it, so a decision is
// always about the arguments that the tool will get.
type Stage int

// The stages, from the outermost to the tool. Admission, which reads the
// arguments strictly and checks them, stands between Repair and Rewrite; a call
// that Rewrite changed is checked again; one that is changed further in is
// refused.
const (
	Observe Stage = iota // sees each call as it came and the result as it left
	Repair               // may mend arguments that would not be admitted
	Rewrite              // may change a call: hooks
	Decide               // may refuse a call: plan mode, permission
	Contain              // holds the tool itself: sandbox, time limit
)

// String returns the name of the stage.
func (s Stage) String() string {
	switch s {
	case Observe:
		return "observe"
	case Repair:
		return "repair"
	case Rewrite:
		return "rewrite"
	case Decide:
		return "decide"
	case Contain:
		return "contain"
	}
	return fmt.Sprintf("stage %d", int(s))
}

// then returns m around next, guarded: every layer outside m gets a Result.
func (m *Middleware) then(next Handler) Handler {
	return func(ctx context.Context, c Call) (r Result) {
		defer m.recovered(&r)
		r = m.Wrap(ctx, c, next)
		if r.Content == nil && r.Err == nil && !r.IsError && r.Structured == nil {
			r = Fail(NewError(MiddlewareError, fmt.Errorf("middleware %q gave no result", m.Name)))
		}
		return r
	}
}

// recovered is deferred: it turns a panic into a Result.
func (m *Middleware) recovered(r *Result) {
	if v := recover(); v != nil {
		cause := &PanicError{Value: v, Stack: debug.Stack()}
		*r = Fail(NewError(MiddlewareError, fmt.Errorf("middleware %q failed: %w", m.Name, cause)))
	}
}
