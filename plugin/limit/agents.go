package limit

import (
	"container/list"
	"sync"
)

// maxAgents is how many agents are remembered. Of more, the one that called least
// recently is forgotten.
const maxAgents = 4096

// agents is something for each agent.
type agents[T any] struct {
	fresh func() *T

	mu     sync.Mutex
	byName map[string]*list.Element
	order  list.List // of *agent[T], the latest first
}

type agent[T any] struct {
	name string
	of   *T
}

func newAgents[T any](fresh func() *T) *agents[T] {
	return &agents[T]{fresh: fresh, byName: make(map[string]*list.Element)}
}

func (a *agents[T]) get(name string) *T {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e, ok := a.byName[name]; ok {
		a.order.MoveToFront(e)
		return e.Value.(*agent[T]).of
	}
	if len(a.byName) >= maxAgents {
		last := a.order.Back()
		delete(a.byName, a.order.Remove(last).(*agent[T]).name)
	}
	of := a.fresh()
	a.byName[name] = a.order.PushFront(&agent[T]{name, of})
	return of
}
