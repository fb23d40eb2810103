package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/toolfall/toolfall"
)

// A Pending is a call in a batch, and where its Result will be.
type Pending struct {
	turn   turn
	batch  *Batch
	call   toolfall.Call
	result toolfall.Result
	done   sync.WaitGroup // until result is set
	waited toolfall.Call  // what was waited for; the goroutine's that is at the call

	// The lock of the batch guards what follows.
	runs   int           // how often its tool runs: a layer may call next twice at once
	wake   chan struct{} // something ended, look again; nil when it does not wait
	claims []toolfall.Claim
	writes bool
	ring   link
}

// turn is the context of a pending call: the caller's, in which the call is found again.
type turn struct {
	context.Context
	pending *Pending
}

type key struct{}

func (t *turn) Value(k any) any {
	if k == (key{}) {
		return t.pending
	}
	return t.Context.Value(k)
}

// unanswered stands until a call has its Result. It is kept only if a layer calls
// runtime.Goexit, which ends the goroutine without a word.
var unanswered = toolfall.Fail(toolfall.NewError(toolfall.MiddlewareError, errors.New("a middleware ended the goroutine of the call")))

// Result waits for the Result.
func (p *Pending) Result() toolfall.Result {
	p.done.Wait()
	return p.result
}

// from returns the pending call that c is, or nil: a call that a tool makes sees the
// context of the call that it is part of.
func from(ctx context.Context, c *toolfall.Call) *Pending {
	p, _ := ctx.Value(key{}).(*Pending)
	if p == nil || p.call.ID != c.ID {
		return nil
	}
	p.batch.mu.Lock()
	defer p.batch.mu.Unlock()
	if p.runs > 0 {
		return nil
	}
	return p
}

func (p *Pending) run() {
	p.result = p.batch.scheduler.registry.Execute(&p.turn, p.call)
}

// finish gives the Result to whoever waits for it, and returns the call that is to begin
// then. The lock is held.
func (p *Pending) finish() *Pending {
	p.result.CallID = p.call.ID
	p.done.Done()
	return p.batch.pass(p) // it may have been refused before its tool started
}

// changed reports whether c is not the call that was waited for.
func (p *Pending) changed(c *toolfall.Call) bool {
	return p.waited.Name != c.Name || !bytes.Equal(p.waited.Arguments, c.Arguments)
}

// await waits until nothing that runs conflicts with what c claims. If start is set, the
// call is then one of those that run.
func (p *Pending) await(ctx context.Context, c *toolfall.Call, start bool) error {
	for told := false; ; told = true {
		claims := c.Claims() // somebody else's function: no lock is held
		wake := p.admit(claims, start)
		if wake == nil {
			return nil
		}
		if !told {
			toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedNote, By: Name, Text: "waits for others to end"})
		}
		select {
		case <-wake:
		case <-ctx.Done():
			p.leave()
			return toolfall.NewError(toolfall.AbortedBeforeDispatch, fmt.Errorf("aborted while it waited for other calls: %w", context.Cause(ctx)))
		}
	}
}

// admit lets a call with these claims go on if it may. If not, it returns where the call
// will be woken.
func (p *Pending) admit(claims []toolfall.Claim, start bool) (wake <-chan struct{}) {
	b := p.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	if start && p.runs > 0 { // a second time at once: it has its place already
		p.runs++
		return nil
	}
	p.claims = claims
	p.writes = slices.ContainsFunc(claims, func(c toolfall.Claim) bool { return c.Write })
	if !b.clear(p) {
		b.hold(p)
		return p.wake
	}
	b.forget(p)
	if start {
		p.runs++
		b.running.add(p)
		b.hand(b.pass(p))
	}
	return nil
}

// leave takes the call out of those that wait.
func (p *Pending) leave() {
	p.batch.mu.Lock()
	defer p.batch.mu.Unlock()
	p.batch.forget(p)
}

// stop takes the call out of those that run, which may let others start.
func (p *Pending) stop() {
	b := p.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.runs--; p.runs > 0 {
		return
	}
	b.running.remove(p)
	b.wakeHeld()
}
