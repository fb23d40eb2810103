package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The test binary is a server too, when it is started as one.
func TestMain(m *testing.M) {
	if era := os.Getenv("MCP_FAKE"); era != "" {
		(&fake{era: era, dir: os.Getenv("MCP_FAKE_DIR")}).serve()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake is a server of either era, with tools that do what their names say.
type fake struct {
	era, dir string
	mu       sync.Mutex
	extra    bool // it has one more tool
}

func (f *fake) serve() {
	fmt.Println("a banner that is no message")
	fmt.Fprintln(os.Stderr, "something on standard error")
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if f.era == "stubborn" {
				select {} // the end of its input is nothing to it
			}
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 {
			continue
		}
		go f.answer(m.ID, m.Method, m.Params)
	}
}

func (f *fake) say(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	os.Stdout.Write(append(raw, '\n'))
}

func (f *fake) result(id json.RawMessage, v any) {
	f.say(map[string]any{"jsonrpc": "2.0", "id": id, "result": v})
}

func (f *fake) fault(id json.RawMessage, code int, text string) {
	f.say(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
}

func (f *fake) answer(id json.RawMessage, method string, params json.RawMessage) {
	switch {
	case method == "server/discover" && f.era == "silent":
	case method == "server/discover" && f.era == "modern":
		f.result(id, map[string]any{"supportedVersions": []string{"2026-07-28"}, "capabilities": map[string]any{}})
	case method == "initialize" && f.era != "modern":
		f.result(id, map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "serverInfo": map[string]any{"name": "fake"}})
	case method == "subscriptions/listen" && f.era == "modern":
	case f.era == "modern" && !strings.Contains(string(params), "io.modelcontextprotocol/protocolVersion"):
		f.fault(id, -32602, "the request does not say its version")
	case method == "tools/list":
		f.list(id, params)
	case method == "tools/call":
		f.call(id, params)
	default:
		f.fault(id, -32601, "method not found")
	}
}

// list has two pages.
func (f *fake) list(id, params json.RawMessage) {
	object := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"x-unknown":12345678901234567890}`)
	tool := func(name string, hints string) map[string]any {
		return map[string]any{"name": name, "description": "It " + name + "s.\u001b[31m", "inputSchema": object, "annotations": json.RawMessage(hints)}
	}
	if !strings.Contains(string(params), `"cursor":"two"`) {
		f.result(id, map[string]any{"tools": []any{tool("echo", `{"readOnlyHint":true}`), tool("crash", `{}`), tool("once", `{"idempotentHint":true}`)}, "nextCursor": "two"})
		return
	}
	tools := []any{
		tool("fail", `{}`), tool("environ", `{}`), tool("slow", `{}`), tool("change", `{}`), tool("odd name", `{}`),
		map[string]any{"name": "broken", "inputSchema": json.RawMessage(`[1]`)}, tool("echo", `{}`), nil,
	}
	f.mu.Lock()
	if f.extra {
		tools = append(tools, tool("extra", `{}`))
	}
	f.mu.Unlock()
	f.result(id, map[string]any{"tools": tools})
}

func (f *fake) call(id, params json.RawMessage) {
	var p struct {
		Name      string
		Arguments json.RawMessage
		Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
	}
	json.Unmarshal(params, &p)
	text := func(s string) map[string]any {
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}}
	}
	switch p.Name {
	case "echo":
		out := text(string(p.Arguments))
		out["content"] = append(out["content"].([]any), map[string]any{"type": "hologram", "depth": 3}, map[string]any{"type": "image", "data": "aGk=", "mimeType": "image/png"})
		out["structuredContent"] = json.RawMessage(`{"big":12345678901234567890}`)
		f.result(id, out)
	case "crash":
		os.Exit(3)
	case "once": // the first time it crashes
		if os.Mkdir(filepath.Join(f.dir, "once"), 0o755) == nil {
			os.Exit(3)
		}
		f.result(id, text("the second time"))
	case "fail":
		out := text("it does not work")
		out["isError"] = true
		f.result(id, out)
	case "environ":
		f.result(id, text(strings.Join(os.Environ(), "\n")))
	case "slow":
		for i := range 3 {
			f.say(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": map[string]any{"progressToken": p.Meta.ProgressToken, "progress": i + 1, "total": 3, "message": "step"}})
		}
		exec.Command("sleep", "1000").Start() // something that it leaves behind
		if !strings.Contains(string(p.Arguments), "stay") {
			f.result(id, text("done"))
		}
	case "change":
		f.mu.Lock()
		f.extra = true
		f.mu.Unlock()
		f.say(map[string]any{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
		f.result(id, text("changed"))
	default:
		f.result(id, text("this is "+p.Name))
	}
}
