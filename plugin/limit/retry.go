package limit

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// RetryLimits say how often a call is tried again. Only calls of a tool whose hints say
// that it reads only, or that a second equal call changes nothing more, are; and only when
// what failed may pass: a TIMEOUT, or an error that says of itself that it is temporary.
type RetryLimits struct {
	Attempts int           // the most that are made, the first one included; none but that when less than 2
	First    time.Duration // the longest pause before the second one, which doubles each time; 200 ms when zero
	Longest  time.Duration // the longest pause at all; 10 s when zero
	Ratio    float64       // further attempts for each call of a tool, beyond the first 10, so that an outage does not multiply the load; 0.2 when zero
	Codes    []string      // further codes of failures that may pass
}

// final are the codes of results that another attempt cannot change, or must not.
var final = [...]string{
	toolfall.InvalidArgs, toolfall.InvalidJSON, toolfall.UnknownTool, toolfall.Denied, toolfall.PlanMode, toolfall.HookBlocked,
	toolfall.AbortedBeforeDispatch, toolfall.Aborted, toolfall.MiddlewareError, Loop, Budget, CircuitOpen, Busy,
}

// reserve is how many further attempts a tool has at once.
const reserve = 10

// retry is limit.retry. It stands outside hooks and gates, which see every attempt.
type retry struct {
	RetryLimits
	purses recent[purse] // by tool
}

func newRetry(l RetryLimits) *retry {
	l.First = cmp.Or(l.First, 200*time.Millisecond)
	l.Longest = cmp.Or(l.Longest, 10*time.Second)
	l.Ratio = cmp.Or(l.Ratio, 0.2)
	return &retry{RetryLimits: l}
}

func (t *retry) middleware() toolfall.Middleware {
	return toolfall.Middleware{Name: Name + ".retry", Stage: toolfall.Rewrite, Before: true, Wrap: t.wrap}
}

func (t *retry) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	tool, ok := c.Tool()
	if !ok || tool.Hints.Idempotent != toolfall.Yes && tool.Hints.ReadOnly != toolfall.Yes {
		return next(ctx, c)
	}
	p := t.purses.get(c.Name)
	p.earn(t.Ratio)
	for attempt := 1; ; attempt++ {
		r := next(ctx, c)
		switch {
		case !t.mayPass(ctx, c, r):
			return r
		case attempt == t.Attempts, !p.spend(), !t.pause(ctx, attempt):
			if attempt > 1 {
				r = noted(r, "it was tried %d times", attempt)
			}
			return r
		}
		toolfall.Tell(ctx, toolfall.Report{
			Kind: toolfall.ReportedAttempt, By: Name + ".retry", Text: c.Name, Why: why(r),
			Done: float64(attempt + 1), Total: float64(t.Attempts),
		})
	}
}

// mayPass reports whether another attempt may end better. A hook may have made another
// call of it: the hints were not that one's.
func (t *retry) mayPass(ctx context.Context, c toolfall.Call, r toolfall.Result) bool {
	if !r.IsError && r.Err == nil || ctx.Err() != nil || r.Record != nil && r.Record.Name != c.Name {
		return false
	}
	code := toolfall.Code(r)
	if slices.Contains(final[:], code) {
		return false
	}
	return code == toolfall.Timeout || slices.Contains(t.Codes, code) || temporary(r.Err)
}

// why is the beginning of what a result says.
func why(r toolfall.Result) string {
	const most = 300
	text := r.Text()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// temporary reports whether an error says of itself that it may pass.
func temporary(err error) bool {
	var t interface{ Temporary() bool }
	var r interface{ Retryable() bool }
	return errors.As(err, &t) && t.Temporary() || errors.As(err, &r) && r.Retryable()
}

// pause waits before another attempt: any time up to a bound that doubles, so that those
// who failed together do not come back together. It reports whether ctx let it.
func (t *retry) pause(ctx context.Context, attempt int) bool {
	bound := t.First << min(attempt-1, 20)
	if bound <= 0 || bound > t.Longest {
		bound = t.Longest
	}
	timer := time.NewTimer(rand.N(bound) + 1)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// purse holds the further attempts that a tool has. It starts full.
type purse struct {
	mu    sync.Mutex
	spent float64
}

func (p *purse) earn(ratio float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent = max(p.spent-ratio, 0)
}

// spend takes one, where there is one.
func (p *purse) spend() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spent+1 > reserve {
		return false
	}
	p.spent++
	return true
}
