package limit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// guard sees to it that bodies which do not end are seen. It looks at what runs a few times
// in each grace, which costs a call a place in a list; a timer and a hook for each call
// would be ten times that. While nothing runs there is no timer at all.
type guard struct {
	watch *Watch
	grace time.Duration

	mu    sync.Mutex // guards the fields below and those of each body
	first *body
	armed bool
}

// body is a tool that runs.
type body struct {
	Stuck
	ctx context.Context // of the call, in which it lives

	prev, next *body
	stuck      bool
	telling    sync.WaitGroup
}

// run lets a call go on. Where its context cannot end there is nothing to see.
func (g *guard) run(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if ctx.Done() == nil {
		return next(ctx, c)
	}
	b := &body{ctx: ctx, Stuck: Stuck{Tool: c.Name, CallID: c.ID, Agent: c.Agent}}
	g.begin(b)
	defer g.end(b)
	return next(ctx, c)
}

func (g *guard) begin(b *body) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if b.next = g.first; b.next != nil {
		b.next.prev = b
	}
	g.first = b
	if !g.armed {
		g.arm()
	}
}

// arm has sweep called soon. g.mu is held.
func (g *guard) arm() {
	g.armed = true
	time.AfterFunc(max(g.grace/5, time.Millisecond), g.sweep)
}

// end is called when a body has returned. It waits for whoever is being told of it.
func (g *guard) end(b *body) {
	g.mu.Lock()
	if b.prev != nil {
		b.prev.next = b.next
	} else {
		g.first = b.next
	}
	if b.next != nil {
		b.next.prev = b.prev
	}
	stuck := b.stuck
	g.mu.Unlock()
	if stuck {
		g.watch.remove(b)
		b.telling.Wait()
	}
}

// sweep looks at all that runs, and comes again while something does.
func (g *guard) sweep() {
	for _, b := range g.overdue(time.Now()) {
		toolfall.Tell(b.ctx, toolfall.Report{
			Kind: toolfall.ReportedStuck, By: b.Tool,
			Text: fmt.Sprintf("still running %v after it was told to end", g.grace), Why: b.Cause.Error(),
		})
		b.telling.Done()
	}
}

// overdue returns the bodies that have become stuck.
func (g *guard) overdue(now time.Time) (found []*body) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for b := g.first; b != nil; b = b.next {
		switch {
		case b.stuck || b.ctx.Err() == nil:
		case b.Since.IsZero():
			b.Since, b.Cause = now, context.Cause(b.ctx)
		case now.Sub(b.Since) >= g.grace:
			b.stuck = true
			b.telling.Add(1)
			g.watch.add(b)
			found = append(found, b)
		}
	}
	if g.armed = false; g.first != nil {
		g.arm()
	}
	return found
}
