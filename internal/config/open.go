package config

import (
	"path/filepath"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/plugin/files"
	"github.com/toolfall/toolfall/plugin/permission"
	"github.com/toolfall/toolfall/plugin/plan"
	"github.com/toolfall/toolfall/plugin/sandbox"
	"github.com/toolfall/toolfall/plugin/shell"
	"github.com/toolfall/toolfall/policy"
	"github.com/toolfall/toolfall/schedule"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/spill"
)

// Open returns a registry with everything that the values say, for as long as s is
// open. Calls that need a person's approval are put to the broker; nil stands for
// nobody there. A gate that cannot be set up is an error: without it nothing runs.
func (c *Config) Open(s *scope.Scope, b *approval.Broker) (*toolfall.Registry, error) {
	r := toolfall.NewWith(toolfall.Config{MaxArguments: c.Limits.MaxArguments})
	r.Require(permission.Name, plan.Name) // before anything can fail
	gates, err := c.gates(s, b)
	if err != nil {
		return nil, err
	}
	for _, gate := range gates {
		r.Require(gate.Name)
		if _, err := r.Attach(s, gate); err != nil {
			return nil, err
		}
	}
	if _, err := r.Attach(s, c.limits()); err != nil {
		return nil, err
	}
	if c.Repair {
		r.Use(s, toolfall.RepairArguments(r))
	}
	if c.Sandboxed() {
		r.Require(sandbox.Name)
		cell, err := c.cell()
		if err != nil {
			return nil, err
		}
		if _, err := r.Attach(s, cell); err != nil {
			return nil, err
		}
	}
	told, err := c.telemetry(s)
	if err != nil {
		return nil, err
	}
	for _, p := range []toolfall.Plugin{c.spill(), told} {
		if _, err := r.Attach(s, p); err != nil {
			return nil, err
		}
	}
	servers, err := c.servers()
	if err != nil {
		return nil, err
	}
	for _, p := range append(c.plugins(), servers...) {
		if _, err := r.Attach(s, p); err != nil {
			return nil, err
		}
	}
	if err := c.record(s, r); err != nil {
		return nil, err
	}
	if c.scheduler, err = schedule.New(s, r, schedule.Config{Width: c.Limits.Parallel}); err != nil {
		return nil, err
	}
	return r, nil
}

// record attaches what records calls: last, so that it stands next to the tools.
func (c *Config) record(s *scope.Scope, r *toolfall.Registry) error {
	if !c.Journal.Enabled || c.unrecorded {
		return nil
	}
	p, err := c.recorder(s)
	if err != nil {
		return err
	}
	r.Require(p.Name)
	_, err = r.Attach(s, p)
	return err
}

// Scheduler returns what runs calls of the opened configuration side by side.
func (c *Config) Scheduler() *schedule.Scheduler { return c.scheduler }

// plugins is the table of what may be attached.
func (c *Config) plugins() []toolfall.Plugin {
	var ps []toolfall.Plugin
	for _, row := range []struct {
		on   bool
		make func(*Config) toolfall.Plugin
	}{
		{c.Files.Enabled, (*Config).files},
		{c.Shell.Enabled, (*Config).shell},
	} {
		if row.on {
			ps = append(ps, row.make(c))
		}
	}
	return ps
}

func (c *Config) files() toolfall.Plugin {
	return files.New(files.Config{
		Roots:          c.Roots,
		MaxLines:       c.Files.MaxLines,
		MaxBytes:       c.Files.MaxBytes,
		MaxLine:        c.Files.MaxLine,
		MaxResults:     c.Files.MaxResults,
		AllowHardLinks: c.Files.AllowHardLinks,
		AllowUnread:    c.single,
		Hidden:         c.hidden,
	})
}

// spill bounds what the tools return, but for those that say themselves how to read on.
func (c *Config) spill() toolfall.Plugin {
	const note = 1 << 10 // what a tool says of what it left out
	shell := max(c.Output.Budget, c.Shell.MaxOutput+note)
	conf := spill.Config{
		Budget: c.Output.Budget, MaxTotal: int64(c.Output.MaxMB) << 20, MaxAge: time.Duration(c.Output.MaxHours) * time.Hour,
		Tools: map[string]int{"read_file": max(c.Output.Budget, c.Files.MaxBytes+note), "bash": shell, "shell": shell, "job_output": shell},
	}
	if dir, err := stateDir(); err == nil && c.Output.Keep {
		conf.Dir = filepath.Join(dir, "output")
	}
	return spill.New(conf)
}

// noBackground says why nothing may be left running, if so.
func (c *Config) noBackground() string {
	if c.single {
		return "this program ends with the call, and with it all that it started; toolfall exec goes on as long as its input does"
	}
	return ""
}

// onlyReads reports of a call whether it is proven that it changes nothing.
func (c *Config) onlyReads(call toolfall.Call) bool {
	d := c.policy.Decide(call.Name, call.Arguments)
	return d.ReadOnly && d.Effect != policy.Deny
}

func (c *Config) shell() toolfall.Plugin {
	return shell.New(shell.Config{
		Roots:          c.Roots,
		DefaultTimeout: time.Duration(c.Shell.Timeout) * time.Second,
		MaxTimeout:     time.Duration(c.Shell.MaxTimeout) * time.Second,
		MaxOutput:      c.Shell.MaxOutput,
		AllowEnv:       c.Shell.AllowEnv,
		Jobs:           c.Shell.Jobs,
		JobLife:        time.Duration(c.Shell.JobTime) * time.Second,
		NoBackground:   c.noBackground(),
		Persistent:     c.Shell.Persistent,
		ReadOnly:       c.onlyReads,
	})
}
