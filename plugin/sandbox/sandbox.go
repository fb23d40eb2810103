// Package sandbox says how the tools below it start processes.
//
// [New] makes a plugin with one middleware, "sandbox", in the stage Contain. It puts a
// policy into the context of every call; whatever starts a process there starts it
// under the policy, or not at all.
package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/scope"
)

// Name is that of the plugin and its middleware.
const Name = "sandbox"

// Config sets up the plugin.
type Config struct {
	Launcher *confine.Launcher

	Roots   []string // directories that processes may write in; the current directory when empty
	Write   []string // further ones
	Hide    []string // what they cannot read beside [confine.DefaultHide]
	Protect []string // names in the roots that stay as they are beside [confine.DefaultProtect]
	Net     confine.Net
	Limits  confine.Limits
	Home    string   // a directory that is the home of what runs, and stays; without one it is empty each time
	Env     []string // variables that are set for what runs

	// Over, when not nil, is given the policy when the plugin is attached, and returns the
	// one that holds: with an overlay, for instance.
	Over func(confine.Policy) (confine.Policy, error)

	// ReadOnly says of which calls it is proven that they only read. They get the cheap
	// tier, which keeps files from being written and sockets from being made, and hides
	// nothing. Nil: none.
	ReadOnly func(toolfall.Call) bool
}

// New returns the plugin.
func New(c Config) toolfall.Plugin {
	return toolfall.Plugin{Name: Name, Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		p, err := c.policy()
		if err == nil && c.Over != nil {
			p, err = c.Over(p)
		}
		if err != nil {
			return err
		}
		full := &confine.Cell{Launcher: c.Launcher, Policy: p}
		light := &confine.Cell{Launcher: c.Launcher, Policy: confine.Policy{Tier: confine.Partial}}
		r.Use(s, toolfall.Middleware{Name: Name, Stage: toolfall.Contain, Wrap: func(ctx context.Context, call toolfall.Call, next toolfall.Handler) toolfall.Result {
			cell := full
			if c.ReadOnly != nil && c.ReadOnly(call) {
				cell = light
			}
			return next(confine.With(ctx, cell), call)
		}})
		return nil
	}}
}

// policy is what the configuration says, with the paths as the kernel sees them.
func (c Config) policy() (confine.Policy, error) {
	p := confine.Policy{Tier: confine.Full, Net: c.Net, Limits: c.Limits, Home: c.Home, Env: c.Env, Protect: append(confine.DefaultProtect(), c.Protect...)}
	roots := c.Roots
	if len(roots) == 0 {
		roots = []string{"."}
	}
	for _, dir := range append(append([]string{}, roots...), c.Write...) {
		abs, err := filepath.Abs(dir)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		switch {
		case err != nil:
			return p, err
		case abs == "/":
			return p, fmt.Errorf("%w: a root at / leaves nothing to protect", confine.ErrUnavailable)
		}
		p.Write = append(p.Write, abs)
	}
	hide := c.Hide
	if home, err := os.UserHomeDir(); err == nil {
		hide = append(confine.DefaultHide(home), hide...)
	}
	for _, path := range hide {
		if !holds(path, p.Write) {
			p.Hide = append(p.Hide, path)
		}
	}
	return p, nil
}

// holds reports whether a path is one of the directories, or has one in it: hiding it
// would hide the work.
func holds(path string, dirs []string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for _, dir := range dirs {
		if rel, err := filepath.Rel(path, dir); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
