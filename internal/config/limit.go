package config

import (
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/limit"
)

// limit makes the plugin that bounds calls.
func (c *Config) limit() toolfall.Plugin {
	l := c.Limits
	conf := limit.Config{
		Timeout: time.Duration(l.Timeout) * time.Second,
		Watch:   &c.watch,
		Agent:   limit.Pace{Parallel: l.Agent.Parallel, PerMinute: l.Agent.PerMinute},
		Retry:   limit.Retry{Attempts: 1 + l.Retries},
		Breaker: limit.Breaker{Failures: l.Breaker},
		Loop:    limit.Loop{Remind: l.Loop.Remind, Refuse: l.Loop.Refuse},
		Budget:  limit.Budget{Calls: l.Budget.Calls, Time: time.Duration(l.Budget.Seconds) * time.Second, Bytes: int64(l.Budget.Bytes)},
	}
	for _, t := range l.Tools {
		conf.Tools = append(conf.Tools, limit.Tool{Name: t.Name, Timeout: time.Duration(t.Timeout) * time.Second, Pace: limit.Pace{Parallel: t.Parallel, PerMinute: t.PerMinute}})
	}
	return limit.New(conf)
}

// Stuck returns the tools that go on although they were told to stop.
func (c *Config) Stuck() []limit.Stuck { return c.watch.Stuck() }

// restrictLimits takes back what a file that is not trusted widens.
func (c *Config) restrictLimits(d Limits) {
	was := c.Limits
	narrow := func(p *int, standard int) {
		if *p == 0 || *p > standard {
			*p = standard
		}
	}
	narrow(&c.Limits.Timeout, d.Timeout)
	narrow(&c.Limits.Parallel, d.Parallel)
	narrow(&c.Limits.Breaker, d.Breaker)
	narrow(&c.Limits.Loop.Remind, d.Loop.Remind)
	narrow(&c.Limits.Loop.Refuse, d.Loop.Refuse)
	narrow(&c.Limits.MaxArguments, d.MaxArguments)
	c.Limits.Retries = 0
	wider := false
	for i := range c.Limits.Tools {
		if t := &c.Limits.Tools[i]; t.Timeout > d.Timeout {
			t.Timeout, wider = d.Timeout, true
		}
	}
	now := c.Limits
	if wider || was.Timeout != now.Timeout || was.Parallel != now.Parallel || was.Breaker != now.Breaker || was.Loop != now.Loop || was.MaxArguments != now.MaxArguments || was.Retries != 0 {
		c.ignored("limits wider than the usual")
	}
}
