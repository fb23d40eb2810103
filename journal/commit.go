package journal

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// group is what goes to the disk in one transaction.
type group struct {
	entries []entry
	bytes   int
	waiting int           // how many Appends wait for it
	hurried bool          // the Append of some of it has returned
	done    chan struct{} // closed by the leader when the group is written, or err says why not
	err     error
}

func newGroup() *group { return &group{done: make(chan struct{})} }

// How much waits at the most. What comes on top waits in its caller.
const (
	maxQueued      = 4096
	maxQueuedBytes = 8 << 20
)

// flushDelay is how long records wait whose Append has returned.
const flushDelay = 50 * time.Millisecond

// Append implements [Journal].
func (j *SQLite) Append(ctx context.Context, d Durability, records ...Record) error {
	if j.config.ReadOnly {
		return ErrReadOnly
	}
	entries, err := j.in.take(records, d == Durable)
	if err != nil {
		return err
	}
	g, wait, err := j.enqueue(entries, d)
	if err != nil || !wait {
		return err
	}
	if err := j.settle(ctx, g); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// enqueue adds entries to the next group. wait says that they have to be waited for.
func (j *SQLite) enqueue(entries []entry, d Durability) (g *group, wait bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, false, ErrClosed
	}
	if err = j.lost; err != nil {
		j.lost = nil
		return nil, false, fmt.Errorf("journal: earlier records were not written: %w", err)
	}
	g = j.next
	g.entries = append(g.entries, entries...)
	for _, e := range entries {
		g.bytes += len(e.Content) + len(e.Arguments)
	}
	if d == Durable || len(g.entries) > maxQueued || g.bytes > maxQueuedBytes {
		g.waiting++
		return g, true, nil
	}
	g.hurried = true
	j.wake()
	return g, false, nil
}

// wake tells the flusher that something waits.
func (j *SQLite) wake() {
	select {
	case j.kick <- struct{}{}:
	default: // it has been told
	}
}

// settle waits until g is written. If nobody is committing, the caller does, for all
// who wait: a single writer hands nothing over to another goroutine.
func (j *SQLite) settle(ctx context.Context, g *group) error {
	select {
	case <-g.done:
	case j.lead <- struct{}{}:
		select {
		case <-g.done: // by whoever led before
		default:
			j.commit() // g is next, as it has not been taken
		}
		<-j.lead
	case <-ctx.Done():
		j.wake() // nobody else may be waiting for it
		return context.Cause(ctx)
	}
	return g.err
}

// commit writes the next group. The caller leads.
func (j *SQLite) commit() {
	g := j.gather()
	defer close(g.done)
	if len(g.entries) == 0 {
		return
	}
	if g.err = j.w.write(g.entries); g.err != nil && g.hurried {
		j.mu.Lock()
		j.lost = g.err
		j.mu.Unlock()
	}
	switch {
	case g.err != nil:
	case j.w.pruneIsDue():
		j.w.prune(j.config) // what it could not take away, the next one will
	case len(j.w.pending) > showMost:
		j.w.show()
	default:
		j.wake()
	}
}

// gather takes the next group. Where several wrote last time, it first lets those run who
// were just told so and are about to join.
func (j *SQLite) gather() *group {
	for before := -1; ; runtime.Gosched() {
		j.mu.Lock()
		g := j.next
		if n := len(g.entries); j.crowded && n != before && n < maxQueued {
			before = n
			j.mu.Unlock()
			continue
		}
		j.next = newGroup()
		j.mu.Unlock()
		j.crowded = g.waiting > 1
		return g
	}
}

// flushSoon writes and lists what waits, a moment after it began to. It ends with Close.
func (j *SQLite) flushSoon() {
	timer := time.NewTimer(flushDelay)
	defer timer.Stop()
	for {
		select {
		case <-j.kick:
		case <-j.quit:
			return
		}
		timer.Reset(flushDelay)
		select {
		case <-timer.C:
		case <-j.quit:
			return
		}
		j.catchUp(context.Background()) // the next Append tells what fails
	}
}
