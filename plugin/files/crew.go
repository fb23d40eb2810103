package files

import (
	"context"
	"sync"
	"sync/atomic"
)

// crew is goroutines that work for one function, which waits for them all.
type crew struct {
	cancel context.CancelFunc
	group  sync.WaitGroup
	fault  atomic.Pointer[any] // what the first of them panicked with
}

// newCrew returns a crew, and the context that its goroutines are to work under.
func newCrew(ctx context.Context) (*crew, context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	return &crew{cancel: cancel}, ctx
}

// do runs f in a goroutine. A panic in it ends the work of all.
func (c *crew) do(f func()) {
	c.group.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				c.fault.CompareAndSwap(nil, &v)
				c.cancel()
			}
		}()
		f()
	})
}

// dismiss ends the context and waits for everyone. It panics with what one of
// them panicked with: the caller's goroutine is guarded, theirs are not.
func (c *crew) dismiss() {
	c.cancel()
	c.group.Wait()
	if v := c.fault.Load(); v != nil {
		panic(*v)
	}
}
