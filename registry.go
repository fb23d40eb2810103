package toolfall

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
)

// A Registry holds the tools and the middleware of one program. All its methods
// may be called at once from many goroutines.
type Registry struct {
	mu    sync.Mutex // held to replace now
	now   atomic.Pointer[Snapshot]
	order uint64 // of the newest registration; mu guards it
}

// Config is what may be set when a registry is made. The zero value is what most
// programs want.
type Config struct {
	MaxArguments int // the longest arguments of a call, in bytes; 8 MiB when zero
}

func (c Config) maxArguments() int {
	if c.MaxArguments > 0 {
		return c.MaxArguments
	}
	return 8 << 20
}

// New returns an empty registry.
func New() *Registry { return NewWith(Config{}) }

// NewWith returns an empty registry with some settings.
func NewWith(c Config) *Registry {
	r := new(Registry)
	r.now.Store(&Snapshot{config: c, tools: newIndex(), replaced: make(chan struct{})})
	return r
}

// Register adds tools until remove is called or o is cleaned up. It adds all or
// none, in one step that watchers see as one Change, and fails if a name is not
// 1 to 128 letters, digits, underscores, dashes and dots, or is taken
// ([ErrExists]), or if o has been cleaned up already ([ErrClosed]).
func (r *Registry) Register(o Owner, ds ...Definition) (remove func(), err error) {
	es := make([]*entry, len(ds))
	names := make([]string, len(ds))
	for i, d := range ds {
		if err := d.check(); err != nil {
			return nil, err
		}
		es[i], names[i] = &entry{Definition: d}, d.Name
	}
	g := &registration{r: r}
	g.undo = func() { r.removeTools(es, names) }
	g.own(o)
	if err := r.addTools(g, es, names); err != nil {
		g.disown()
		return nil, err
	}
	return g.remove, nil
}

func (r *Registry) addTools(g *registration, es []*entry, names []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if g.over {
		return fmt.Errorf("toolfall: register: %w", ErrClosed)
	}
	s := r.now.Load()
	tools, taken := s.tools.with(es)
	if taken != "" {
		return &existsError{taken}
	}
	for _, e := range es {
		r.order++
		e.order = r.order
	}
	n := s.derive(Change{Tools: names})
	n.tools, n.order = tools, n.order.with(es, nil)
	r.replace(n)
	g.in = true
	return nil
}

// removeTools takes out tools that are in the registry. r.mu is held.
func (r *Registry) removeTools(es []*entry, names []string) {
	s := r.now.Load()
	n := s.derive(Change{Tools: names, Removed: true})
	n.tools, n.order = s.tools.without(es), n.order.with(nil, es)
	r.replace(n)
}

// Use adds a middleware until remove is called or o is cleaned up. Within a
// stage, what was added first stands outermost, unless Before says otherwise.
func (r *Registry) Use(o Owner, m Middleware) (remove func()) {
	p := &m
	g := &registration{r: r}
	g.undo = func() { r.removeMiddleware(p) }
	g.own(o)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !g.over {
		s := r.now.Load()
		n := s.derive(Change{Middleware: m.Name})
		at := len(s.chain)
		if m.Before {
			at = 0
		}
		n.chain = slices.Insert(slices.Clone(s.chain), at, p)
		slices.SortStableFunc(n.chain, func(a, b *Middleware) int { return int(a.Stage) - int(b.Stage) })
		r.replace(n)
		g.in = true
	}
	return g.remove
}

// removeMiddleware takes out a middleware. r.mu is held.
func (r *Registry) removeMiddleware(m *Middleware) {
	s := r.now.Load()
	n := s.derive(Change{Middleware: m.Name, Removed: true})
	n.chain = slices.DeleteFunc(slices.Clone(s.chain), func(o *Middleware) bool { return o == m })
	r.replace(n)
}

// Require makes every call be refused while a middleware of one of these names
// is not attached. What was required once stays required.
func (r *Registry) Require(names ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.now.Load()
	n := s.derive(Change{})
	n.required = slices.Concat(s.required, names)
	r.replace(n)
}

// Execute runs one call through the chain as it stands now, and returns exactly
// one Result for it: what goes wrong on the way is told there. When ctx ends,
// the tool is told so, and awaited.
func (r *Registry) Execute(ctx context.Context, c Call) (res Result) {
	defer func() {
		if v := recover(); v != nil { // in the decoder that a type of arguments brought along
			res = Fail(&PanicError{Value: v, Stack: debug.Stack()})
			res.settle(c.ID)
		}
	}()
	c.caller, c.admitted = ctx, nil
	s := r.now.Load()
	res = s.handler.get(s.compose)(ctx, c)
	res.settle(c.ID)
	return res
}

// Snapshot returns the registry as it stands now.
func (r *Registry) Snapshot() *Snapshot { return r.now.Load() }

// Watch yields the registry as it stands now and then after each change, in
// order and without a gap, until ctx ends. A change is visible to everyone
// before a watcher hears of it. A slow watcher holds up nobody.
func (r *Registry) Watch(ctx context.Context) iter.Seq[*Snapshot] {
	return func(yield func(*Snapshot) bool) {
		for s := r.now.Load(); ctx.Err() == nil && yield(s); s = s.next {
			select {
			case <-s.replaced:
			case <-ctx.Done():
				return
			}
		}
	}
}

// replace makes n the present. r.mu is held.
func (r *Registry) replace(n *Snapshot) {
	old := r.now.Load()
	r.now.Store(n)
	old.next = n
	close(old.replaced)
}

// check reports what is wrong with a definition that is to be registered.
func (d Definition) check() error {
	switch {
	case !validName(d.Name):
		return fmt.Errorf("toolfall: bad tool name %q: want 1 to 128 letters, digits, underscores, dashes and dots", d.Name)
	case d.Execute == nil:
		return fmt.Errorf("toolfall: tool %q has no Execute", d.Name)
	case d.Parameters != "" && d.plan == nil && !d.Parameters.IsObject():
		return fmt.Errorf("toolfall: tool %q: its parameters are not a JSON object", d.Name)
	case d.Output != "" && !d.Output.IsObject():
		return fmt.Errorf("toolfall: tool %q: its output schema is not a JSON object", d.Name)
	}
	return nil
}

func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.') {
			return false
		}
	}
	return 0 < len(name) && len(name) <= 128
}

// existsError is ErrExists with the name.
type existsError struct{ name string }

func (e *existsError) Error() string { return fmt.Sprintf("tool %q is already registered", e.name) }
func (e *existsError) Unwrap() error { return ErrExists }
