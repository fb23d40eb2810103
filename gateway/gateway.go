// Package gateway serves the tools of a registry over MCP.
//
// A [Gateway] speaks to one client over a pair of streams ([Gateway.Serve]), in either era of
// the protocol: a client of the legacy one opens a session first, one of the modern one says
// all there is to know with each request. Each client is an agent of its own, and its calls
// go through the same waterfall as any other.
package gateway

import (
	"context"
	"encoding/json"
	"io"
	"sync/atomic"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/rpc"
	"github.com/toolfall/toolfall/schedule"
)

// Config sets up a Gateway.
type Config struct {
	Registry  *toolfall.Registry
	Scheduler *schedule.Scheduler // runs the calls of a client side by side where they may; nil: all of them
	Version   string              // of the program, which clients are told

	// Hide says which tools are not listed, as every call of them would be refused.
	Hide func(name string) bool
}

// Gateway serves clients.
type Gateway struct {
	Config
	clients atomic.Int64
}

// New returns a gateway.
func New(c Config) *Gateway { return &Gateway{Config: c} }

// linger is how long what runs may go on when a client has ended its stream: one that was
// given all its requests at once still reads.
const linger = 2 * time.Second

// maxCalls is how many requests of a client are answered at a time.
const maxCalls = 64

// Serve speaks to a client until it ends its stream, or ctx ends. It closes out. What still
// runs then is told to stop, and awaited.
func (g *Gateway) Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	s := newSession(g, g.clients.Add(1))
	s.conn = rpc.Open(in, out, rpc.Config{Handle: s.handle, Asked: maxCalls, Linger: linger})
	close(s.open)
	watching, end := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() { // Serve waits for it
		defer close(watched)
		s.watch(watching)
	}()
	select {
	case <-s.conn.Done():
	case <-ctx.Done():
	}
	end()
	<-watched
	s.conn.Abort()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// listing is the tools as MCP lists them.
func (g *Gateway) listing(s *toolfall.Snapshot) json.RawMessage {
	tools := []listed{}
	for _, t := range s.Schemas() {
		if g.Hide == nil || !g.Hide(t.Name) {
			tools = append(tools, listedOf(t))
		}
	}
	raw, err := rpc.Encode(tools)
	if err != nil {
		return json.RawMessage("[]") // cannot be: Register has checked that the schemas are JSON
	}
	return raw
}

// listed is a tool in a list.
type listed struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations *toolfall.Hints `json:"annotations,omitempty"`
}

func listedOf(t toolfall.Schema) listed {
	l := listed{Name: t.Name, Title: t.Hints.Title, Description: t.Description, Input: json.RawMessage(t.Parameters), Output: json.RawMessage(t.Output)}
	if t.Parameters == "" {
		l.Input = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if t.Hints != (toolfall.Hints{}) {
		l.Annotations = &t.Hints
	}
	return l
}
