// Package permission lets a policy, and the people it asks, decide on every call.
//
// [New] makes a plugin with one middleware, "permission", in the stage Decide. What
// the policy allows runs; what it denies is refused with the reason; what it asks
// about waits for an answer from the broker, and is refused where there is nobody to
// ask. An answer is to the arguments that were shown: they are what runs.
package permission

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/policy"
	"github.com/toolfall/toolfall/scope"
)

// Name is that of the plugin and its middleware.
const Name = "permission"

// Config sets up the plugin.
type Config struct {
	Policy *policy.Policy
	Broker *approval.Broker // nil: nobody can be asked

	// Save keeps the grants of an answer that lasts longer than the program. Nil
	// refuses such answers by giving a question no grants to save.
	Save func(approval.Outcome, []policy.Rule) error

	// Request is asked before people are, as a hook may answer for them. It returns
	// None to leave it to them.
	Request func(context.Context, toolfall.Call, *policy.Decision) (policy.Effect, string)
}

// New returns the plugin.
func New(c Config) toolfall.Plugin {
	return toolfall.Plugin{Name: Name, Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		if c.Policy == nil {
			return errors.New("there is no policy")
		}
		g := &gate{Config: c, policy: c.Policy}
		r.Use(s, toolfall.Middleware{Name: Name, Stage: toolfall.Decide, Wrap: g.wrap})
		return nil
	}}
}

// gate decides on calls.
type gate struct {
	Config

	mu     sync.Mutex
	policy *policy.Policy // with what was granted since
}

func (g *gate) current() *policy.Policy {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.policy
}

func (g *gate) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if _, ok := c.Tool(); !ok {
		return next(ctx, c) // it reaches nothing but the answer that there is no such tool
	}
	p := g.current()
	if p.Passes(c.Name) && silent(ctx) {
		report(ctx, "allow", "reading inside the roots")
		return next(ctx, c)
	}
	d := p.Decide(c.Name, c.Arguments)
	effect, why := tightened(ctx, d)
	switch effect {
	case policy.Allow:
		report(ctx, "allow", d.Grounds())
		return next(ctx, c)
	case policy.Deny:
		report(ctx, "deny", why)
		return toolfall.Fail(&Refusal{Decision: d, Why: "denied: " + why})
	}
	return g.ask(ctx, c, next, d, why)
}

// report tells whoever listens what was decided, before the call runs or is refused.
func report(ctx context.Context, effect, why string) {
	toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedDecision, By: Name, Text: effect, Why: why})
}

// ask waits for a hook or a person.
func (g *gate) ask(ctx context.Context, c toolfall.Call, next toolfall.Handler, d *policy.Decision, why string) toolfall.Result {
	if g.Request != nil {
		switch effect, said := g.Request(ctx, c, d); {
		case effect == policy.Allow && d.Unruled():
			report(ctx, "allow", "a hook answered for the person: "+said)
			return next(ctx, c)
		case effect == policy.Deny:
			report(ctx, "deny", "a hook answered for the person: "+said)
			return toolfall.Fail(&Refusal{Decision: d, Outcome: approval.Rejected, Why: "denied by a hook: " + said})
		}
	}
	question := g.question(c, d, why)
	a := approval.Answer{Outcome: approval.Unavailable}
	if g.Broker != nil {
		a = g.Broker.Ask(ctx, question)
	}
	report(ctx, "ask", string(a.Outcome)+": "+why)
	if !a.Outcome.Allows() {
		return toolfall.Fail(refused(ctx, d, a, why))
	}
	if now := bound(c, g.current()); !slices.Equal(now, question.Bound) {
		return toolfall.Fail(&Refusal{Decision: d, Outcome: a.Outcome, Why: "denied: what it would run changed while it was being approved; ask again"})
	}
	if err := g.grant(a.Outcome, d.Grants); err != nil {
		return toolfall.Fail(&Refusal{Decision: d, Outcome: a.Outcome, Why: "denied: " + err.Error()})
	}
	return next(ctx, c)
}

// grant adds what an answer allows from now on.
func (g *gate) grant(o approval.Outcome, rules []policy.Rule) error {
	if o == approval.Once {
		return nil
	}
	if o != approval.Session {
		if err := g.Save(o, rules); err != nil {
			return fmt.Errorf("save what was granted: %w", err)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.policy.With(rules...)
	if err != nil {
		return fmt.Errorf("take in what was granted: %w", err)
	}
	g.policy = p
	return nil
}

// A Refusal is in the Err of a call that was not allowed.
type Refusal struct {
	Decision *policy.Decision
	Outcome  approval.Outcome // empty when the policy itself denied
	Why      string
}

// Error tells the model why, and who refused.
func (r *Refusal) Error() string { return r.Why }

// Code returns DENIED, or for a call that was withdrawn ABORTED_BEFORE_DISPATCH.
func (r *Refusal) Code() string {
	if r.Outcome == approval.Cancelled {
		return toolfall.AbortedBeforeDispatch
	}
	return toolfall.Denied
}

// Is makes a Refusal an ErrDenied, unless the call was withdrawn.
func (r *Refusal) Is(target error) bool {
	return target == toolfall.ErrDenied && r.Outcome != approval.Cancelled
}

func refused(ctx context.Context, d *policy.Decision, a approval.Answer, why string) *Refusal {
	r := &Refusal{Decision: d, Outcome: a.Outcome}
	switch a.Outcome {
	case approval.Rejected:
		r.Why = "denied by a person"
		if a.Note != "" {
			r.Why += ": " + a.Note
		}
	case approval.Expired:
		r.Why = "not approved: nobody answered in time (" + why + ")"
	case approval.Cancelled:
		r.Why = fmt.Sprintf("not approved: the call was cancelled while it waited (%v)", context.Cause(ctx))
	default:
		r.Why = "not approved: it needs a person's approval and there is nobody to ask (" + why + ")"
	}
	return r
}
