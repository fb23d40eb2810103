// Package limit bounds calls: how long one may take, how many run at once and how often,
// how often one is tried again or repeated, and what an agent may use in all.
//
// [New] makes a plugin of several middlewares, each of which is there only where it is
// configured:
//
//	limit.retry    tries again what failed for the moment, through all gates
//	limit.loop     reminds of calls that are made again and again, then refuses them
//	limit.budget   ends what an agent may use; limit.budget.count counts it
//	limit.breaker  gives a tool that fails and fails a rest
//	limit.pace     has calls wait for their turn
//	limit.time     ends a call that takes too long, and sees what goes on regardless
//
// Nothing here gives up on a tool that runs: it is told by its context, and awaited.
package limit

import (
	"cmp"
	"fmt"
	"path"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// Name is that of the plugin, and the beginning of that of its middlewares.
const Name = "limit"

// The codes of calls that a limit refused.
const (
	Busy        = "BUSY"         // too many wait for the tool already
	CircuitOpen = "CIRCUIT_OPEN" // the tool has failed so often that it rests
	Looping     = "LOOP"         // the agent makes the same calls again and again
	OverBudget  = "BUDGET"       // the agent has used what it may
)

// Config sets up the plugin. The zero value limits nothing but what definitions ask for.
type Config struct {
	Timeout time.Duration // of a call to a tool that asks for none itself; 0 is none
	Grace   time.Duration // how long a tool may go on after its context ended before it is told of; 5 s when zero
	Watch   *Watch        // knows of the tools that go on; nil: only reports do

	Tools []Tool // the first that fits a tool counts
	Agent Pace   // of the calls of each agent together

	Retry   Retry
	Breaker Breaker
	Loop    Loop
	Budget  Budget // of each agent
}

// Tool is the limits of the tools whose names fit a pattern.
type Tool struct {
	Name    string        // with * for any text, as in [path.Match]
	Timeout time.Duration // 0 leaves it to the definition and the default
	Pace
}

// Pace is how many calls run at once, and how often one may begin. Zero is no limit.
type Pace struct {
	Parallel  int
	PerMinute float64
	Waiting   int // how many may wait for their turn; 64 when zero
}

func (p Pace) limits() bool { return p.Parallel > 0 || p.PerMinute > 0 }

// New returns the plugin. Attaching it fails if a pattern is not one or a number cannot
// work.
func New(c Config) toolfall.Plugin {
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	return toolfall.Plugin{Name: Name, Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		if err := c.check(); err != nil {
			return err
		}
		for _, m := range c.middlewares() {
			r.Use(s, m)
		}
		return nil
	}}
}

func (c Config) middlewares() []toolfall.Middleware {
	var out []toolfall.Middleware
	use := func(on bool, name string, stage toolfall.Stage, before bool, wrap func() wrapper) {
		if on {
			out = append(out, toolfall.Middleware{Name: Name + "." + name, Stage: stage, Before: before, Wrap: wrap()})
		}
	}
	use(c.Retry.Attempts > 1, "retry", toolfall.Rewrite, true, func() wrapper { return newRetrier(c.Retry).wrap })
	use(c.Loop.Remind > 0 || c.Loop.Refuse > 0, "loop", toolfall.Rewrite, false, func() wrapper { return newLooper(c.Loop).wrap })
	budgets := newBudgets(c.Budget)
	use(c.Budget != Budget{}, "budget", toolfall.Decide, true, func() wrapper { return budgets.check })
	use(c.Budget != Budget{}, "budget.count", toolfall.Contain, false, func() wrapper { return budgets.count })
	use(c.Breaker.Failures > 0, "breaker", toolfall.Contain, false, func() wrapper { return newBreaker(c.Breaker).wrap })
	use(c.paced(), "pace", toolfall.Contain, false, func() wrapper { return newPacer(c).wrap })
	use(true, "time", toolfall.Contain, false, func() wrapper { return (&timer{c}).wrap })
	return out
}

func (c Config) paced() bool {
	for _, t := range c.Tools {
		if t.limits() {
			return true
		}
	}
	return c.Agent.limits()
}

// tool returns the limits of a tool, or nil.
func (c Config) tool(name string) *Tool {
	for i := range c.Tools {
		if ok, _ := path.Match(c.Tools[i].Name, name); ok {
			return &c.Tools[i]
		}
	}
	return nil
}

func (c Config) check() error {
	for _, t := range append(c.Tools[:len(c.Tools):len(c.Tools)], Tool{Name: "*", Pace: c.Agent}) {
		if _, err := path.Match(t.Name, ""); err != nil {
			return fmt.Errorf("limit: the name %q: %w", t.Name, err)
		}
		if t.Parallel < 0 || t.PerMinute < 0 || t.Waiting < 0 || t.Timeout < 0 {
			return fmt.Errorf("limit: %q: a number below 0", t.Name)
		}
	}
	if c.Loop.Refuse > 0 && c.Loop.Refuse < 2 || c.Loop.Remind > 0 && c.Loop.Remind < 2 {
		return fmt.Errorf("limit: a loop is at least 2 calls")
	}
	if n := max(c.Loop.Refuse, c.Loop.Remind); n > maxRepeats {
		return fmt.Errorf("limit: a loop of %d calls: at most %d are remembered", n, maxRepeats)
	}
	return nil
}
