package schedule

import (
	"context"
	"sync"

	"github.com/toolfall/toolfall"
)

// A Batch is calls in an order. Calls may be added while earlier ones run. There is no
// bound on how many wait: whoever adds what others send keeps one.
type Batch struct {
	scheduler *Scheduler
	ctx       context.Context // that of every call

	mu      sync.Mutex
	queue   []*Pending // not begun
	head    *Pending   // begun, and its tool has not started; nil when there is none
	running ring       // their tools run
	held    []*Pending // wait for others to end: the head, and calls that are tried again
}

// Batch returns an empty batch, whose calls end with ctx.
func (s *Scheduler) Batch(ctx context.Context) *Batch {
	return &Batch{scheduler: s, ctx: ctx}
}

// Add puts a call behind those that were added before, and returns at once. The caller
// must take its Result, as the call may run until then.
func (b *Batch) Add(c toolfall.Call) *Pending {
	p := &Pending{batch: b, call: c, result: unanswered, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, p)
	b.advance()
	return p
}

// advance begins the next call if none is on its way to its tool. b.mu is held.
func (b *Batch) advance() {
	if b.head != nil || len(b.queue) == 0 {
		return
	}
	b.head, b.queue[0] = b.queue[0], nil
	b.queue = b.queue[1:]
	go b.head.run() // until its result is there
}

// pass lets the call behind p begin. b.mu is held.
func (b *Batch) pass(p *Pending) {
	if b.head == p {
		b.head = nil
		b.advance()
	}
}

// clear reports whether p may run now. b.mu is held.
func (b *Batch) clear(p *Pending) bool {
	return b.running.size < b.scheduler.width && !b.running.conflicts(p)
}

// wakeHeld has those look again who wait for others to end. b.mu is held.
func (b *Batch) wakeHeld() {
	for _, p := range b.held {
		select {
		case p.wake <- struct{}{}:
		default: // it has been told
		}
	}
}
