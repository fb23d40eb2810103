package limit

import (
	"container/list"
	"sync"
)

// maxKept is how many agents or tools are remembered at once.
const maxKept = 1024

// recent keeps a value for each of the names that were asked for last, so that whoever
// makes up names cannot fill the memory.
type recent[V any] struct {
	mu    sync.Mutex
	known map[string]*list.Element // of *kept[V]
	order list.List                // the one that was asked for last at the front
}

type kept[V any] struct {
	name  string
	value *V
}

// get returns the value of a name, a new one where there is none.
func (r *recent[V]) get(name string) *V {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.known[name]; ok {
		r.order.MoveToFront(e)
		return e.Value.(*kept[V]).value
	}
	if r.known == nil {
		r.known = make(map[string]*list.Element)
	}
	if r.order.Len() >= maxKept {
		oldest := r.order.Remove(r.order.Back()).(*kept[V])
		delete(r.known, oldest.name)
	}
	k := &kept[V]{name, new(V)}
	r.known[name] = r.order.PushFront(k)
	return k.value
}
