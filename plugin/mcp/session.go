package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolfall/toolfall/internal/rpc"
)

// The revisions of the protocol that are spoken: from legacy on, a session is opened first;
// in modern each request says all there is to know.
const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
)

// understood are the legacy revisions whose answers are read the same way.
var understood = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// probeTime is how long a server may be silent when it is asked whether it is modern: some
// legacy ones do not answer what they do not know.
const probeTime = 3 * time.Second

// errSilent says that a server did not answer the question whether it is modern.
var errSilent = errors.New("no answer to server/discover")

// session is a connection on which calls can be made.
type session struct {
	conn *rpc.Conn
	era  string // modern, or the legacy revision
}

// greet finds out in which era a server lives. It is asked for the modern one first, unless
// it is known to be of the other: then, or after an answer that is none, a session is opened.
func greet(ctx context.Context, conn *rpc.Conn, old bool) (*session, error) {
	if !old {
		s := &session{conn, modern}
		probe, cancel := context.WithTimeoutCause(ctx, probeTime, errSilent)
		_, err := s.ask(probe, "server/discover", nil)
		cancel()
		var refused *rpc.Error
		switch {
		case err == nil:
			return s, nil
		case !errors.As(err, &refused):
			return nil, err
		}
	}
	s := &session{conn, legacy}
	return s, s.initialize(ctx)
}

// initialize opens a legacy session.
func (s *session) initialize(ctx context.Context) error {
	raw, err := s.conn.Call(ctx, "initialize", func(int64) (any, error) {
		return map[string]any{"protocolVersion": legacy, "capabilities": map[string]any{}, "clientInfo": clientInfo()}, nil
	}, nil)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	var told struct{ ProtocolVersion string }
	if err := json.Unmarshal(raw, &told); err != nil {
		return fmt.Errorf("initialize: the answer is not as it should be: %w", err)
	}
	for _, known := range understood {
		if told.ProtocolVersion == known {
			s.era = known
			return s.conn.Notify(ctx, "notifications/initialized", map[string]any{})
		}
	}
	return fmt.Errorf("initialize: the server speaks %q, and %q to %q are spoken here", told.ProtocolVersion, understood[len(understood)-1], modern)
}

func clientInfo() map[string]any { return map[string]any{"name": "toolfall", "version": "1"} }

// ask makes a request with the parameters, to which it adds what the era wants.
func (s *session) ask(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	return s.hear(ctx, method, params, nil)
}

// hear is ask with progress.
func (s *session) hear(ctx context.Context, method string, params map[string]any, progress func(json.RawMessage)) (json.RawMessage, error) {
	return s.conn.Call(ctx, method, func(id int64) (any, error) {
		all := map[string]any{}
		for name, value := range params {
			all[name] = value
		}
		meta := map[string]any{}
		if s.era == modern {
			meta["io.modelcontextprotocol/protocolVersion"] = modern
			meta["io.modelcontextprotocol/clientCapabilities"] = map[string]any{}
			meta["io.modelcontextprotocol/clientInfo"] = clientInfo()
		}
		if progress != nil {
			meta["progressToken"] = id
		}
		if len(meta) > 0 {
			all["_meta"] = meta
		}
		return all, nil
	}, progress)
}

// listen asks a modern server to tell when its tools change. A legacy one does so by itself.
// The request stays open as long as the connection.
func (s *session) listen(ctx context.Context) {
	if s.era == modern {
		s.ask(ctx, "subscriptions/listen", map[string]any{"notifications": map[string]any{"toolsListChanged": true}})
	}
}

// The bounds of a list.
const (
	maxPages = 200
	maxTools = 5000
)

// list returns the tools as the server writes them, from all pages.
func (s *session) list(ctx context.Context) ([]json.RawMessage, error) {
	var all []json.RawMessage
	seen := make(map[string]bool)
	params := map[string]any{}
	for range maxPages {
		raw, err := s.ask(ctx, "tools/list", params)
		if err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		var page struct {
			Tools      []json.RawMessage
			NextCursor *string
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, fmt.Errorf("tools/list: the answer is not as it should be: %w", err)
		}
		all = append(all, page.Tools...)
		switch {
		case len(all) > maxTools:
			return nil, fmt.Errorf("tools/list: more than %d tools", maxTools)
		case page.NextCursor == nil:
			return all, nil
		case seen[*page.NextCursor]:
			return nil, fmt.Errorf("tools/list: the same page comes again and again")
		}
		seen[*page.NextCursor] = true
		params["cursor"] = *page.NextCursor
	}
	return nil, fmt.Errorf("tools/list: more than %d pages", maxPages)
}
