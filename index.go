package toolfall

import (
	"hash/maphash"
	"maps"
)

// index is a persistent map from names to tools: an edit copies only what it
// touches, so a change costs about the same with ten tools and with a hundred
// thousand. It is a list of small Go maps, of which the name's hash picks one.
type index struct {
	seed   maphash.Seed
	shards []map[string]*entry // a power of two of them; shared with older indexes
	size   int
}

// perShard is how many tools a shard has at the most, on average. More make a
// change dearer, fewer make the list of shards longer, which every change copies.
const perShard = 32

func newIndex() index {
	return index{seed: maphash.MakeSeed(), shards: []map[string]*entry{{}}}
}

func (x *index) shard(name string) int {
	if len(x.shards) == 1 {
		return 0
	}
	return int(maphash.String(x.seed, name) & uint64(len(x.shards)-1))
}

// get returns the tool of that name, or nil.
func (x *index) get(name string) *entry { return x.shards[x.shard(name)][name] }

// all calls yield with each tool, in no order, until it returns false.
func (x *index) all(yield func(*entry) bool) {
	for _, shard := range x.shards {
		for _, e := range shard {
			if !yield(e) {
				return
			}
		}
	}
}

// with returns an index that also has es, whose names are free.
func (x index) with(es []*entry) index {
	y, copied := x.derive(x.size + len(es))
	for _, e := range es {
		y.writable(e.Name, copied)[e.Name] = e
	}
	y.size += len(es)
	return y
}

// without returns an index that lacks es, all of which x has.
func (x index) without(es []*entry) index {
	y, copied := x.derive(x.size)
	for _, e := range es {
		delete(y.writable(e.Name, copied), e.Name)
	}
	y.size -= len(es)
	return y
}

// derive returns a copy of x with room for size tools, and which of its shards
// are its own already.
func (x index) derive(size int) (y index, copied []bool) {
	n := len(x.shards)
	for n*perShard < size {
		n *= 2
	}
	y = index{seed: x.seed, shards: make([]map[string]*entry, n), size: x.size}
	copied = make([]bool, n)
	if n == len(x.shards) {
		copy(y.shards, x.shards)
		return y, copied
	}
	for i := range y.shards {
		y.shards[i], copied[i] = make(map[string]*entry, perShard), true
	}
	for e := range x.all {
		y.shards[y.shard(e.Name)][e.Name] = e
	}
	return y, copied
}

func (x *index) writable(name string, copied []bool) map[string]*entry {
	i := x.shard(name)
	if !copied[i] {
		x.shards[i], copied[i] = maps.Clone(x.shards[i]), true
	}
	return x.shards[i]
}
