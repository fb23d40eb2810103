// Package limit bounds what calls may take: time, places, repetitions.
//
// [New] makes a plugin of several middlewares, each there only where it is configured:
//
//	limit.loop     rewrite  the same again and again is reminded, then refused; with
//	                        limit.loop.admission, in observe, for what admission refuses
//	limit.retry    rewrite  calls that may be repeated are tried again, gates included
//	limit.budget   decide   what an agent may use in all
//	limit.breaker  contain  a tool that is broken is left alone for a while
//	limit.pace     contain  how many calls at a time, and how often
//	limit.meter    contain  counts for limit.budget what calls took
//	limit.time     contain  deadlines, and the bodies that do not keep them
//
// What stands outermost in its stage comes first. A call waits for its place before its
// time begins, and is counted once by limit.loop, however often it is tried.
package limit

import (
	"fmt"
	"path"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// Name is that of the plugin; its middlewares are called limit.loop and so on.
const Name = "limit"

// The codes of calls that a limit refused.
const (
	Loop        = "LOOP"         // the agent goes round in circles
	Budget      = "BUDGET"       // the agent has used what it may
	CircuitOpen = "CIRCUIT_OPEN" // the tool failed too often and is left alone
	Busy        = "BUSY"         // too many calls wait already
)

// Config sets up the plugin. Its zero value keeps the deadlines that definitions set, and
// watches for bodies that do not end.
type Config struct {
	// Timeout is the longest that a call of any tool may take, unless its definition asks
	// for no limit or an entry of Tools sets another one. None when zero.
	Timeout time.Duration

	// Tools are limits by the name of the tool. The first entry whose Name fits counts.
	Tools []Tool

	Agent   AgentLimits   // of each agent
	Loop    LoopLimits    // on repetition
	Retry   RetryLimits   // of calls that may be repeated
	Breaker BreakerLimits // on each tool that fails

	Grace time.Duration // how long a body may go on after its context was seen to have ended, which takes a fifth of that at most, until it counts as stuck; 5 s when zero
	Watch *Watch        // knows those that do; nil: they are only reported
}

// Tool has the limits on each tool of a name.
type Tool struct {
	Name    string        // a pattern as in [path.Match]: * is any text
	Timeout time.Duration // instead of [Config.Timeout]; less than 0 for none
	Pace                  // of each tool whose name fits, by itself
}

// New returns the plugin. Attaching it fails when the configuration makes no sense.
func New(c Config) toolfall.Plugin {
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

// middlewares are what the configuration asks for. Of two that are Before the later one
// stands further out.
func (c Config) middlewares() (ms []toolfall.Middleware) {
	if c.Retry.Attempts > 1 {
		ms = append(ms, newRetry(c.Retry).middleware())
	}
	if c.Loop.Remind > 0 || c.Loop.Refuse > 0 {
		ms = append(ms, newLoop(c.Loop).middlewares()...)
	}
	budget := newBudget(c.Agent)
	if budget.set() {
		ms = append(ms, budget.gate())
	}
	if c.Breaker.Failures > 0 {
		ms = append(ms, newBreaker(c.Breaker).middleware())
	}
	if c.paced() {
		ms = append(ms, newPacer(c.Tools, c.Agent.Pace).middleware())
	}
	if budget.metered() {
		ms = append(ms, budget.meter())
	}
	return append(ms, newClock(c).middleware())
}

// check finds what no call could be held to.
func (c Config) check() error {
	for _, t := range c.Tools {
		if _, err := path.Match(t.Name, ""); err != nil || t.Name == "" {
			return fmt.Errorf("limits of the tool %q: want a name, in which * is any text", t.Name)
		}
		if err := t.check(); err != nil {
			return fmt.Errorf("limits of the tool %q: %w", t.Name, err)
		}
	}
	if err := c.Agent.check(); err != nil {
		return fmt.Errorf("limits of agents: %w", err)
	}
	switch l := c.Loop; {
	case l.Refuse == 1, l.Remind == 1:
		return fmt.Errorf("the first call repeats nothing: a loop begins with 2")
	case l.Remind < 0, l.Refuse < 0, l.Remind > maxRepeats, l.Refuse > maxRepeats:
		return fmt.Errorf("calls can be compared with %d before them at most", maxRepeats)
	}
	return nil
}

// of returns the entry for a tool, or nil.
func of(tools []Tool, name string) *Tool {
	for i := range tools {
		if ok, _ := path.Match(tools[i].Name, name); ok {
			return &tools[i]
		}
	}
	return nil
}

// refuse answers a call that a limit holds back.
func refuse(code, format string, args ...any) toolfall.Result {
	return toolfall.Fail(toolfall.NewError(code, fmt.Errorf(format, args...)))
}

// noted is a result with one more line for the model. The old content may be the tool's.
func noted(r toolfall.Result, format string, args ...any) toolfall.Result {
	line := toolfall.Content{Type: toolfall.TypeText, Text: "note: " + fmt.Sprintf(format, args...)}
	r.Content = append(r.Content[:len(r.Content):len(r.Content)], line)
	return r
}
