package toolfall

import "hash/maphash"

// index is a persistent map from names to tools: an edit copies only what it
// touches, so a change costs about the same with ten tools and with a hundred
// thousand. The hash of a name picks a block and in it a shard, which is short
// enough to be searched from end to end.
type index struct {
	seed   maphash.Seed
	blocks []*block // a power of two of them; shared with older indexes
	size   int
}

// block is a run of shards.
type block [blockSize][]slot

// slot is a tool and the hash of its name.
type slot struct {
	hash  uint64
	entry *entry
}

// A block has blockSize shards, and a shard has up to shardSize tools on average.
// Larger ones make a change dearer, smaller ones make the list of blocks longer,
// which every change copies.
const (
	blockSize = 32
	shardSize = 8
)

func newIndex() index {
	return index{seed: maphash.MakeSeed(), blocks: []*block{new(block)}}
}

func (x *index) hash(name string) uint64 { return maphash.String(x.seed, name) }

// place returns where a tool with that hash stands.
func (x *index) place(hash uint64) (in int, shard int) {
	return int(hash & uint64(len(x.blocks)-1)), int(hash >> 59)
}

// get returns the tool of that name, or nil.
func (x *index) get(name string) *entry {
	h := x.hash(name)
	in, shard := x.place(h)
	for _, s := range x.blocks[in][shard] {
		if s.hash == h && s.entry.Name == name {
			return s.entry
		}
	}
	return nil
}

// all calls yield with each tool, in no order, until it returns false.
func (x *index) all(yield func(*entry) bool) {
	for _, b := range x.blocks {
		for _, shard := range b {
			for _, s := range shard {
				if !yield(s.entry) {
					return
				}
			}
		}
	}
}

// with returns an index that also has es. If a name is taken, or stands among es
// twice, it returns that name instead.
func (x index) with(es []*entry) (y index, taken string) {
	e := x.edit(x.size + len(es))
	for _, one := range es {
		if e.get(one.Name) != nil {
			return x, one.Name
		}
		e.add(slot{x.hash(one.Name), one})
	}
	e.size += len(es)
	return e.index, ""
}

// without returns an index that lacks es, all of which x has.
func (x index) without(es []*entry) index {
	e := x.edit(x.size)
	for _, one := range es {
		e.remove(slot{x.hash(one.Name), one})
	}
	e.size -= len(es)
	return e.index
}

// indexEdit is a new index on its way. What it has copied it may write.
type indexEdit struct {
	index
	copied []bool // for each block
}

// edit begins an index like x with room for size tools.
func (x index) edit(size int) *indexEdit {
	n := len(x.blocks)
	for n*blockSize*shardSize < size {
		n *= 2
	}
	e := &indexEdit{index{seed: x.seed, blocks: make([]*block, n), size: x.size}, make([]bool, n)}
	if n == len(x.blocks) {
		copy(e.blocks, x.blocks)
		return e
	}
	for i := range e.blocks {
		e.blocks[i], e.copied[i] = new(block), true
	}
	for one := range x.all {
		e.add(slot{x.hash(one.Name), one})
	}
	return e
}

// writable returns the block that a hash belongs to, copied if need be.
func (e *indexEdit) writable(in int) *block {
	if !e.copied[in] {
		b := *e.blocks[in]
		e.blocks[in], e.copied[in] = &b, true
	}
	return e.blocks[in]
}

// add and remove make a new shard each time: the old one may be shared.
func (e *indexEdit) add(s slot) {
	in, at := e.place(s.hash)
	b := e.writable(in)
	shard := make([]slot, len(b[at])+1)
	shard[copy(shard, b[at])] = s
	b[at] = shard
}

func (e *indexEdit) remove(s slot) {
	in, at := e.place(s.hash)
	b := e.writable(in)
	shard := make([]slot, 0, len(b[at]))
	for _, other := range b[at] {
		if other.entry != s.entry {
			shard = append(shard, other)
		}
	}
	b[at] = shard
}
