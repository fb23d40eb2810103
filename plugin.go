package toolfall

import (
	"fmt"

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
func (r *Registry) Attach(parent *scope.Scope, p Plugin) (s *scope.Scope, err error) {
	s = parent.Child(p.Name)
	attached := false
	defer func() {
		if attached {
			return
		}
		if v := recover(); v != nil {
			err = &PanicError{Value: v}
		}
		s.Close()
		s, err = nil, fmt.Errorf("attach %s: %w", p.Name, err)
	}()
	if err = p.Attach(s, r); err != nil {
		return nil, err
	}
	attached = true
	return s, nil
}
