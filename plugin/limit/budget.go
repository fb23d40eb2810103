package limit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
)

// AgentLimits are on each agent. What is zero is not limited.
type AgentLimits struct {
	Pace

	// The budget, with that of all whom the agent started: an agent a/b uses that of a too.
	// Time and Bytes are known when a call ends, so the last one may go beyond them.
	Calls int           // that get as far as a decision
	Time  time.Duration // in which tools ran; what people and queues took does not count
	Bytes int           // of results
}

func (l AgentLimits) check() error {
	if l.Calls < 0 || l.Time < 0 || l.Bytes < 0 {
		return errors.New("a budget cannot be negative")
	}
	return l.Pace.check()
}

// budget is limit.budget and limit.meter.
type budget struct {
	AgentLimits

	mu    sync.Mutex // guards what is in the accounts
	known recent[account]
}

// account is what an agent has used.
type account struct {
	used   usage
	warned [3]bool // of the calls, the time and the bytes
}

type usage struct {
	calls int
	time  time.Duration
	bytes int
}

func newBudget(l AgentLimits) *budget { return &budget{AgentLimits: l} }

func (b *budget) metered() bool { return b.Time > 0 || b.Bytes > 0 }
func (b *budget) set() bool     { return b.Calls > 0 || b.metered() }

// gate stands outside the gates of others: nobody need be asked about a call that there is
// no budget for.
func (b *budget) gate() toolfall.Middleware {
	return toolfall.Middleware{Name: Name + ".budget", Stage: toolfall.Decide, Before: true, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		if agent, what := b.open(c.Agent); what != "" {
			return refuse(Budget, "%s is used up; finish with what there is, and tell what is left to do", b.whose(c.Agent, agent, what))
		}
		r := next(ctx, c)
		if agent, what := b.warn(c.Agent); what != "" {
			return noted(r, "%s is nearly used up; do what matters most first", b.whose(c.Agent, agent, what))
		}
		return r
	}}
}

func (b *budget) meter() toolfall.Middleware {
	return toolfall.Middleware{Name: Name + ".meter", Stage: toolfall.Contain, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		began := time.Now()
		r := next(ctx, c)
		b.charge(c.Agent, usage{time: time.Since(began), bytes: size(r)})
		return r
	}}
}

// whose names a budget to an agent.
func (b *budget) whose(caller, agent, what string) string {
	if agent != caller {
		return fmt.Sprintf("the budget of %s of agent %.64q, which this one is part of,", what, agent)
	}
	return "the budget of " + what
}

// open counts a call, unless a budget that it is part of is used up.
func (b *budget) open(agent string) (whose, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for at := range upward(agent) {
		if what := b.over(b.known.get(at).used, 1); what[0] != "" || what[1] != "" || what[2] != "" {
			return at, what[0] + what[1] + what[2]
		}
	}
	b.add(agent, usage{calls: 1})
	return "", ""
}

func (b *budget) charge(agent string, u usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(agent, u)
}

// add puts what was used on the account of an agent and of those above it. b.mu is held.
func (b *budget) add(agent string, u usage) {
	for at := range upward(agent) {
		used := &b.known.get(at).used
		used.calls += u.calls
		used.time += u.time
		used.bytes += u.bytes
	}
}

// warn returns the first budget that has come to 80 % and nobody was warned of.
func (b *budget) warn(agent string) (whose, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for at := range upward(agent) {
		a := b.known.get(at)
		for i, what := range b.over(a.used, 0.8) {
			if what != "" && !a.warned[i] {
				a.warned[i] = true
				return at, what
			}
		}
	}
	return "", ""
}

// over names the budgets of which at least a share is used.
func (b *budget) over(u usage, share float64) (what [3]string) {
	if b.Calls > 0 && float64(u.calls) >= share*float64(b.Calls) {
		what[0] = fmt.Sprintf("%d calls", b.Calls)
	}
	if b.Time > 0 && float64(u.time) >= share*float64(b.Time) {
		what[1] = fmt.Sprintf("%v in tools", b.Time)
	}
	if b.Bytes > 0 && float64(u.bytes) >= share*float64(b.Bytes) {
		what[2] = fmt.Sprintf("%d bytes of results", b.Bytes)
	}
	return what
}

// maxDepth is how many agents above one have an account that it uses too.
const maxDepth = 32

// upward yields an agent and then those that it was started by, the first one first.
func upward(agent string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(agent) {
			return
		}
		depth := 0
		for i, r := range agent {
			if r != '/' {
				continue
			}
			if depth++; depth > maxDepth || !yield(agent[:i]) {
				return
			}
		}
	}
}

func size(r toolfall.Result) int {
	n := len(r.Structured)
	for _, c := range r.Content {
		n += len(c.Text) + len(c.Data)
	}
	return n
}
