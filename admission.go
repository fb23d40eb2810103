package toolfall

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/toolfall/toolfall/schema"
)

// admission is what admission found out about one call. It is made once for
// each call, and again when a rewrite changed the arguments.
type admission struct {
	record Record
	entry  *entry      // the tool, or nil when there is none of that name
	self   any         // the *typed[Args] that this is part of, if it is
	used   atomic.Bool // whether a run has taken the decoded arguments
}

// covers reports whether c is still the call that was admitted.
func (a *admission) covers(c Call) bool {
	return a != nil && a.record.Name == c.Name &&
		(same(a.record.Arguments, c.Arguments) || bytes.Equal(a.record.Arguments, c.Arguments))
}

// typed is an admission that holds the decoded arguments of a Define tool.
type typed[Args any] struct {
	admission
	args Args
}

// take returns the arguments that admission decoded. They are given away once:
// a second run of the same call decodes its own, as the first may have changed
// what its arguments point to.
func take[Args any](c Call) (args Args, ok bool) {
	if !c.admitted.covers(c) {
		return args, false
	}
	t, ok := c.admitted.self.(*typed[Args])
	if !ok || t.used.Swap(true) {
		return args, false
	}
	return t.args, true
}

// same reports whether a and b are the same bytes in the same place.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// admit stands between the stages that see a call as it came and those that
// work on what it means: it reads the arguments once, strictly.
func (s *Snapshot) admit(next Handler) Handler {
	return func(ctx context.Context, c Call) Result {
		if name, missing := s.missing(); missing {
			return Fail(NewError(Denied, fmt.Errorf("the middleware %q is required and not attached", name)))
		}
		if ctx.Err() != nil {
			return Fail(early(ctx)) // nobody need be asked about a call that will not run
		}
		if err := s.examine(&c); err != nil {
			return Fail(err)
		}
		r := next(ctx, c)
		if r.Record == nil {
			r.Record = &c.admitted.record
		}
		return r
	}
}

// readmit stands behind the middleware that rewrites. A call that was rewritten
// is examined again, so that nobody is asked about a call that cannot run.
func (s *Snapshot) readmit(next Handler) Handler {
	return func(ctx context.Context, c Call) Result {
		if c.admitted.covers(c) {
			return next(ctx, c)
		}
		if err := s.examine(&c); err != nil {
			return Fail(err)
		}
		r := next(ctx, c)
		r.Record = &c.admitted.record
		return r
	}
}

// examine parses and checks the arguments of c, and leaves in c what is to be
// decided on and run. A tool that nobody knows is not refused here: policy must
// see every name.
func (s *Snapshot) examine(c *Call) (err error) {
	if max := s.config.maxArguments(); len(c.Arguments) > max {
		return &schema.SyntaxError{Problem: fmt.Sprintf("the arguments are %d bytes long, and %d are allowed", len(c.Arguments), max)}
	}
	e := s.tools.get(c.Name)
	var a *admission
	switch {
	case e != nil && e.admit != nil:
		a, err = e.admit(c.Arguments)
	default:
		a = new(admission)
		a.record.Arguments, err = schema.Arguments(c.Arguments)
	}
	if err != nil {
		return told(err, e)
	}
	a.record.Name, a.entry = c.Name, e
	c.Arguments, c.admitted = a.record.Arguments, a
	return nil
}

// told adds the names of a raw tool's parameters to an error about its JSON; a
// checked tool's errors have them.
func told(err error, e *entry) error {
	if syntax, ok := err.(*schema.SyntaxError); ok && e != nil && e.plan == nil {
		syntax.Parameters = schema.Names(e.Parameters)
	}
	return err
}

// missing returns a middleware that is required and not attached.
func (s *Snapshot) missing() (name string, missing bool) {
	for _, name := range s.required {
		if !s.attached(name) {
			return name, true
		}
	}
	return "", false
}

func (s *Snapshot) attached(name string) bool {
	for _, m := range s.chain {
		if m.Name == name {
			return true
		}
	}
	return false
}
