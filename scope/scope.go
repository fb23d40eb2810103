// Package scope gives every registration, goroutine and connection an owner.
//
// A Scope keeps the lifetime rules of a testing.T: its context is cancelled
// first, then its cleanups run, the newest first. Child scopes and goroutines
// stand on the same stack, so whatever was built last is taken down first, and
// Close returns only when nothing of the scope is left.
package scope

import (
	"context"
	"errors"
	"sync"
)

// A Scope is a named lifetime. Create one with [New] or [Scope.Child]. All its
// methods may be called from many goroutines at once.
type Scope struct {
	name   string
	ctx    context.Context // the one context of the house that is stored
	cancel context.CancelFunc
	done   chan struct{} // closed by the Close that was first, when it has finished

	mu      sync.Mutex // guards the fields below
	stack   stack      // what is still to undo
	closing bool
	faults  []error // what panicked on the way, told by Close
}

// New returns a scope that lives until Close is called. When ctx ends, so does
// the scope's context, but the scope stays open: what it owns is undone by
// Close alone.
func New(ctx context.Context, name string) *Scope {
	s := &Scope{name: name, done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// Name returns the name given to New or Child.
func (s *Scope) Name() string { return s.name }

// Context returns a context that ends when the scope begins to close.
func (s *Scope) Context() context.Context { return s.ctx }

// Child returns a scope that closes no later than s. A child of a closed scope
// is closed already.
func (s *Scope) Child(name string) *Scope {
	c := New(s.ctx, name)
	e := s.push(&entry{undo: func() { s.note(c.Close()) }, child: c})
	c.Cleanup(func() { s.drop(e) })
	return c
}

// Children returns the open child scopes, the oldest first.
func (s *Scope) Children() []*Scope {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stack.children()
}

// Cleanup arranges for f to run when the scope closes, the newest first. If the
// scope is closing already, f runs at once in the caller, so that nothing
// outlives its owner.
func (s *Scope) Cleanup(f func()) { s.push(&entry{undo: f}) }

// Own is Cleanup for something that may be gone before its scope: drop, which
// may be called more than once, takes f off the stack again, without running it.
func (s *Scope) Own(f func()) (drop func()) {
	e := s.push(&entry{undo: f})
	return func() { s.drop(e) }
}

// Go runs f in a goroutine that Close waits for. The context is that of the
// scope, and f must return when it ends. A panic in f is contained and told by
// Close. In a scope that is closing, f runs with a context that has ended, and
// Go itself waits for it.
func (s *Scope) Go(f func(ctx context.Context)) {
	ended := make(chan struct{})
	e := &entry{undo: func() { <-ended }}
	go func() {
		defer s.drop(e) // a scope that lives long must not gather what has ended
		defer close(ended)
		s.contain(func() { f(s.ctx) })
	}()
	s.push(e)
	select {
	case <-ended: // it may have ended before it was pushed
		s.drop(e)
	default:
	}
}

// Close ends the scope's context and undoes everything the scope owns. It may
// be called more than once, and every caller waits until all is undone and gets
// the same answer: nil, or a [*PanicError] for each cleanup, child and goroutine
// that panicked, joined; the others ran all the same. A goroutine of the scope
// itself must not call it, since Close waits for that goroutine.
func (s *Scope) Close() error {
	if s.begin() {
		s.cancel()
		s.unwind()
	}
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.faults...)
}

// unwind undoes everything and then says so. A cleanup that calls
// runtime.Goexit takes its goroutine away in mid loop; what is left is then done
// on the way out.
func (s *Scope) unwind() {
	finished := false
	defer func() {
		if !finished {
			s.unwind()
		}
	}()
	for e := s.pop(); e != nil; e = s.pop() {
		s.contain(e.undo)
	}
	finished = true
	close(s.done)
}

// begin marks the scope as closing and reports whether this call did so.
func (s *Scope) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.closing
	s.closing = true
	return first
}

// push puts e on the stack, or undoes it at once when it comes too late. It
// must not hold the lock then: undo is someone else's function.
func (s *Scope) push(e *entry) *entry {
	s.mu.Lock()
	late := s.closing
	if !late {
		s.stack.push(e)
	}
	s.mu.Unlock()
	if late {
		s.contain(e.undo)
	}
	return e
}

func (s *Scope) pop() *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stack.pop()
}

func (s *Scope) drop(e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stack.drop(e)
}
