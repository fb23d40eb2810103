package scope

import "slices"

// stack is what a scope has to undo, linked so that an entry leaves it from
// anywhere in constant time.
type stack struct{ top *entry }

// entry is one thing to undo. A child scope carries itself for [Scope.Children].
type entry struct {
	undo         func()
	child        *Scope
	above, below *entry
	linked       bool
}

func (s *stack) push(e *entry) {
	e.below, e.linked = s.top, true
	if s.top != nil {
		s.top.above = e
	}
	s.top = e
}

// pop takes the newest entry off the stack, or returns nil.
func (s *stack) pop() *entry {
	e := s.top
	if e != nil {
		s.drop(e)
	}
	return e
}

// drop takes e off the stack, if it is still there.
func (s *stack) drop(e *entry) {
	if !e.linked {
		return
	}
	if e.above != nil {
		e.above.below = e.below
	} else {
		s.top = e.below
	}
	if e.below != nil {
		e.below.above = e.above
	}
	e.above, e.below, e.linked = nil, nil, false
}

// children returns the child scopes, the oldest first.
func (s *stack) children() []*Scope {
	var cs []*Scope
	for e := s.top; e != nil; e = e.below {
		if e.child != nil {
			cs = append(cs, e.child)
		}
	}
	slices.Reverse(cs)
	return cs
}
