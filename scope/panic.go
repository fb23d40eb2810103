package scope

import (
	"fmt"
	"runtime/debug"
)

// A PanicError tells of a cleanup or goroutine that panicked, or left through
// runtime.Goexit, which has a nil Value.
type PanicError struct {
	Scope string // the name of the scope
	Value any    // what was given to panic
	Stack []byte // where, as debug.Stack tells it
}

// Error names the scope and the value, not the stack.
func (e *PanicError) Error() string {
	if e.Value == nil {
		return fmt.Sprintf("scope %s: runtime.Goexit called", e.Scope)
	}
	return fmt.Sprintf("scope %s: panic: %v", e.Scope, e.Value)
}

// contain runs f and keeps what it panics with for Close to tell.
func (s *Scope) contain(f func()) {
	returned := false
	defer func() {
		if v := recover(); v != nil || !returned {
			s.note(&PanicError{Scope: s.name, Value: v, Stack: debug.Stack()})
		}
	}()
	f()
	returned = true
}

// note keeps err for Close to tell.
func (s *Scope) note(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, err)
}
