package limit

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"

	"github.com/toolfall/toolfall"
)

// pacer has calls wait for their turn.
type pacer struct {
	Config
	agents *agents[lane]

	mu    sync.Mutex
	tools map[string]*lane // of those that were called
}

func newPacer(c Config) *pacer {
	return &pacer{Config: c, agents: newAgents(func() *lane { return newLane(c.Agent) }), tools: make(map[string]*lane)}
}

func (p *pacer) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	for _, l := range []*lane{p.ofAgent(c.Agent), p.ofTool(&c)} {
		if l == nil {
			continue
		}
		leave, err := l.enter(ctx, c.Name)
		if err != nil {
			return toolfall.Fail(err)
		}
		defer leave()
	}
	return next(ctx, c)
}

func (p *pacer) ofAgent(name string) *lane {
	if !p.Agent.limits() {
		return nil
	}
	return p.agents.get(name)
}

// ofTool is the lane of a tool. Names that no tool has get none, so that there are no
// more lanes than tools.
func (p *pacer) ofTool(c *toolfall.Call) *lane {
	t := p.tool(c.Name)
	if _, known := c.Tool(); t == nil || !t.limits() || !known {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.tools[c.Name]
	if l == nil {
		l = newLane(t.Pace)
		p.tools[c.Name] = l
	}
	return l
}

// lane is where calls wait, first come, first served.
type lane struct {
	places  chan struct{} // holds one for each call that runs; nil for no limit
	rate    *rate.Limiter // nil for no limit
	waiting atomic.Int64
	most    int64
}

func newLane(p Pace) *lane {
	l := &lane{most: int64(cmp.Or(p.Waiting, 64))}
	if p.Parallel > 0 {
		l.places = make(chan struct{}, p.Parallel)
	}
	if p.PerMinute > 0 {
		l.rate = rate.NewLimiter(rate.Limit(p.PerMinute/60), max(1, int(p.PerMinute/60)))
	}
	return l
}

// enter waits for the turn of a call.
func (l *lane) enter(ctx context.Context, name string) (leave func(), err error) {
	if l.at(ctx) {
		return l.leave, nil
	}
	defer l.waiting.Add(-1)
	if l.waiting.Add(1) > l.most {
		return nil, toolfall.NewError(Busy, fmt.Errorf("%s is busy: %d calls wait for it already; try again later, or do something else", name, l.most))
	}
	toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedNote, By: Name, Text: "waits for its turn"})
	if l.rate != nil {
		if err := l.rate.Wait(ctx); err != nil {
			return nil, gone(ctx, err)
		}
	}
	if l.places != nil {
		select {
		case l.places <- struct{}{}:
		case <-ctx.Done():
			return nil, gone(ctx, ctx.Err())
		}
	}
	return l.leave, nil
}

// at takes a place if one is free at once, and nobody waits.
func (l *lane) at(ctx context.Context) bool {
	if l.waiting.Load() > 0 || ctx.Err() != nil {
		return false
	}
	if l.places != nil {
		select {
		case l.places <- struct{}{}:
		default:
			return false
		}
	}
	if l.rate != nil && !l.rate.Allow() {
		l.leave()
		return false
	}
	return true
}

func (l *lane) leave() {
	if l.places != nil {
		<-l.places
	}
}

// gone is the end of a call that waited.
func gone(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return toolfall.NewError(toolfall.AbortedBeforeDispatch, fmt.Errorf("aborted while it waited for its turn: %w", err))
}
