package limit

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// errFull is what enter returns when no more may wait.
var errFull = errors.New("too many wait")

// line has some places, which it gives to those who wait in the order in which they came.
// A place is free only while nobody waits.
type line struct {
	mu      sync.Mutex
	free    int
	most    int       // that may wait
	waiting list.List // of chan struct{}, closed with the place that it hands over
}

func newLine(places, most int) *line { return &line{free: places, most: most} }

// enter waits for a place. It returns errFull at once when too many wait already, and the
// cause of ctx when that ends before its turn.
func (l *line) enter(ctx context.Context) error {
	l.mu.Lock()
	switch {
	case l.free > 0:
		l.free--
		l.mu.Unlock()
		return nil
	case l.waiting.Len() >= l.most:
		l.mu.Unlock()
		return errFull
	}
	turn := make(chan struct{})
	e := l.waiting.PushBack(turn)
	l.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		l.forgo(e, turn)
		return context.Cause(ctx)
	}
}

// forgo leaves the queue, or passes on the place that was handed over meanwhile.
func (l *line) forgo(e *list.Element, turn chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-turn:
		l.pass()
	default:
		l.waiting.Remove(e)
	}
}

// leave gives a place back.
func (l *line) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pass()
}

// pass hands a place over. l.mu is held.
func (l *line) pass() {
	if first := l.waiting.Front(); first != nil {
		close(l.waiting.Remove(first).(chan struct{}))
		return
	}
	l.free++
}
