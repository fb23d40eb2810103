package limit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// BreakerLimits say when a tool is left alone. What counts is what speaks of the tool and
// not of a call: PANIC, TIMEOUT, OUTPUT_INVALID, and errors that say of themselves that they
// are temporary. A file that is not there opens nothing.
type BreakerLimits struct {
	Failures int           // in a row, after which a tool is left alone; never when zero
	Within   time.Duration // in which they come; 1 min when zero
	Pause    time.Duration // until one call may try it again; 30 s when zero
	Codes    []string      // further codes that count
}

// breaker is limit.breaker.
type breaker struct {
	BreakerLimits
	circuits recent[circuit] // by tool
}

func newBreaker(l BreakerLimits) *breaker {
	l.Within = cmp.Or(l.Within, time.Minute)
	l.Pause = cmp.Or(l.Pause, 30*time.Second)
	return &breaker{BreakerLimits: l}
}

func (b *breaker) middleware() toolfall.Middleware {
	return toolfall.Middleware{Name: Name + ".breaker", Stage: toolfall.Contain, Wrap: b.wrap}
}

func (b *breaker) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if _, ok := c.Tool(); !ok {
		return next(ctx, c)
	}
	k := b.circuits.get(c.Name)
	probe, wait := k.enter()
	switch {
	case wait > 0:
		return refuse(CircuitOpen, "%s failed %d times in a row and is left alone; it will be tried again in %v; do it another way until then", c.Name, b.Failures, wait.Round(time.Second))
	case wait < 0:
		return refuse(CircuitOpen, "%s failed %d times in a row, and another call is trying it right now; do it another way, or call again when that has ended", c.Name, b.Failures)
	}
	says := silent // stands if something below panics
	defer func() {
		if k.leave(b.BreakerLimits, says, probe) {
			toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedNote, By: Name + ".breaker", Text: fmt.Sprintf("%s is left alone for %v", c.Name, b.Pause)})
		}
	}()
	r := next(ctx, c)
	says = b.judge(ctx, r)
	return r
}

// verdict is what a call says about its tool.
type verdict int

const (
	silent verdict = iota // nothing: it did not get as far, or was cancelled
	works
	broken
)

func (b *breaker) judge(ctx context.Context, r toolfall.Result) verdict {
	code := toolfall.Code(r)
	var d *DeadlineError
	switch {
	case ctx.Err() != nil, errors.As(r.Err, &d) && d.By == Caller:
		return silent
	case slices.Contains(final[:], code), code == toolfall.SandboxUnavailable:
		return silent
	case code == toolfall.Panicked, code == toolfall.Timeout, code == toolfall.OutputInvalid, slices.Contains(b.Codes, code), temporary(r.Err):
		return broken
	}
	return works
}

// circuit is what is known of one tool.
type circuit struct {
	mu       sync.Mutex
	failures []time.Time // in a row, the oldest first
	until    time.Time   // when it may be tried again; zero while it is closed
	probing  bool        // one call tries it
}

// enter lets a call through, or says how long to wait; less than 0 for another call's end.
func (k *circuit) enter() (probe bool, wait time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.until.IsZero():
		return false, 0
	case k.probing:
		return false, -1
	}
	if wait = time.Until(k.until); wait > 0 {
		return false, wait
	}
	k.probing = true
	return true, 0
}

// leave takes in what a call said. While the circuit is open only the probe counts: the
// others began before. It reports whether the tool is left alone from now on.
func (k *circuit) leave(l BreakerLimits, says verdict, probe bool) (opened bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if probe {
		k.probing = false
	}
	switch open := !k.until.IsZero(); {
	case open && !probe, says == silent:
	case says == works:
		k.failures, k.until = nil, time.Time{}
	case open:
		k.until = time.Now().Add(l.Pause)
		return true
	default:
		return k.fail(l)
	}
	return false
}

// fail counts a failure and opens the circuit when it was the last one that is borne.
func (k *circuit) fail(l BreakerLimits) (opened bool) {
	now := time.Now()
	k.failures = slices.DeleteFunc(k.failures, func(t time.Time) bool { return now.Sub(t) > l.Within })
	if k.failures = append(k.failures, now); len(k.failures) < l.Failures {
		return false
	}
	k.failures, k.until = nil, now.Add(l.Pause)
	return true
}
