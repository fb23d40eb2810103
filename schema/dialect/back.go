package dialect

// back is the way from a dialect's arguments to the tool's own.
type back struct {
	renamed   map[string]string // from the name on the wire to the tool's own
	droppable map[string]bool   // by the tool's own name: whether null stands for absent
	members   map[string]*back  // by the tool's own name; nil has nothing to do
	others    *back             // all other members
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
		inside, declared := b.members[m.name]
		if !declared {
			inside = b.others
		}
		inside.restore(m.value)
		kept = append(kept, m)
	}
	v.members = kept
}

// at returns the way back inside a part of the value, making it.
func (b *back) at(s spot) *back {
	switch s.place {
	case inMember:
		if b.members == nil {
			b.members = make(map[string]*back)
		}
		if b.members[s.name] == nil {
			b.members[s.name] = new(back)
		}
		return b.members[s.name]
	case inOthers:
		if b.others == nil {
			b.others = new(back)
		}
		return b.others
	case inItems:
		if b.items == nil {
			b.items = new(back)
		}
		return b.items
	case here:
		return b
	}
	return new(back) // nothing that a model sends stands there
}

// rename notes names that differ on the wire.
func (b *back) rename(wire, own string) {
	if b.renamed == nil {
		b.renamed = make(map[string]string)
	}
	b.renamed[wire] = own
}

// null notes whether null stands for a member that was left out. Once it is meant
// anywhere, it stays.
func (b *back) null(own string, forAbsent bool) {
	if b.droppable == nil {
		b.droppable = make(map[string]bool)
	}
	before, known := b.droppable[own]
	b.droppable[own] = forAbsent && (before || !known)
}

// trim returns b without the parts that do nothing, or nil when all do.
func (b *back) trim() *back {
	if b == nil {
		return nil
	}
	b.items, b.others = b.items.trim(), b.others.trim()
	busy := len(b.renamed) > 0 || b.items != nil || b.others != nil
	for name, m := range b.members {
		b.members[name] = m.trim()
		busy = busy || b.members[name] != nil
	}
	for _, droppable := range b.droppable {
		busy = busy || droppable
	}
	if !busy {
		return nil
	}
	return b
}
