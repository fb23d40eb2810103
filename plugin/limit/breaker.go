package limit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// Breaker gives a tool a rest that fails and fails.
type Breaker struct {
	Failures int           // in a row after which the tool rests; 0 is never
	Rest     time.Duration // how long; 30 s when zero
}

// breaker is the circuits of all tools.
type breaker struct {
	Breaker
	mu    sync.Mutex
	tools map[string]*circuit
}

// circuit is what became of the calls of one tool.
type circuit struct {
	failures int
	until    time.Time // when it may be tried again; zero while it is closed
	trying   bool      // one call tries
}

func newBreaker(b Breaker) *breaker {
	b.Rest = cmp.Or(b.Rest, 30*time.Second)
	return &breaker{Breaker: b, tools: make(map[string]*circuit)}
}

func (b *breaker) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if _, known := c.Tool(); !known {
		return next(ctx, c)
	}
	if err := b.pass(c.Name); err != nil {
		return toolfall.Fail(err)
	}
	done := false
	defer func() { // also when what is inside ends the goroutine
		if !done {
			b.settle(c.Name, true)
		}
	}()
	r := next(ctx, c)
	done = true
	b.settle(c.Name, broken(r))
	return r
}

// pass refuses a call to a tool that rests. After the rest it lets one through to try.
func (b *breaker) pass(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.tools[name]
	if k == nil {
		k = new(circuit)
		b.tools[name] = k
	}
	switch left := time.Until(k.until); {
	case k.until.IsZero():
		return nil
	case left > 0:
		return toolfall.NewError(CircuitOpen, fmt.Errorf("%s has failed %d times in a row and rests; it is tried again in %s. Do something else, or without it", name, k.failures, left.Round(time.Second)))
	case k.trying:
		return toolfall.NewError(CircuitOpen, fmt.Errorf("%s has failed %d times in a row, and another call tries whether it works again", name, k.failures))
	}
	k.trying = true
	return nil
}

func (b *breaker) settle(name string, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.tools[name]
	k.trying = false
	if !failed {
		*k = circuit{}
		return
	}
	if k.failures++; k.failures >= b.Failures {
		k.until = time.Now().Add(b.Rest)
	}
}

// broken reports whether a result speaks of a tool that does not work, and not of a call
// that was wrong or was withdrawn.
func broken(r toolfall.Result) bool {
	switch toolfall.Code(r) {
	case toolfall.Timeout, toolfall.Panicked, toolfall.OutputInvalid, toolfall.SandboxUnavailable:
		return true
	}
	return transient(r.Err)
}

// transient reports whether an error says of itself that it may be gone the next time.
func transient(err error) bool {
	var temporary interface{ Temporary() bool }
	return errors.As(err, &temporary) && temporary.Temporary()
}
