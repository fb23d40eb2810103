package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/rpc"
	"github.com/toolfall/toolfall/schedule"
)

// The revisions of the protocol that are spoken.
const modern = "2026-07-28"

var legacy = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// The names of what a modern request says of itself.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServer       = "io.modelcontextprotocol/serverInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

// unsupported is the code of a request in a revision that is not spoken.
const unsupported = -32022

// session is one client.
type session struct {
	*Gateway
	agent string
	batch *schedule.Batch
	open  chan struct{} // closed when conn is set
	conn  *rpc.Conn

	mu        sync.Mutex
	greeted   bool                       // by a legacy client, which is told of changes
	listening map[string]json.RawMessage // subscriptions of a modern one: their ids
}

func newSession(g *Gateway, number int64) *session {
	s := &session{Gateway: g, agent: fmt.Sprintf("mcp-%d", number), open: make(chan struct{}), listening: make(map[string]json.RawMessage)}
	if g.Scheduler != nil {
		s.batch = g.Scheduler.Batch()
	}
	return s
}

// request is what of any request's parameters is looked at.
type request struct {
	Meta struct {
		Version  string          `json:"io.modelcontextprotocol/protocolVersion"`
		Progress json.RawMessage `json:"progressToken"`
	} `json:"_meta"`
	ProtocolVersion string          `json:"protocolVersion"`
	Name            string          `json:"name"`
	Arguments       json.RawMessage `json:"arguments"`
	Notifications   struct {
		Tools bool `json:"toolsListChanged"`
	} `json:"notifications"`
}

// handle answers one request.
func (s *session) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	<-s.open
	var r request
	if len(params) > 0 {
		if err := json.Unmarshal(params, &r); err != nil {
			return nil, &rpc.Error{Code: rpc.InvalidParams, Message: "the parameters are not as they should be: " + err.Error()}
		}
	}
	if v := r.Meta.Version; v != "" && v != modern {
		data, _ := json.Marshal(map[string]any{"supported": append([]string{modern}, legacy...), "requested": v})
		return nil, &rpc.Error{Code: unsupported, Message: "unsupported protocol version", Data: data}
	}
	switch method {
	case "initialize":
		return s.initialize(r), nil
	case "server/discover":
		return s.complete(r, map[string]any{
			"supportedVersions": append([]string{modern}, legacy...), "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private",
		}), nil
	case "ping":
		return struct{}{}, nil
	case "tools/list":
		return s.complete(r, map[string]any{"tools": s.listing(s.Registry.Snapshot()), "ttlMs": 0, "cacheScope": "private"}), nil
	case "tools/call":
		return s.call(ctx, r)
	case "subscriptions/listen":
		return s.listen(ctx, r)
	case "notifications/initialized":
		return nil, nil
	}
	return nil, &rpc.Error{Code: rpc.MethodNotFound, Message: "method not found: " + method}
}

var capabilities = map[string]any{"tools": map[string]any{"listChanged": true}}

func (s *session) info() map[string]any {
	return map[string]any{"name": "toolfall", "version": s.Version}
}

// initialize opens a legacy session, in the client's revision if that is spoken.
func (s *session) initialize(r request) any {
	version := legacy[0]
	if slices.Contains(legacy, r.ProtocolVersion) {
		version = r.ProtocolVersion
	}
	s.mu.Lock()
	s.greeted = true
	s.mu.Unlock()
	return map[string]any{"protocolVersion": version, "capabilities": capabilities, "serverInfo": s.info()}
}

// complete adds to a result what a modern client wants to find there.
func (s *session) complete(r request, result map[string]any) map[string]any {
	if r.Meta.Version == modern {
		result["resultType"] = "complete"
		result["_meta"] = map[string]any{metaServer: s.info()}
	} else {
		delete(result, "ttlMs")
		delete(result, "cacheScope")
	}
	return result
}

