package toolfall

import (
	"errors"
	"fmt"
)

// The codes of a Result that is an error: why a call failed, for programs.
const (
	InvalidArgs           = "INVALID_ARGS"            // the arguments do not fit the tool's schema
	InvalidJSON           = "INVALID_JSON"            // the arguments are not strict JSON
	UnknownTool           = "UNKNOWN_TOOL"            // no tool has that name
	Denied                = "DENIED"                  // a policy or a person refused
	PlanMode              = "PLAN_MODE"               // refused while planning
	HookBlocked           = "HOOK_BLOCKED"            // a hook refused
	SandboxUnavailable    = "SANDBOX_UNAVAILABLE"     // a required sandbox is not to be had
	Timeout               = "TIMEOUT"                 // a deadline passed while the tool ran
	AbortedBeforeDispatch = "ABORTED_BEFORE_DISPATCH" // cancelled, and the tool never ran
	Aborted               = "ABORTED"                 // cancelled while the tool ran: side effects are possible
	Panicked              = "PANIC"                   // the tool panicked or called runtime.Goexit
	MiddlewareError       = "MIDDLEWARE_ERROR"        // a middleware panicked or gave no answer
	OutputInvalid         = "OUTPUT_INVALID"          // the tool returned what it must not
	ToolError             = "TOOL_ERROR"              // the tool itself failed
)

// An Error is an error with a code. Its text is told to the model.
type Error struct {
	code string
	err  error
}

// NewError returns err with a code, which is one of the constants above or a
// plugin's own.
func NewError(code string, err error) *Error { return &Error{code, err} }

func newError(code, text string) *Error { return &Error{code, errors.New(text)} }

// Error returns the text of the error inside.
func (e *Error) Error() string { return e.err.Error() }

// Unwrap returns the error inside.
func (e *Error) Unwrap() error { return e.err }

// Code returns the code.
func (e *Error) Code() string { return e.code }

// Code returns the code of a Result: empty for a success, and for an error the
// code of the first error in Err's tree that has a method Code() string, or
// TOOL_ERROR.
func Code(r Result) string {
	if !r.IsError && r.Err == nil {
		return ""
	}
	var c interface{ Code() string }
	if errors.As(r.Err, &c) {
		return c.Code()
	}
	return ToolError
}

// Errors to ask for with errors.Is.
var (
	// ErrExists is in what Register returns for a name that is taken.
	ErrExists = errors.New("already registered")
	// ErrClosed is in what Register returns when the owner has been cleaned up.
	ErrClosed = errors.New("the owner is closed")
	// ErrDenied is in the Err of a call that a policy or a person refused.
	ErrDenied error = newError(Denied, "denied")
)

// A PanicError is in the Err of a call whose tool or middleware panicked. A nil
// Value stands for runtime.Goexit. The stack is for programs: the text, which
// the model reads, does not have it.
type PanicError struct {
	Value any
	Stack []byte
}

// Error tells the value.
func (e *PanicError) Error() string {
	if e.Value == nil {
		return "internal error: runtime.Goexit called"
	}
	return fmt.Sprintf("internal error: %v", e.Value) // fmt contains what the value's own String does
}

// Code returns PANIC.
func (e *PanicError) Code() string { return Panicked }
