package schedule

import (
	"context"
	"slices"
	"sync"

	"github.com/toolfall/toolfall"
)

// A Batch is calls in an order. Calls may be added while earlier ones run. There is no
// bound on how many wait: whoever adds what others send keeps one.
//
// Its goroutines take one call after another, since a goroutine that is new must grow its
// stack. At most one is at a call whose tool has not started, so those that find nothing
// to do rest as long as calls are left that will want one.
type Batch struct {
	scheduler *Scheduler

	mu      sync.Mutex
	queue   []*Pending // not begun
	head    *Pending   // begun, and its tool has not started; nil when there is none
	running ring       // their tools run
	held    []*Pending // wait for others to end: the head, and calls that are tried again
	resting []worker
}

// worker is where a goroutine that rests gets its next call. It has room for that one.
type worker chan *Pending

// Batch returns an empty batch.
func (s *Scheduler) Batch() *Batch { return &Batch{scheduler: s} }

// Add puts a call, which ends with ctx, behind those that were added before, and returns
// at once. The caller must take its Result, as the call may run until then.
func (b *Batch) Add(ctx context.Context, c toolfall.Call) *Pending {
	p := &Pending{batch: b, call: c, result: unanswered}
	p.turn = turn{ctx, p}
	p.done.Add(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, p)
	b.hand(b.advance())
	return p
}

// advance makes the next call the head, and returns it, if none is on its way to its
// tool. b.mu is held.
func (b *Batch) advance() *Pending {
	if b.head != nil || len(b.queue) == 0 {
		return nil
	}
	b.head, b.queue[0] = b.queue[0], nil
	b.queue = b.queue[1:]
	return b.head
}

// pass returns the call behind p, if that was the head. b.mu is held.
func (b *Batch) pass(p *Pending) *Pending {
	if b.head == p {
		b.head = nil
	}
	return b.advance()
}

// hand gives the call to a worker. b.mu is held.
func (b *Batch) hand(p *Pending) {
	if p == nil {
		return
	}
	if last := len(b.resting) - 1; last >= 0 {
		b.resting[last] <- p
		b.resting = b.resting[:last]
	} else {
		go b.work(p) // until there is nothing left to wait for
	}
	b.settle()
}

// settle ends the workers that rest when nobody will want them. b.mu is held.
func (b *Batch) settle() {
	if len(b.queue) > 0 {
		return
	}
	for _, w := range b.resting {
		close(w)
	}
	b.resting = nil
}

// work runs p, and further calls.
func (b *Batch) work(p *Pending) {
	defer func() {
		if p != nil { // a layer called runtime.Goexit
			b.mu.Lock()
			b.hand(p.finish())
			b.mu.Unlock()
		}
	}()
	w := make(worker, 1)
	for p != nil {
		p.run()
		p = b.next(w, p)
	}
}

// next waits for the call that the worker takes after p: nil when there is none.
func (b *Batch) next(w worker, p *Pending) *Pending {
	b.mu.Lock()
	if next := p.finish(); next != nil || len(b.queue) == 0 {
		b.settle()
		b.mu.Unlock()
		return next
	}
	b.resting = append(b.resting, w)
	b.mu.Unlock()
	return <-w
}

// clear reports whether p may run now. b.mu is held.
func (b *Batch) clear(p *Pending) bool {
	return b.running.size < b.scheduler.width && !b.running.conflicts(p)
}

// hold puts a call among those that wait, perhaps in several goroutines. b.mu is held.
func (b *Batch) hold(p *Pending) {
	if p.wake == nil {
		p.wake = make(chan struct{})
		b.held = append(b.held, p)
	}
}

// forget takes it out again, and has whoever waits look again. b.mu is held.
func (b *Batch) forget(p *Pending) {
	if p.wake != nil {
		b.held = slices.DeleteFunc(b.held, func(o *Pending) bool { return o == p })
		close(p.wake)
		p.wake = nil
	}
}

// wakeHeld has those look again who wait for others to end. b.mu is held.
func (b *Batch) wakeHeld() {
	for _, p := range b.held {
		close(p.wake)
		p.wake = nil
	}
	b.held = b.held[:0]
}
