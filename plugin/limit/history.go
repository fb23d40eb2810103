package limit

import (
	"slices"
	"sync"
	"time"
)

// longest is how many calls in turn are seen as a repetition: A-B-C-D-A-B-C-D.
const longest = 4

// maxRepeats bounds how far back there is to look.
const maxRepeats = 50

// turn is a call and what came of it.
type turn struct {
	call, result uint64
	known        bool // the result: a call beside others is taken to give what it gave before
}

// like reports whether two turns are the same, as far as is known.
func (t *turn) like(o *turn) bool {
	return t.call == o.call && (!t.known || !o.known || t.result == o.result)
}

// repetition is what a call that begins would be.
type repetition struct {
	n, turns int   // the how manieth time in a row, the present one included, and in how many turns
	before   *turn // the same call, the last time; nil when there is none
}

// history is what an agent did last.
type history struct {
	mu   sync.Mutex
	past []*turn // the oldest first
	last time.Time
}

// begin keeps a call, with at most size before it, and returns what it repeats. Calls
// further back than a pause do not count. One that is to be refused is not kept.
func (h *history) begin(call uint64, refuse, size int, pause time.Duration) (*turn, repetition) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.last) > pause {
		h.past = h.past[:0]
	}
	now := &turn{call: call}
	rep := repeats(h.past, now)
	if refuse > 0 && rep.n >= refuse {
		return nil, rep
	}
	if len(h.past) >= size {
		h.past = h.past[:copy(h.past, h.past[1:])]
	}
	h.past, h.last = append(h.past, now), time.Now()
	return now, rep
}

// end keeps what came of a call, and reports whether that is what came of it before.
func (h *history) end(t *turn, result uint64, rep repetition) (same bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.result, t.known, h.last = result, true, time.Now()
	return rep.before != nil && t.like(rep.before)
}

// drop takes out a call of which nothing came.
func (h *history) drop(t *turn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.past = slices.DeleteFunc(h.past, func(o *turn) bool { return o == t })
}

// repeats returns how often what comes now has come in the same turns without a break.
func repeats(past []*turn, now *turn) repetition {
	rep := repetition{n: 1, turns: 1}
	for period := 1; period <= longest && period <= len(past); period++ {
		before := past[len(past)-period]
		if !now.like(before) {
			continue
		}
		run := period + 1 // calls from the first of the turns to the present one
		for i := len(past) - 1; i >= period && past[i].like(past[i-period]); i-- {
			run++
		}
		if times := (run + period - 1) / period; times > rep.n {
			rep = repetition{times, period, before}
		}
	}
	return rep
}
