package permission

import (
	"context"

	"github.com/toolfall/toolfall/policy"
)

// verdict is what somebody outside the gate, such as a hook, has said of a call.
type verdict struct {
	effect policy.Effect
	reason string
}

type verdictKey struct{}

// WithVerdict carries what a hook said of a call to the gate. It can only tighten,
// except that its Allow stands in for the answer to a question that no rule asks.
func WithVerdict(ctx context.Context, e policy.Effect, reason string) context.Context {
	return context.WithValue(ctx, verdictKey{}, verdict{e, reason})
}

// silent reports whether nobody has said anything of the call.
func silent(ctx context.Context) bool { return ctx.Value(verdictKey{}) == nil }

// tightened is a decision together with what was said before it.
func tightened(ctx context.Context, d *policy.Decision) (policy.Effect, string) {
	v, _ := ctx.Value(verdictKey{}).(verdict)
	switch {
	case v.effect == policy.Allow && d.Unruled() && d.Mode != policy.Plan:
		return policy.Allow, ""
	case v.effect > d.Effect:
		return v.effect, "a hook: " + v.reason
	}
	return d.Effect, d.Reason()
}
