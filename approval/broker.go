package approval

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Config sets up a Broker.
type Config struct {
	Expiry time.Duration // how long a question waits; 5 minutes when zero
	Most   int           // how many may wait at once; 100 when zero
}

// A Broker holds the open questions, in the order in which they came.
type Broker struct {
	config Config

	mu      sync.Mutex
	open    []*question
	settled []string // the last ones, so that a late answer learns that it is late
	serving int
	changed chan struct{} // closed at the next change
}

// question is a request that waits.
type question struct {
	Request
	answer chan Answer // has room for the one answer
}

// maxSettled is how many settled questions are remembered.
const maxSettled = 256

// New returns a broker without questions.
func New(c Config) *Broker {
	if c.Expiry <= 0 {
		c.Expiry = 5 * time.Minute
	}
	if c.Most <= 0 {
		c.Most = 100
	}
	return &Broker{config: c, changed: make(chan struct{})}
}

// Ask waits for the answer to a request. It also ends when ctx does, when the
// question expires, and at once when nobody serves or too many wait already. The
// answer holds for the arguments in r alone.
func (b *Broker) Ask(ctx context.Context, r Request) Answer {
	q, ok := b.enqueue(r)
	if !ok {
		return Answer{Outcome: Unavailable}
	}
	timer := time.NewTimer(b.config.Expiry)
	defer timer.Stop()
	select {
	case a := <-q.answer:
		return a
	case <-ctx.Done():
		return b.withdraw(q, Cancelled)
	case <-timer.C:
		return b.withdraw(q, Expired)
	}
}

func (b *Broker) enqueue(r Request) (*question, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.serving == 0 || len(b.open) >= b.config.Most {
		return nil, false
	}
	r.ID, r.Asked = newID(), time.Now()
	r.Expires = r.Asked.Add(b.config.Expiry)
	r.Arguments, r.Grants, r.Bound = slices.Clone(r.Arguments), slices.Clone(r.Grants), slices.Clone(r.Bound)
	r.Hash = r.hash()
	q := &question{Request: r, answer: make(chan Answer, 1)}
	b.open = append(b.open, q)
	b.change()
	return q, true
}

// withdraw takes a question away, unless an answer came first.
func (b *Broker) withdraw(q *question, why Outcome) Answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.settle(q) {
		return <-q.answer
	}
	return Answer{ID: q.ID, Hash: q.Hash, Outcome: why}
}

// settle takes an open question off the list. It reports whether q still was open.
func (b *Broker) settle(q *question) bool {
	i := slices.Index(b.open, q)
	if i < 0 {
		return false
	}
	b.open = slices.Delete(b.open, i, i+1)
	b.settled = append(b.settled, q.ID)
	if len(b.settled) > maxSettled {
		b.settled = slices.Delete(b.settled, 0, 1)
	}
	b.change()
	return true
}

// Answer settles a question. The error says why an answer is refused; the question
// then stays as it was.
func (b *Broker) Answer(a Answer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.open, func(q *question) bool { return q.ID == a.ID })
	if i < 0 {
		if slices.Contains(b.settled, a.ID) {
			return ErrSettled
		}
		return ErrUnknown
	}
	q := b.open[i]
	switch {
	case a.Hash != q.Hash:
		return ErrMismatch
	case a.Outcome != Rejected && !a.Outcome.Allows():
		return fmt.Errorf("%w: %q", ErrInvalid, a.Outcome)
	case a.Outcome.lasts() && len(q.Grants) == 0:
		return fmt.Errorf("%w: it can be allowed once only", ErrInvalid)
	}
	b.settle(q)
	q.answer <- a
	return nil
}

// Pending returns the open questions, the oldest first.
func (b *Broker) Pending() []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Request, len(b.open))
	for i, q := range b.open {
		out[i] = q.Request
	}
	return out
}

// Changed returns a channel that is closed when the list of questions next changes.
// Take it before reading [Broker.Pending].
func (b *Broker) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

func (b *Broker) change() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Serve says that somebody shows questions to people, until the owner is cleaned up.
// When the last one goes, the open questions are unavailable.
func (b *Broker) Serve(o interface{ Cleanup(func()) }) {
	b.mu.Lock()
	b.serving++
	b.mu.Unlock()
	o.Cleanup(b.leave)
}

func (b *Broker) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.serving--; b.serving > 0 {
		return
	}
	for len(b.open) > 0 {
		q := b.open[0]
		b.settle(q)
		q.answer <- Answer{ID: q.ID, Hash: q.Hash, Outcome: Unavailable}
	}
}
