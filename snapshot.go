package toolfall

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/toolfall/toolfall/schema"
)

// A Snapshot is the registry at one moment. It never changes, so any two answers
// from one Snapshot agree, and reading it takes no lock.
type Snapshot struct {
	Revision uint64 // grows by one with each change
	Change   Change // what made this revision

	config   Config
	tools    index
	chain    []*Middleware // outermost first
	required []string      // names of middleware without which nothing runs

	order   ordered
	handler lazy[Handler]     // the chain around run
	sorted  lazy[[]*entry]    // the tools by name
	listing lazy[schema.JSON] // their wire form

	replaced chan struct{} // closed once next is set
	next     *Snapshot
}

// A Change names what a revision added or removed.
type Change struct {
	Removed    bool
	Tools      []string // in the order of their registration; not to be changed
	Middleware string   // set when it was a middleware
}

// entry is a registered tool.
type entry struct {
	Definition
	order uint64            // of registration
	wire  lazy[schema.JSON] // the schema as it is listed
}

// lazy is a value that is made when it is first asked for. It is made by the one
// function its place has, whose answer is always the same, so when two make it at
// once it does not matter whose is kept.
type lazy[T any] struct{ p atomic.Pointer[T] }

func (l *lazy[T]) get(make func() T) T {
	v := l.p.Load()
	if v == nil {
		made := make()
		v = &made
		l.p.Store(v)
	}
	return *v
}

func (e *entry) listed() schema.JSON { return e.wire.get(e.Schema.wire) }

// Get returns the tool of that name.
func (s *Snapshot) Get(name string) (Definition, bool) {
	e := s.tools.get(name)
	if e == nil {
		return Definition{}, false
	}
	return e.Definition, true
}

// Len returns the number of tools.
func (s *Snapshot) Len() int { return s.tools.size }

// Schemas returns the schema of every tool, sorted by name, so that a prompt
// built from it changes only when the tools do. The slice is the caller's.
func (s *Snapshot) Schemas() []Schema { return schemas(s.byName()) }

// Registered returns the schema of every tool in the order of registration. The
// slice is the caller's.
func (s *Snapshot) Registered() []Schema {
	es := slices.Clone(s.byName())
	slices.SortFunc(es, func(a, b *entry) int { return cmp.Compare(a.order, b.order) })
	return schemas(es)
}

func schemas(es []*entry) []Schema {
	out := make([]Schema, len(es))
	for i, e := range es {
		out[i] = e.Schema
	}
	return out
}

// SchemasJSON returns what Schemas does as a JSON array. It is built once for
// each Snapshot, and the text of each tool once for all.
func (s *Snapshot) SchemasJSON() schema.JSON { return s.listing.get(s.list) }

// Chain returns the middleware, outermost first. The slice is the caller's.
func (s *Snapshot) Chain() []Middleware {
	out := make([]Middleware, len(s.chain))
	for i, m := range s.chain {
		out[i] = *m
	}
	return out
}

// derive returns the snapshot that follows s, open to one edit.
func (s *Snapshot) derive(c Change) *Snapshot {
	return &Snapshot{
		Revision: s.Revision + 1,
		Change:   c,
		config:   s.config,
		tools:    s.tools,
		chain:    s.chain,
		required: s.required,
		order:    s.order.from(s),
		replaced: make(chan struct{}),
	}
}

func (s *Snapshot) byName() []*entry { return s.sorted.get(s.sort) }

func (s *Snapshot) list() schema.JSON {
	es := s.byName()
	size := 2 + len(es)
	for _, e := range es {
		size += len(e.listed())
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteByte('[')
	for i, e := range es {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(e.listed()))
	}
	b.WriteByte(']')
	return schema.JSON(b.String())
}

// compose builds the chain: the stages, with admission and the second look at
// what was rewritten where they stand among them, around the tool.
func (s *Snapshot) compose() Handler {
	h := s.wrap(s.run, Contain)
	h = s.wrap(h, Decide)
	if s.has(Rewrite) {
		h = s.wrap(s.readmit(h), Rewrite)
	}
	h = s.wrap(s.admit(h), Repair)
	return s.wrap(h, Observe)
}

// wrap returns h inside the middleware of one stage.
func (s *Snapshot) wrap(h Handler, stage Stage) Handler {
	for _, m := range slices.Backward(s.chain) {
		if m.Stage == stage {
			h = m.then(h)
		}
	}
	return h
}

func (s *Snapshot) has(stage Stage) bool {
	return slices.ContainsFunc(s.chain, func(m *Middleware) bool { return m.Stage == stage })
}
