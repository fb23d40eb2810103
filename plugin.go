package toolfall

import (
	"fmt"
	"runtime/debug"

	"github.com/toolfall/toolfall/scope"
)

// An Owner decides how long a registration lasts. A *scope.Scope is an Owner,
// and so is a *testing.T.
type Owner interface{ Cleanup(func()) }

// A Plugin adds tools and middleware to a registry for as long as its scope is
// open.
type Plugin struct {
	Name   string
	Attach func(*scope.Scope, *Registry) error
}

// Attach lets p into the registry within a child scope of parent. Closing the
// scope it returns takes everything out again. A plugin that fails or panics
// leaves nothing behind.
func (r *Registry) Attach(parent *scope.Scope, p Plugin) (*scope.Scope, error) {
	s := parent.Child(p.Name)
	if err := p.attach(s, r); err != nil {
		s.Close()
		return nil, fmt.Errorf("attach %s: %w", p.Name, err)
	}
	return s, nil
}

// attach calls Attach and turns a panic into an error.
func (p Plugin) attach(s *scope.Scope, r *Registry) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return p.Attach(s, r)
}
