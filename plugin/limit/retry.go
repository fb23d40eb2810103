package limit

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// Retry tries calls again that changed nothing, or change nothing more the second time,
// and failed for the moment.
type Retry struct {
	Attempts int           // in all; 0 and 1 are no retry
	Wait     time.Duration // before the second attempt, at the most; it doubles; 500 ms when zero
	MaxWait  time.Duration // 30 s when zero
}

// Each call gives a part of a retry, and one retry takes a whole, so that in an outage
// retries stay a fraction of the calls.
const (
	retryShare = 0.2
	maxRetries = 10 // that may be saved up
)

// retrier tries again.
type retrier struct {
	Retry
	mu    sync.Mutex
	saved float64
}

func newRetrier(r Retry) *retrier {
	r.Wait, r.MaxWait = cmp.Or(r.Wait, 500*time.Millisecond), cmp.Or(r.MaxWait, 30*time.Second)
	return &retrier{Retry: r, saved: maxRetries}
}

func (t *retrier) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	r := next(ctx, c)
	t.save()
	for attempt := 2; attempt <= t.Attempts && again(&c, r) && t.spend(); attempt++ {
		if !t.pause(ctx, attempt, r.Err) {
			return r
		}
		toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedAttempt, By: Name, Text: c.Name, Why: r.Err.Error(), Done: float64(attempt), Total: float64(t.Attempts)})
		r = next(ctx, c)
	}
	return r
}

// again reports whether a call may be tried again: it must say of itself that it does no
// harm, and have failed in a way that may be gone.
func again(c *toolfall.Call, r toolfall.Result) bool {
	s, known := c.Tool()
	if !known || s.Hints.ReadOnly != toolfall.Yes && s.Hints.Idempotent != toolfall.Yes {
		return false
	}
	var deadline *Deadline
	return errors.As(r.Err, &deadline) || transient(r.Err)
}

func (t *retrier) save() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.saved = min(maxRetries, t.saved+retryShare)
}

func (t *retrier) spend() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.saved < 1 {
		return false
	}
	t.saved--
	return true
}

// pause waits before an attempt: for a time up to one that doubles, so that those who
// failed together do not come back together; or for as long as the failure asks.
func (t *retrier) pause(ctx context.Context, attempt int, err error) bool {
	most := min(t.MaxWait, t.Wait<<min(attempt-2, 20))
	wait := time.Duration(rand.Int64N(int64(most) + 1))
	var after interface{ RetryAfter() time.Duration }
	if errors.As(err, &after) {
		wait = min(max(wait, after.RetryAfter()), t.MaxWait)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
