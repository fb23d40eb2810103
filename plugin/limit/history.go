package limit

import (
	"sync"
	"time"
)

// longest is how many calls in turn are seen as a repetition: A-B-C-D-A-B-C-D.
const longest = 4

// maxRepeats bounds how far back there is to look.
const maxRepeats = 50

// turn is a call that has ended and what came of it.
type turn struct{ call, result uint64 }

// history is what an agent did last.
type history struct {
	mu   sync.Mutex
	past []turn // the oldest first
	last time.Time
}

// next returns the how manieth time in a row a call would be made, and in how many turns.
// Calls further back than a pause do not count.
func (h *history) next(call uint64, pause time.Duration) (n, turns int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(pause)
	return repeats(h.past, func(t turn) bool { return t.call == call })
}

// forget drops what is further back than a pause. h.mu is held.
func (h *history) forget(pause time.Duration) {
	if time.Since(h.last) > pause {
		h.past = h.past[:0]
	}
}

// add keeps a call that has ended, with at most size before it, and returns what next does
// of both the call and its result.
func (h *history) add(call, result uint64, size int, pause time.Duration) (n, turns int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(pause)
	now := turn{call, result}
	n, turns = repeats(h.past, func(t turn) bool { return t == now })
	if len(h.past) >= size {
		h.past = h.past[:copy(h.past, h.past[1:])]
	}
	h.past, h.last = append(h.past, now), time.Now()
	return n, turns
}

// repeats returns how often what comes now has come in the same turns without a break, the
// present time included.
func repeats(past []turn, same func(turn) bool) (n, turns int) {
	n, turns = 1, 1
	for period := 1; period <= longest && period <= len(past); period++ {
		if !same(past[len(past)-period]) {
			continue
		}
		run := period + 1 // calls from the first of the turns to the present one
		for i := len(past) - 1; i >= period && past[i] == past[i-period]; i-- {
			run++
		}
		if times := (run + period - 1) / period; times > n {
			n, turns = times, period
		}
	}
	return n, turns
}
