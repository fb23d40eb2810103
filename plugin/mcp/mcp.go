// Package mcp brings the tools of an MCP server into a registry.
//
// [New] makes a plugin for one server that is a program and speaks over its standard
// streams, in either era of the protocol. Attaching it does not wait: the server is started
// in the background, and its tools are registered when it has told them. It is started again
// when it ends, sooner when one of its tools is called; what it lists anew replaces what it
// listed before. What a server says is data: it is bounded, and decides nothing.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/scope"
)

// Config is one server.
type Config struct {
	Name    string // what it is called here: letters, digits, dashes and single underscores
	Command string
	Args    []string
	Env     map[string]string // beside what every server gets
	Dir     string            // where it runs; the current directory when empty

	// Cell is how the program is started; nil starts it plainly.
	Cell *confine.Cell

	Start time.Duration // how long it may take to start; 30 s when zero
	Call  time.Duration // how long a call may take; 10 min when zero

	// Notice is told what happens to the server: that it is ready, has ended, lists a tool
	// that cannot be used. Nil: nobody.
	Notice func(Notice)
}

// Notice is something that happened to a server.
type Notice struct {
	Server string
	Ready  bool   // it is ready, with Tools tools
	Down   bool   // it is not there, as Text says
	Tools  int    // that are registered
	Text   string // what happened else; nobody vouches for it
}

// serverName is what a server may be called: a name that [Prefix] can be told from.
var serverName = regexp.MustCompile(`^[A-Za-z0-9]+([_-]?[A-Za-z0-9]+)*$`)

// maxServerName leaves room for the name of a tool.
const maxServerName = 40

// Prefix is the beginning of the names that the tools of a server have here.
func Prefix(server string) string { return "mcp__" + server + "__" }

// New returns the plugin. Attaching it fails if the configuration names no server.
func New(c Config) toolfall.Plugin {
	c.Start, c.Call = cmp.Or(c.Start, 30*time.Second), cmp.Or(c.Call, 10*time.Minute)
	return toolfall.Plugin{Name: "mcp." + c.Name, Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		switch {
		case !serverName.MatchString(c.Name) || len(c.Name) > maxServerName:
			return fmt.Errorf("mcp: the server name %q: want letters, digits, dashes and single underscores, at most %d", c.Name, maxServerName)
		case c.Command == "":
			return errors.New("mcp: " + c.Name + ": there is no command")
		}
		v := newServer(c, r, s)
		s.Go(v.run)
		return nil
	}}
}

// notice tells, if somebody wants to know.
func (c Config) notice(n Notice) {
	if c.Notice != nil {
		n.Server = c.Name
		c.Notice(n)
	}
}

// Wait returns when the server of each name has listed its tools once, or failed to, or ctx
// ends: for programs that make one call and end.
type Wait struct{ ready map[string]chan struct{} }

// NewWait returns a Wait for servers of these names, and the Notice that feeds it.
func NewWait(names ...string) *Wait {
	w := &Wait{ready: make(map[string]chan struct{})}
	for _, name := range names {
		w.ready[name] = make(chan struct{}, 1)
	}
	return w
}

// Notice is to be told of what happens.
func (w *Wait) Notice(n Notice) {
	if n.Ready || n.Down {
		select {
		case w.ready[n.Server] <- struct{}{}:
		default:
		}
	}
}

// For waits.
func (w *Wait) For(ctx context.Context) {
	for _, ready := range w.ready {
		select {
		case <-ready:
		case <-ctx.Done():
			return
		}
	}
}
