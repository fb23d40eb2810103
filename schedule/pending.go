package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/toolfall/toolfall"
)

// A Pending is a call in a batch, and where its Result will be.
type Pending struct {
	batch  *Batch
	ctx    context.Context
	call   toolfall.Call
	result toolfall.Result
	done   chan struct{} // closed when result is set
	wake   chan struct{} // something ended, look again
	waited toolfall.Call // what was waited for; its own goroutine's

	// The lock of the batch guards what follows.
	started bool // its tool runs
	claims  []toolfall.Claim
	writes  bool
	ring    link
}

// unanswered stands until a call has its Result. It is kept only if a layer calls
// runtime.Goexit, which ends the goroutine without a word.
var unanswered = toolfall.Fail(toolfall.NewError(toolfall.MiddlewareError, errors.New("a middleware ended the goroutine of the call")))

// Result waits for the Result.
func (p *Pending) Result() toolfall.Result {
	<-p.done
	return p.result
}

// Done is closed when the Result is there.
func (p *Pending) Done() <-chan struct{} { return p.done }

type key struct{}

// from returns the pending call that c is, or nil: a call that a tool makes sees the
// context of the call that it is part of.
func from(ctx context.Context, c toolfall.Call) *Pending {
	p, _ := ctx.Value(key{}).(*Pending)
	if p == nil || p.call.ID != c.ID {
		return nil
	}
	p.batch.mu.Lock()
	defer p.batch.mu.Unlock()
	if p.started {
		return nil
	}
	return p
}

func (p *Pending) run() {
	p.result = p.batch.scheduler.registry.Execute(context.WithValue(p.ctx, key{}, p), p.call)
}

// finish gives the Result to whoever waits for it, and returns the call that is to begin
// then. The lock is held.
func (p *Pending) finish() *Pending {
	p.result.CallID = p.call.ID
	close(p.done)
	return p.batch.pass(p) // it may have been refused before its tool started
}

// await waits until nothing that runs conflicts with what c claims.
func (p *Pending) await(ctx context.Context, c toolfall.Call) error {
	p.waited = c
	return p.wait(ctx, c, func() {})
}

// changed reports whether c is not the call that was waited for.
func (p *Pending) changed(c toolfall.Call) bool {
	return p.waited.Name != c.Name || !bytes.Equal(p.waited.Arguments, c.Arguments)
}

// start is await, and takes the call into those that run.
func (p *Pending) start(ctx context.Context, c toolfall.Call) error {
	return p.wait(ctx, c, func() {
		p.started = true
		p.batch.running.add(p)
		p.batch.hand(p.batch.pass(p))
	})
}

// wait takes the claims of c, again after each time that something ended, until it may
// run, and does then what is to be done under the same lock.
func (p *Pending) wait(ctx context.Context, c toolfall.Call, then func()) error {
	told := false
	for {
		claims := c.Claims() // somebody else's function: no lock is held
		if p.admit(claims, then) {
			return nil
		}
		if !told {
			toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedNote, By: Name, Text: "waits for others to end"})
			told = true
		}
		select {
		case <-p.wake:
		case <-ctx.Done():
			p.leave()
			return toolfall.NewError(toolfall.AbortedBeforeDispatch, fmt.Errorf("aborted while it waited for other calls: %w", context.Cause(ctx)))
		}
	}
}

// admit does what is to be done if a call with these claims may run. If not, the call
// will be woken.
func (p *Pending) admit(claims []toolfall.Claim, then func()) bool {
	b := p.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	p.claims = claims
	p.writes = slices.ContainsFunc(claims, func(c toolfall.Claim) bool { return c.Write })
	if !b.clear(p) {
		if !slices.Contains(b.held, p) {
			b.held = append(b.held, p)
		}
		return false
	}
	p.forget()
	then()
	return true
}

// leave takes the call out of those that wait.
func (p *Pending) leave() {
	p.batch.mu.Lock()
	defer p.batch.mu.Unlock()
	p.forget()
}

// forget is leave under the lock.
func (p *Pending) forget() {
	if i := slices.Index(p.batch.held, p); i >= 0 {
		p.batch.held = slices.Delete(p.batch.held, i, i+1)
	}
}

// stop takes the call out of those that run, which may let others start.
func (p *Pending) stop() {
	b := p.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	p.started = false
	b.running.remove(p)
	b.wakeHeld()
}
