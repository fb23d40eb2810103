package limit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// Budget is what an agent may use in all. Zero is no limit.
type Budget struct {
	Calls int           // that were made
	Time  time.Duration // in calls
	Bytes int64         // of the results' text
}

// warnAt is the part of a budget from which on the model is told what is left.
const warnAt = 0.8

// budgets is what each agent has used.
type budgets struct {
	Budget
	agents *agents[usage]
}

// usage is what one agent has used.
type usage struct {
	mu    sync.Mutex
	calls int
	time  time.Duration
	bytes int64
}

func newBudgets(b Budget) *budgets {
	return &budgets{b, newAgents(func() *usage { return new(usage) })}
}

// check refuses calls before anybody is asked about them.
func (b *budgets) check(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if what := b.agents.get(c.Agent).spent(b.Budget); what != "" {
		return toolfall.Fail(toolfall.NewError(OverBudget, fmt.Errorf("refused: the budget is used up (%s). Say what has been done and what is left to do", what)))
	}
	return next(ctx, c)
}

// count takes what a call uses out of the budget.
func (b *budgets) count(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	u := b.agents.get(c.Agent)
	u.begin()
	began := time.Now()
	r := next(ctx, c)
	if left := u.end(b.Budget, time.Since(began), size(r)); left != "" {
		r.Content = append(slices.Clip(slices.Clone(r.Content)), toolfall.Text("[note: the budget is nearly used up ("+left+"); finish what matters]")...)
	}
	return r
}

func size(r toolfall.Result) (n int64) {
	for _, c := range r.Content {
		n += int64(len(c.Text))
	}
	return n
}

// spent tells which of the budgets is used up, if one is.
func (u *usage) spent(b Budget) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case b.Calls > 0 && u.calls >= b.Calls:
		return fmt.Sprintf("%d calls", b.Calls)
	case b.Time > 0 && u.time >= b.Time:
		return fmt.Sprintf("%s of calls", b.Time)
	case b.Bytes > 0 && u.bytes >= b.Bytes:
		return fmt.Sprintf("%d bytes of results", b.Bytes)
	}
	return ""
}

// begin counts a call. It does so before its tool runs: others are decided on meanwhile.
func (u *usage) begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.calls++
}

// end counts what a call used, and tells what is nearly used up.
func (u *usage) end(b Budget, took time.Duration, bytes int64) (left string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.time += took
	u.bytes += bytes
	switch {
	case b.Calls > 0 && float64(u.calls) >= warnAt*float64(b.Calls):
		return fmt.Sprintf("%d of %d calls", u.calls, b.Calls)
	case b.Time > 0 && float64(u.time) >= warnAt*float64(b.Time):
		return fmt.Sprintf("%s of %s", u.time.Round(time.Second), b.Time)
	case b.Bytes > 0 && float64(u.bytes) >= warnAt*float64(b.Bytes):
		return fmt.Sprintf("%d of %d bytes of results", u.bytes, b.Bytes)
	}
	return ""
}
