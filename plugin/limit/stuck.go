package limit

import (
	"slices"
	"sync"
	"time"
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

	Since time.Time // when its context was seen to have ended
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
