package limit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/time/rate"

	"github.com/toolfall/toolfall"
)

// Pace says how many calls may run, and how often. What is zero is not limited.
type Pace struct {
	Concurrent int     // calls at a time
	Rate       float64 // calls a second
	Burst      int     // how many of them at once, after a pause; 1 when zero
	Queue      int     // how many may wait; 64 when zero
}

func (p Pace) set() bool { return p.Concurrent > 0 || p.Rate > 0 }

func (p Pace) check() error {
	if p.Concurrent < 0 || p.Burst < 0 || p.Queue < 0 || !(p.Rate >= 0) {
		return errors.New("a pace cannot be negative")
	}
	return nil
}

func (p Pace) queue() int { return cmp.Or(p.Queue, 64) }

func (c Config) paced() bool {
	for _, t := range c.Tools {
		if t.set() {
			return true
		}
	}
	return c.Agent.Pace.set()
}

// pacer is limit.pace. A call takes its agent's place before its tool's, so that nobody
// who has a place of a tool waits for another one.
type pacer struct {
	tools  []Tool
	agent  Pace
	byTool gates
	byName gates // of agents
}

func newPacer(tools []Tool, agent Pace) *pacer { return &pacer{tools: tools, agent: agent} }

func (p *pacer) middleware() toolfall.Middleware {
	return toolfall.Middleware{Name: Name + ".pace", Stage: toolfall.Contain, Wrap: p.wrap}
}

func (p *pacer) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	if _, ok := c.Tool(); !ok {
		return next(ctx, c)
	}
	if p.agent.set() {
		g := p.byName.take(c.Agent, p.agent)
		defer p.byName.give(c.Agent, g)
		inside, leave, err := g.enter(ctx)
		if err != nil {
			return held("this agent", g.Pace, err)
		}
		defer leave()
		ctx = inside
	}
	if t := of(p.tools, c.Name); t != nil && t.Pace.set() {
		g := p.byTool.take(c.Name, t.Pace)
		defer p.byTool.give(c.Name, g)
		inside, leave, err := g.enter(ctx)
		if err != nil {
			return held(c.Name, g.Pace, err)
		}
		defer leave()
		ctx = inside
	}
	return next(ctx, c)
}

// held tells why a call did not get its place.
func held(who string, p Pace, err error) toolfall.Result {
	if errors.Is(err, errFull) {
		return refuse(Busy, "%s is busy: %d calls wait already, and no more may; call again when some of them have ended", who, p.queue())
	}
	return toolfall.Fail(toolfall.NewError(toolfall.AbortedBeforeDispatch, fmt.Errorf("aborted while the call waited for its turn; the tool never ran: %w", err)))
}

// gates has a gate for each name that is in use.
type gates struct {
	mu   sync.Mutex
	open map[string]*gate
}

// take returns the gate of a name, which stays until all who took it have given it back.
func (gs *gates) take(name string, p Pace) *gate {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	g := gs.open[name]
	if g == nil {
		if gs.open == nil {
			gs.open = make(map[string]*gate)
		}
		gs.sweep()
		g = newGate(p)
		gs.open[name] = g
	}
	g.users++
	return g
}

func (gs *gates) give(name string, g *gate) {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	if g.users--; g.idle() && len(gs.open) > maxKept {
		delete(gs.open, name)
	}
}

// sweep forgets the gates that a new one would be equal to, once there are many. gs.mu is
// held.
func (gs *gates) sweep() {
	if len(gs.open) < maxKept {
		return
	}
	for name, g := range gs.open {
		if g.idle() {
			delete(gs.open, name)
		}
	}
}

// gate is where the calls of one tool or agent wait.
type gate struct {
	Pace
	users  int           // guarded by the gates
	places *line         // nil: any number
	turn   *line         // whose turn it is to wait for the rate; one at a time, or one who leaves would cost others
	rate   *rate.Limiter // nil: at any rate
}

func newGate(p Pace) *gate {
	g := &gate{Pace: p}
	if p.Concurrent > 0 {
		g.places = newLine(p.Concurrent, p.queue())
	}
	if p.Rate > 0 {
		g.turn = newLine(1, p.queue())
		g.rate = rate.NewLimiter(rate.Limit(p.Rate), max(p.Burst, 1))
	}
	return g
}

// idle reports whether a new gate would be no different.
func (g *gate) idle() bool {
	return g.users == 0 && (g.rate == nil || g.rate.Tokens() >= float64(g.rate.Burst()))
}

// place is the context key of a gate in which the call has a place.
type place struct{ *gate }

// enter waits for a place and then for the rate. Whoever holds a place waits in the same
// order, so all of the queue is first come, first served. A call that is part of one which
// has a place here shares it: waiting for the other to end, it would wait for ever.
func (g *gate) enter(ctx context.Context) (inside context.Context, leave func(), err error) {
	leave = func() {}
	if g.places != nil && ctx.Value(place{g}) == nil {
		if err := g.places.enter(ctx); err != nil {
			return nil, nil, err
		}
		ctx, leave = context.WithValue(ctx, place{g}, true), g.places.leave
	}
	if err := g.throttle(ctx); err != nil {
		leave()
		return nil, nil, err
	}
	return ctx, leave, nil
}

func (g *gate) throttle(ctx context.Context) error {
	if g.rate == nil {
		return nil
	}
	if err := g.turn.enter(ctx); err != nil {
		return err
	}
	defer g.turn.leave()
	if err := g.rate.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err // the deadline of ctx is sooner than its turn
	}
	return nil
}
