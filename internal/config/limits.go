package config

import (
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/limit"
	"github.com/toolfall/toolfall/schedule"
)

// Limits bounds every call, and configures plugin/limit.
type Limits struct {
	MaxArguments int           `json:"maxArguments,omitempty" description:"The longest arguments of a call, in bytes." minimum:"1024" maximum:"1073741824" default:"8388608"`
	Parallel     int           `json:"parallel,omitempty" description:"How many calls that do not touch the same things run at once." minimum:"1" maximum:"1000" default:"10"`
	Timeout      int           `json:"timeout,omitempty" description:"Seconds that a call may take once it runs, unless its tool bounds itself, as bash does, or an entry of tools says otherwise. 0: any time." minimum:"0" maximum:"86400" default:"600"`
	Tools        []ToolLimits  `json:"tools,omitempty" description:"Limits by tool. The first entry whose tool fits counts, for each tool by itself."`
	Agent        AgentLimits   `json:"agent,omitzero" description:"What each agent may use. An agent a/b uses what a has too."`
	Loop         LoopLimits    `json:"loop,omitzero" description:"Calls that an agent repeats although they give the same each time, one after another or up to four in turn."`
	Retry        RetryLimits   `json:"retry,omitzero" description:"Calls that failed for now, of tools that declare that a second equal call changes nothing more."`
	Breaker      BreakerLimits `json:"breaker,omitzero" description:"Tools that fail again and again."`
}

// ToolLimits are on each tool of a name.
type ToolLimits struct {
	Tool       string `json:"tool" description:"The tool, with * for any text." minLength:"1"`
	Timeout    int    `json:"timeout,omitempty" description:"Seconds that a call may take, instead of limits.timeout." minimum:"1" maximum:"86400"`
	Concurrent int    `json:"concurrent,omitempty" description:"The most calls at a time; further ones wait, first come, first served." minimum:"1" maximum:"10000"`
	PerMinute  int    `json:"perMinute,omitempty" description:"The most calls a minute; a sixth of them may come at once." minimum:"1" maximum:"1000000"`
}

// AgentLimits are on each agent.
type AgentLimits struct {
	Concurrent int `json:"concurrent,omitempty" description:"The most calls at a time; further ones wait. 0: any number." minimum:"0" maximum:"10000" default:"0"`
	PerMinute  int `json:"perMinute,omitempty" description:"The most calls a minute; a sixth of them may come at once. 0: any number." minimum:"0" maximum:"1000000" default:"0"`
	Calls      int `json:"calls,omitempty" description:"The most calls in all. At 80 % the agent is told. 0: any number." minimum:"0" maximum:"1000000000" default:"0"`
	Seconds    int `json:"seconds,omitempty" description:"The most seconds that tools run for it in all. 0: any time." minimum:"0" maximum:"31536000" default:"0"`
	Bytes      int `json:"bytes,omitempty" description:"The most bytes of results in all. 0: any number." minimum:"0" maximum:"1000000000000" default:"0"`
}

// LoopLimits are on repetition.
type LoopLimits struct {
	Remind int `json:"remind,omitempty" description:"From which time on the result says so. 0: never." minimum:"0" maximum:"50" default:"3"`
	Refuse int `json:"refuse,omitempty" description:"Which time is refused. 0: none." minimum:"0" maximum:"50" default:"5"`
}

// RetryLimits are on attempts.
type RetryLimits struct {
	Attempts int `json:"attempts,omitempty" description:"The most attempts, the first one included, each of which hooks and permission see. 0 or 1: no further ones." minimum:"0" maximum:"10" default:"0"`
}

// BreakerLimits are on tools that fail.
type BreakerLimits struct {
	Failures int `json:"failures,omitempty" description:"How many failures in a row within a minute have a tool left alone: a timeout, a crash, or a fault that it calls temporary. 0: never." minimum:"0" maximum:"1000" default:"0"`
	Pause    int `json:"pause,omitempty" description:"Seconds until one call may try it again." minimum:"1" maximum:"3600" default:"30"`
}

func defaultLimits() Limits {
	return Limits{MaxArguments: 8 << 20, Parallel: schedule.DefaultWidth, Timeout: 600, Loop: LoopLimits{Remind: 3, Refuse: 5}, Breaker: BreakerLimits{Pause: 30}}
}

func (c *Config) limits() toolfall.Plugin {
	l := c.Limits
	conf := limit.Config{
		Timeout: seconds(l.Timeout),
		Agent:   limit.AgentLimits{Pace: pace(l.Agent.Concurrent, l.Agent.PerMinute), Calls: l.Agent.Calls, Time: seconds(l.Agent.Seconds), Bytes: l.Agent.Bytes},
		Loop:    limit.LoopLimits{Remind: l.Loop.Remind, Refuse: l.Loop.Refuse},
		Retry:   limit.RetryLimits{Attempts: l.Retry.Attempts},
		Breaker: limit.BreakerLimits{Failures: l.Breaker.Failures, Pause: seconds(l.Breaker.Pause)},
	}
	for _, t := range l.Tools {
		conf.Tools = append(conf.Tools, limit.Tool{Name: t.Tool, Timeout: seconds(t.Timeout), Pace: pace(t.Concurrent, t.PerMinute)})
	}
	return limit.New(conf)
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

func pace(concurrent, perMinute int) limit.Pace {
	return limit.Pace{Concurrent: concurrent, Rate: float64(perMinute) / 60, Burst: perMinute / 6}
}

// restrictLimits takes back what a file that is not trusted would loosen.
func (c *Config) restrictLimits() {
	d, loosened := defaultLimits(), false
	tighten := func(value *int, most int, off bool) {
		if *value > most || off && *value == 0 {
			*value, loosened = most, true
		}
	}
	l := &c.Limits
	tighten(&l.MaxArguments, d.MaxArguments, false)
	tighten(&l.Parallel, d.Parallel, false)
	tighten(&l.Timeout, d.Timeout, true)
	tighten(&l.Loop.Remind, d.Loop.Remind, true)
	tighten(&l.Loop.Refuse, d.Loop.Refuse, true)
	tighten(&l.Retry.Attempts, d.Retry.Attempts, false) // each one is load, and a question to a person
	for i := range l.Tools {
		tighten(&l.Tools[i].Timeout, d.Timeout, false)
	}
	if loosened {
		c.ignored("limits that are looser than the defaults")
	}
}
