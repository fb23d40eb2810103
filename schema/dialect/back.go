package dialect

// back is the way from a dialect's arguments to the tool's own.
type back struct {
	renamed   map[string]string // from the name on the wire to the tool's own
	droppable map[string]bool   // by the tool's own name: null stands for absent
	members   map[string]*back  // by the tool's own name
	items     *back
}

// restore changes v, which the model sent, in place.
func (b *back) restore(v *value) {
	if b == nil {
		return
	}
	for _, item := range v.items {
		b.items.restore(item)
	}
	kept := v.members[:0]
	for _, m := range v.members {
		if own, ok := b.renamed[m.name]; ok {
			m.name = own
		}
		if b.droppable[m.name] && m.value.is("null") {
			continue
		}
		b.members[m.name].restore(m.value)
		kept = append(kept, m)
	}
	v.members = kept
}

// member returns the way back inside a member, making it.
func (b *back) member(name string) *back {
	if b.members == nil {
		b.members = make(map[string]*back)
	}
	if b.members[name] == nil {
		b.members[name] = new(back)
	}
	return b.members[name]
}

func (b *back) rename(wire, own string) {
	if b.renamed == nil {
		b.renamed = make(map[string]string)
	}
	b.renamed[wire] = own
}

func (b *back) dropNull(own string) {
	if b.droppable == nil {
		b.droppable = make(map[string]bool)
	}
	b.droppable[own] = true
}

// inside returns the way back inside the items of an array, making it.
func (b *back) inside() *back {
	if b.items == nil {
		b.items = new(back)
	}
	return b.items
}

// trim returns b without the parts that do nothing, or nil when all do.
func (b *back) trim() *back {
	if b == nil {
		return nil
	}
	for name, m := range b.members {
		if m.trim() == nil {
			delete(b.members, name)
		}
	}
	b.items = b.items.trim()
	if len(b.renamed)+len(b.droppable)+len(b.members) == 0 && b.items == nil {
		return nil
	}
	return b
}
