package toolfall

import "context"

// A Report is something that happens to a call while it is on its way: what a tool
// has done so far, or what a layer decided. It is for people and records; a call goes
// on the same whether anybody hears it or not.
type Report struct {
	Kind string // one of the Reported constants
	By   string // the tool or the middleware that tells
	Text string // what the kind says; nobody vouches for it

	// Why says more: the rule that decided, the fault that made for a new attempt.
	Why string

	// Done and Total count the same thing, which Text names. A Total of 0 is not known.
	Done, Total float64
}

// The kinds of report.
const (
	ReportedProgress = "progress" // Done of Total; Text says of what
	ReportedOutput   = "output"   // Text is the next piece of what the tool puts out
	ReportedDecision = "decision" // By let the call go on or refused it: Text is the effect, Why the rule
	ReportedAttempt  = "attempt"  // the call is tried again: Done is the number of the attempt, Why what failed
	ReportedKept     = "kept"     // the whole of a long output is kept under the name Text
	ReportedStuck    = "stuck"    // the tool goes on although its context ended
	ReportedNote     = "note"     // anything else: Text
)

// hearing is the context key of whoever hears reports.
type hearing struct{}

// Listen returns a context in which reports are heard, and by those further out too.
// hear is called in the goroutine that tells, perhaps in several at once, and must
// not take long.
func Listen(ctx context.Context, hear func(Report)) context.Context {
	if outer, ok := ctx.Value(hearing{}).(func(Report)); ok {
		inner := hear
		hear = func(r Report) {
			inner(r)
			outer(r)
		}
	}
	return context.WithValue(ctx, hearing{}, hear)
}

// Tell gives a report to all who listen in ctx. Where nobody does it costs a look-up.
func Tell(ctx context.Context, r Report) {
	if hear, ok := ctx.Value(hearing{}).(func(Report)); ok {
		hear(r)
	}
}

// Heard reports whether anybody listens in ctx: a tool need not count for nobody.
func Heard(ctx context.Context) bool { return ctx.Value(hearing{}) != nil }
