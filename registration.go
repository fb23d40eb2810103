package toolfall

// registration is one thing that an owner has in a registry. It is owned before
// it is visible, so that nothing which watches can leave it without an owner.
type registration struct {
	r    *Registry
	undo func() // takes it out; r.mu is held
	drop func() // makes the owner forget it; nil when the owner cannot

	over bool // removed, perhaps before it was ever added; r.mu guards it
	in   bool // added; r.mu guards it
}

// forgetful is an Owner that can be told that something is gone already, so that
// it does not gather what has long been removed. A *scope.Scope is one.
type forgetful interface{ Own(func()) (drop func()) }

// own gives g to o. An owner that is closed already removes it at once.
func (g *registration) own(o Owner) {
	if o, ok := o.(forgetful); ok {
		g.drop = o.Own(g.remove)
		return
	}
	o.Cleanup(g.remove)
}

// disown makes the owner forget what never came to be.
func (g *registration) disown() {
	if g.drop != nil {
		g.drop()
	}
}

// remove takes g out of the registry, the first time. Identity counts, not the
// name: a late remove must not take what came under that name since.
func (g *registration) remove() {
	g.end()
	g.disown()
}

func (g *registration) end() {
	g.r.mu.Lock()
	defer g.r.mu.Unlock()
	if g.in && !g.over {
		g.undo()
	}
	g.over = true
}
