package config

import (
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/plugin/files"
	"github.com/toolfall/toolfall/plugin/permission"
	"github.com/toolfall/toolfall/plugin/plan"
	"github.com/toolfall/toolfall/plugin/sandbox"
	"github.com/toolfall/toolfall/plugin/shell"
	"github.com/toolfall/toolfall/scope"
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
	for _, p := range c.plugins() {
		if _, err := r.Attach(s, p); err != nil {
			return nil, err
		}
	}
	return r, nil
}

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

func (c *Config) shell() toolfall.Plugin {
	return shell.New(shell.Config{
		Roots:          c.Roots,
		DefaultTimeout: time.Duration(c.Shell.Timeout) * time.Second,
		MaxTimeout:     time.Duration(c.Shell.MaxTimeout) * time.Second,
		MaxOutput:      c.Shell.MaxOutput,
		AllowEnv:       c.Shell.AllowEnv,
	})
}
