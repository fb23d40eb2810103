// Package prompt assembles what a model is told before it speaks: the text of the
// system prompt and the tools.
//
// A [Prompt] has [Section]s, which give text, [Provider]s, which give tools, and
// [Middleware] around the whole. Each has an owner and goes when the owner does.
// [Prompt.Assemble] asks every one of them anew, once for each step of a model.
package prompt

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/toolfall/toolfall"
)

// A Section is a piece of the system prompt.
type Section struct {
	Name  string
	Order int // ascending; those with the same stand in the order they were added
	Text  func(context.Context) (string, error)
}

// A Provider gives tools.
type Provider struct {
	Name  string
	Tools func(context.Context) ([]toolfall.Schema, error)
}

// An Assembly is what a model is told. Text is never a template: what a tool or a
// repository says in it stays as it is.
type Assembly struct {
	Text  string
	Tools []toolfall.Schema
}

// A Handler makes an assembly.
type Handler func(context.Context) (Assembly, error)

// A Middleware wraps the assembly. What it returns counts. The first one added is
// the outermost.
type Middleware struct {
	Name string
	Wrap func(ctx context.Context, next Handler) (Assembly, error)
}

// A Prompt is what assemblies are made of. All its methods may be called at once
// from many goroutines.
type Prompt struct {
	mu  sync.Mutex // held to replace now
	now atomic.Pointer[Snapshot]
}

// A Snapshot is a prompt at one moment. It never changes.
type Snapshot struct {
	Revision uint64 // grows by one with each change

	sections   []*Section // in the order of the text
	providers  []*Provider
	middleware []*Middleware // outermost first

	replaced chan struct{} // closed once next is set
	next     *Snapshot
}

// New returns an empty prompt.
func New() *Prompt {
	p := new(Prompt)
	p.now.Store(&Snapshot{replaced: make(chan struct{})})
	return p
}

// Add adds a section until remove is called or o is cleaned up.
func (p *Prompt) Add(o toolfall.Owner, s Section) (remove func()) {
	e := &s
	return p.own(o,
		func(n *Snapshot) {
			n.sections = append(slices.Clone(n.sections), e)
			slices.SortStableFunc(n.sections, func(a, b *Section) int { return cmp.Compare(a.Order, b.Order) })
		},
		func(n *Snapshot) { n.sections = without(n.sections, e) })
}

// Provide adds a provider of tools until remove is called or o is cleaned up.
func (p *Prompt) Provide(o toolfall.Owner, t Provider) (remove func()) {
	e := &t
	return p.own(o,
		func(n *Snapshot) { n.providers = append(slices.Clone(n.providers), e) },
		func(n *Snapshot) { n.providers = without(n.providers, e) })
}

// Use adds a middleware until remove is called or o is cleaned up.
func (p *Prompt) Use(o toolfall.Owner, m Middleware) (remove func()) {
	e := &m
	return p.own(o,
		func(n *Snapshot) { n.middleware = append(slices.Clone(n.middleware), e) },
		func(n *Snapshot) { n.middleware = without(n.middleware, e) })
}

func without[T comparable](all []T, one T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(e T) bool { return e == one })
}

// own makes a change now and another when o is cleaned up or remove is called. It
// belongs to o before it is visible; an owner that is closed already gets nothing.
func (p *Prompt) own(o toolfall.Owner, add, take func(*Snapshot)) (remove func()) {
	var in, over bool // p.mu guards them
	undo := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if in && !over {
			p.replace(take)
		}
		over = true
	}
	drop := func() {}
	if f, ok := o.(interface{ Own(func()) (drop func()) }); ok { // it need not remember what is gone
		drop = f.Own(undo)
	} else {
		o.Cleanup(undo)
	}
	remove = func() { undo(); drop() }
	p.mu.Lock()
	defer p.mu.Unlock()
	if !over {
		p.replace(add)
		in = true
	}
	return remove
}

// replace makes an edited copy the present. p.mu is held.
func (p *Prompt) replace(edit func(*Snapshot)) {
	old := p.now.Load()
	n := &Snapshot{
		Revision: old.Revision + 1,
		sections: old.sections, providers: old.providers, middleware: old.middleware,
		replaced: make(chan struct{}),
	}
	edit(n)
	p.now.Store(n)
	old.next = n
	close(old.replaced)
}

// Watch yields the prompt as it stands now and then after each change, in order
// and without a gap, until ctx ends.
func (p *Prompt) Watch(ctx context.Context) iter.Seq[*Snapshot] {
	return func(yield func(*Snapshot) bool) {
		for s := p.now.Load(); ctx.Err() == nil && yield(s); s = s.next {
			select {
			case <-s.replaced:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Sections returns the names of the sections in the order of the text.
func (s *Snapshot) Sections() []string {
	names := make([]string, len(s.sections))
	for i, e := range s.sections {
		names[i] = e.Name
	}
	return names
}

// Tools returns a provider of the tools that are registered at each assembly,
// sorted by name.
func Tools(r *toolfall.Registry) Provider {
	return Provider{Name: "registry", Tools: func(context.Context) ([]toolfall.Schema, error) {
		return r.Snapshot().Schemas(), nil
	}}
}