// listen holds a subscription open until the client gives it up.
func (s *session) listen(ctx context.Context, r request) (any, error) {
	id := rpc.ID(ctx)
	if r.Notifications.Tools {
		s.mu.Lock()
		s.listening[string(id)] = id
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.listening, string(id))
		}()
	}
	s.conn.Notify(ctx, "notifications/subscriptions/acknowledged", map[string]any{
		"notifications": map[string]any{"toolsListChanged": r.Notifications.Tools}, "_meta": map[string]any{metaSubscription: id},
	})
	<-ctx.Done()
	return s.complete(r, map[string]any{}), nil
}

// debounce is how long a change waits for others.
const debounce = 100 * time.Millisecond

// watch tells the client when its list changes.
func (s *session) watch(ctx context.Context) {
	last := string(s.listing(s.Registry.Snapshot()))
	for range s.Registry.Watch(ctx) {
		timer := time.NewTimer(debounce)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		if now := string(s.listing(s.Registry.Snapshot())); now != last {
			last = now
			s.changed(ctx)
		}
	}
}

// changed tells those who want to know that the tools are others now.
func (s *session) changed(ctx context.Context) {
	const method = "notifications/tools/list_changed"
	s.mu.Lock()
	greeted := s.greeted
	var ids []json.RawMessage
	for _, id := range s.listening {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	if greeted {
		s.conn.Notify(ctx, method, map[string]any{})
	}
	for _, id := range ids {
		s.conn.Notify(ctx, method, map[string]any{"_meta": map[string]any{metaSubscription: id}})
	}
}

// call makes one call. What the tool says of its failure is the model's to read; that there
// is no such tool is the client's mistake.
func (s *session) call(ctx context.Context, r request) (any, error) {
	c := toolfall.Call{ID: strings.Trim(string(rpc.ID(ctx)), `"`), Name: r.Name, Arguments: r.Arguments, Agent: s.agent}
	if len(r.Meta.Progress) > 0 {
		ctx = toolfall.Listen(ctx, s.progress(ctx, r.Meta.Progress))
	}
	var res toolfall.Result
	if s.batch != nil {
		res = s.batch.Add(ctx, c).Result()
	} else {
		res = s.Registry.Execute(ctx, c)
	}
	if toolfall.Code(res) == toolfall.UnknownTool {
		return nil, &rpc.Error{Code: rpc.InvalidParams, Message: strings.TrimPrefix(res.Text(), "Error: ")}
	}
	return s.complete(r, answerOf(res)), nil
}

// progress passes on how far a tool is, under the client's token. It only ever grows.
func (s *session) progress(ctx context.Context, token json.RawMessage) func(toolfall.Report) {
	var mu sync.Mutex
	last := 0.0
	return func(r toolfall.Report) {
		if r.Kind != toolfall.ReportedProgress && r.Kind != toolfall.ReportedOutput {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		now := r.Done
		if r.Kind == toolfall.ReportedOutput {
			now = last + 1 // output has no measure
		}
		if now <= last {
			return
		}
		last = now
		params := map[string]any{"progressToken": token, "progress": now, "message": r.Text}
		if r.Total > 0 {
			params["total"] = r.Total
		}
		s.conn.Notify(ctx, "notifications/progress", params)
	}
}

// answerOf is a Result as MCP has it.
func answerOf(r toolfall.Result) map[string]any {
	content := []any{}
	for _, c := range r.Content {
		content = append(content, blockOf(c))
	}
	out := map[string]any{"content": content}
	if r.IsError {
		out["isError"] = true
	}
	if r.Structured != nil {
		out["structuredContent"] = r.Structured
	}
	return out
}

func blockOf(c toolfall.Content) map[string]any {
	switch c.Type {
	case toolfall.TypeImage, toolfall.TypeAudio:
		return map[string]any{"type": c.Type, "data": c.Data, "mimeType": c.MIMEType}
	case toolfall.TypeResource:
		resource := map[string]any{"uri": c.URI}
		if c.MIMEType != "" {
			resource["mimeType"] = c.MIMEType
		}
		if len(c.Data) > 0 {
			resource["blob"] = c.Data
		} else {
			resource["text"] = c.Text
		}
		return map[string]any{"type": "resource", "resource": resource}
	}
	return map[string]any{"type": "text", "text": c.Text}
}
