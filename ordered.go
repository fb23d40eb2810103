package toolfall

import (
	"slices"
	"strings"
)

// ordered is how a snapshot comes by its tools in the order of their names: from
// a list that an older snapshot made, and what has changed since.
type ordered struct {
	basis   []*entry // sorted, or nil when there is none worth keeping
	added   []*entry // since then
	removed []*entry // since then; perhaps also of those added
}

// maxBehind is how many changes may gather before sorting anew is as cheap.
const maxBehind = 64

// from returns what a snapshot that follows s begins with.
func (o ordered) from(s *Snapshot) ordered {
	if v := s.sorted.p.Load(); v != nil {
		return ordered{basis: *v}
	}
	return o
}

// with returns o after a change.
func (o ordered) with(added, removed []*entry) ordered {
	if o.basis == nil || len(o.added)+len(o.removed)+len(added)+len(removed) > maxBehind {
		return ordered{}
	}
	o.added = slices.Concat(o.added, added)
	o.removed = slices.Concat(o.removed, removed)
	return o
}

// sort returns the tools by name.
func (s *Snapshot) sort() []*entry {
	if s.order.basis == nil {
		es := slices.AppendSeq(make([]*entry, 0, s.tools.size), s.tools.all)
		slices.SortFunc(es, byName)
		return es
	}
	es := make([]*entry, 0, s.tools.size)
	added := slices.DeleteFunc(slices.Clone(s.order.added), s.order.gone)
	slices.SortFunc(added, byName)
	for _, e := range s.order.basis {
		for len(added) > 0 && byName(added[0], e) < 0 {
			es, added = append(es, added[0]), added[1:]
		}
		if !s.order.gone(e) {
			es = append(es, e)
		}
	}
	return append(es, added...)
}

func (o *ordered) gone(e *entry) bool { return slices.Contains(o.removed, e) }

func byName(a, b *entry) int { return strings.Compare(a.Name, b.Name) }
