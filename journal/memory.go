package journal

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
)

// Memory is a journal that ends with its process. It keeps the newest records, 64 MiB
// of them unless the Config has a MaxBytes.
type Memory struct {
	config Config
	in     intake
	number atomic.Uint64

	mu     sync.Mutex // guards the fields below
	rows   []row
	bytes  int64
	cut    Head // the place before the first row
	calls  map[ID]*Call
	order  []ID // of calls, as they were asked
	closed bool
}

// row is a record as it is kept: nobody can change it, or what it was made of.
type row struct {
	call ID
	body []byte
	hash [32]byte
}

var _ Journal = (*Memory)(nil)

// NewMemory returns an empty journal in memory.
func NewMemory(c Config) *Memory {
	if c.MaxBytes == 0 {
		c.MaxBytes = 64 << 20
	}
	c = c.withDefaults()
	return &Memory{config: c, in: intake{c.Now, c.Redact}, calls: map[ID]*Call{}}
}

// Next implements [Journal].
func (m *Memory) Next() ID { return newID(1, m.number.Add(1)) }

// Append implements [Journal]. There is nothing to wait for.
func (m *Memory) Append(ctx context.Context, _ Durability, records ...Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := m.in.take(records, true)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	for _, e := range entries {
		m.add(e)
	}
	m.prune()
	return nil
}

func (m *Memory) head() Head {
	if n := len(m.rows); n > 0 {
		return Head{m.cut.Seq + int64(n), m.rows[n-1].hash}
	}
	return m.cut
}

func (m *Memory) add(e entry) {
	h := m.head()
	e.Seq = h.Seq + 1
	m.rows = append(m.rows, row{e.Call, e.body, hash(h.Hash, e.Seq, e.Call, e.body)})
	m.bytes += int64(len(e.body))
	c := m.calls[e.Call]
	if c == nil {
		if e.Kind != Asked {
			return
		}
		c = &Call{}
		m.calls[e.Call] = c
		m.order = append(m.order, e.Call)
	}
	c.apply(e.Record)
}

// prune takes away the oldest records, and the calls that they begin.
func (m *Memory) prune() {
	n := 0
	for n < len(m.rows)-1 && (m.full() || m.old(n)) {
		m.bytes -= int64(len(m.rows[n].body))
		n++
		m.cut = Head{m.cut.Seq + 1, m.rows[n-1].hash}
		if c := m.calls[m.rows[n-1].call]; c != nil && c.first <= m.cut.Seq {
			delete(m.calls, c.ID)
		}
	}
	if n == 0 {
		return
	}
	m.rows = slices.Delete(m.rows, 0, n)
	m.order = slices.DeleteFunc(m.order, func(id ID) bool { return m.calls[id] == nil })
}

func (m *Memory) full() bool { return m.config.MaxBytes > 0 && m.bytes > m.config.MaxBytes }

// old reports whether the row at i is of a call that is too old, or of none.
func (m *Memory) old(i int) bool {
	if m.config.MaxAge < 0 {
		return false
	}
	c := m.calls[m.rows[i].call]
	return c == nil || c.Asked.Before(m.config.Now().Add(-m.config.MaxAge))
}

// Calls implements [Journal].
func (m *Memory) Calls(ctx context.Context, f Filter) iter.Seq2[Call, error] {
	return func(yield func(Call, error) bool) {
		all, err := m.list(ctx)
		if err != nil {
			yield(Call{}, err)
			return
		}
		for _, c := range all {
			if f.matches(c) && !yield(c, nil) {
				return
			}
		}
	}
}

// list returns all calls, the newest first.
func (m *Memory) list(ctx context.Context) ([]Call, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	all := make([]Call, 0, len(m.order))
	for _, id := range slices.Backward(m.order) {
		all = append(all, *m.calls[id])
	}
	slices.SortStableFunc(all, newestFirst)
	return all, nil
}

func newestFirst(a, b Call) int {
	if n := b.Asked.Compare(a.Asked); n != 0 {
		return n
	}
	return cmp.Compare(b.ID, a.ID)
}

func (m *Memory) usable(ctx context.Context) error {
	if m.closed {
		return ErrClosed
	}
	return ctx.Err()
}

// Records implements [Journal].
func (m *Memory) Records(ctx context.Context, id ID) (out []Record, err error) {
	m.mu.Lock()
	known := m.calls[id] != nil
	m.mu.Unlock()
	for r, err := range m.All(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if r.Call == id {
			out = append(out, r)
		}
	}
	if !known {
		return nil, ErrUnknown
	}
	return out, nil
}

// All implements [Journal].
func (m *Memory) All(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		rows, cut, err := m.snapshot(ctx)
		for i := int64(0); err == nil && i < int64(len(rows)); i++ {
			seq := cut.Seq + 1 + i
			if seq <= after {
				continue
			}
			var r Record
			if r, err = decode(seq, rows[i].call, rows[i].body); err == nil && !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(Record{}, err)
		}
	}
}

// snapshot returns what is kept now.
func (m *Memory) snapshot(ctx context.Context) ([]row, Head, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.rows), m.cut, m.usable(ctx)
}

// Stats implements [Journal].
func (m *Memory) Stats(ctx context.Context, f Filter) ([]Tally, error) {
	cs := counters{}
	for c, err := range m.Calls(ctx, f) {
		if err != nil {
			return nil, err
		}
		if c.Ended {
			cs.addCall(c)
		}
	}
	return cs.tallies(), nil
}

// Verify implements [Journal].
func (m *Memory) Verify(ctx context.Context, known ...Head) (Head, error) {
	rows, h, err := m.snapshot(ctx)
	if err != nil {
		return Head{}, err
	}
	v := verifier{known: known, head: h}
	for _, r := range rows {
		if err := v.next(v.head.Seq+1, r.call, r.body, r.hash[:]); err != nil {
			return Head{}, err
		}
	}
	return v.head, v.reached()
}

// Close implements [Journal].
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}
