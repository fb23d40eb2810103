package limit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// A Watch knows the calls whose tool goes on although its context ended. Nobody can end
// such a tool from outside, and a call that goes on is never called finished: it is
// awaited, and seen here. The zero value is ready.
type Watch struct {
	mu    sync.Mutex
	stuck []*body // the one that was seen first at the front
	total int
}

// A Stuck is a call whose tool goes on although its context ended.
type Stuck struct {
	Tool, CallID, Agent string

	Since time.Time // when its context ended
	Cause error     // why
}

// Stuck returns the calls that are stuck now, the first one first.
func (w *Watch) Stuck() []Stuck {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]Stuck, len(w.stuck))
	for i, b := range w.stuck {
		out[i] = b.Stuck
	}
	return out
}

// Total returns how many calls have been stuck, those that returned in the end included.
func (w *Watch) Total() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.total
}

func (w *Watch) add(b *body) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stuck = append(w.stuck, b)
	w.total++
}

func (w *Watch) remove(b *body) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stuck = slices.DeleteFunc(w.stuck, func(o *body) bool { return o == b })
}

// guard sees to it that bodies which do not end are seen.
type guard struct {
	watch *Watch
	grace time.Duration
}

// run lets a call go on. Until its context ends that takes no goroutine and no timer, and
// where it cannot end nothing at all.
func (g *guard) run(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if ctx.Done() == nil {
		return next(ctx, c)
	}
	b := &body{guard: g, ctx: ctx, Stuck: Stuck{Tool: c.Name, CallID: c.ID, Agent: c.Agent}}
	stop := context.AfterFunc(ctx, b.late)
	defer b.end(stop)
	return next(ctx, c)
}

// body is a tool that runs.
type body struct {
	guard *guard
	ctx   context.Context // of the call: a body lives no longer
	Stuck

	mu      sync.Mutex // guards the fields below
	timer   *time.Timer
	ended   bool
	stuck   bool
	telling sync.WaitGroup
}

// late is called when the context has ended.
func (b *body) late() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		b.Since, b.Cause = time.Now(), context.Cause(b.ctx)
		b.timer = time.AfterFunc(b.guard.grace, b.overdue)
	}
}

// overdue is called when the grace is over too.
func (b *body) overdue() {
	b.mu.Lock()
	if b.ended {
		b.mu.Unlock()
		return
	}
	b.stuck = true
	b.telling.Add(1)
	b.guard.watch.add(b)
	b.mu.Unlock()
	defer b.telling.Done()
	toolfall.Tell(b.ctx, toolfall.Report{
		Kind: toolfall.ReportedStuck, By: b.Tool,
		Text: fmt.Sprintf("still running %v after it was told to end", b.guard.grace), Why: b.Cause.Error(),
	})
}

// end is called when the tool has returned. It waits for whoever is being told.
func (b *body) end(stop func() bool) {
	stop()
	b.mu.Lock()
	b.ended = true
	if b.timer != nil {
		b.timer.Stop()
	}
	if b.stuck {
		b.guard.watch.remove(b)
	}
	b.mu.Unlock()
	b.telling.Wait()
}
