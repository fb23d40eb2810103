package schedule

import "github.com/toolfall/toolfall"

// ring is the calls whose tools run, in no order that matters.
type ring struct {
	first   *Pending
	size    int
	writers int // how many of them may change something
}

// link is a call's place in the ring.
type link struct{ before, after *Pending }

func (r *ring) add(p *Pending) {
	p.ring = link{nil, r.first}
	if r.first != nil {
		r.first.ring.before = p
	}
	r.first = p
	r.size++
	if p.writes {
		r.writers++
	}
}

func (r *ring) remove(p *Pending) {
	if p.ring.before != nil {
		p.ring.before.ring.after = p.ring.after
	} else {
		r.first = p.ring.after
	}
	if p.ring.after != nil {
		p.ring.after.ring.before = p.ring.before
	}
	p.ring = link{}
	r.size--
	if p.writes {
		r.writers--
	}
}

// conflicts reports whether p may not run beside those in the ring. Where nobody
// changes anything there is nothing to compare.
func (r *ring) conflicts(p *Pending) bool {
	if len(p.claims) == 0 || !p.writes && r.writers == 0 {
		return false
	}
	for o := r.first; o != nil; o = o.ring.after {
		if (p.writes || o.writes) && conflict(p.claims, o.claims) {
			return true
		}
	}
	return false
}

func conflict(a, b []toolfall.Claim) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Conflicts(y) {
				return true
			}
		}
	}
	return false
}
