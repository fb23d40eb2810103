package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/gateway"
	"github.com/toolfall/toolfall/internal/rpc"
	"github.com/toolfall/toolfall/schedule"
)

// client is a client of a gateway, in the same process.
type client struct {
	*rpc.Conn
	*toolfall.Registry
	told chan string // notifications: their method and parameters
	end  func() error
}

func connect(t *testing.T) *client {
	t.Helper()
	c := &client{Registry: toolfall.New(), told: make(chan string, 100)}
	sched, err := schedule.New(t, c.Registry, schedule.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c.tool(t, "echo", func(_ context.Context, call toolfall.Call) ([]toolfall.Content, error) {
		return toolfall.JSON(map[string]any{"n": json.Number("12345678901234567890")}, toolfall.Content{Type: toolfall.TypeText, Text: "<" + string(call.Arguments) + "> by " + call.Agent}, toolfall.Image([]byte("hi"), "image/png"))
	})
	c.tool(t, "fail", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, errors.New("it broke") })
	c.tool(t, "hidden", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, nil })
	g := gateway.New(gateway.Config{Registry: c.Registry, Scheduler: sched, Version: "1.2", Hide: func(name string) bool { return name == "hidden" }})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- g.Serve(t.Context(), inR, outW) }()
	c.Conn = rpc.Open(outR, inW, rpc.Config{Handle: func(_ context.Context, method string, params json.RawMessage) (any, error) {
		c.told <- method + " " + string(params)
		return nil, nil
	}})
	c.end = func() error {
		inW.Close()
		return <-served
	}
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		c.Close()
	})
	return c
}

func (c *client) tool(t *testing.T, name string, run func(context.Context, toolfall.Call) ([]toolfall.Content, error)) {
	t.Helper()
	d := toolfall.Definition{Schema: toolfall.Schema{Name: name, Description: "It does.", Parameters: `{"type":"object","x-big":12345678901234567890}`, Hints: toolfall.Hints{ReadOnly: toolfall.Yes, Title: "Title"}}, Execute: run}
	if _, err := c.Register(t, d); err != nil {
		t.Fatal(err)
	}
}

const now = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// ask makes a request with these parameters, and returns the answer as it was written.
func (c *client) ask(t *testing.T, method, params string) (string, error) {
	t.Helper()
	raw, err := c.Call(t.Context(), method, func(int64) (any, error) { return json.RawMessage(params), nil }, func(p json.RawMessage) { c.told <- "progress " + string(p) })
	return string(raw), err
}

func TestALegacyClient(t *testing.T) {
	c := connect(t)
	for asked, want := range map[string]string{"2025-06-18": "2025-06-18", "1999-01-01": "2025-11-25"} {
		got, err := c.ask(t, "initialize", `{"protocolVersion":"`+asked+`","capabilities":{},"clientInfo":{"name":"x"}}`)
		if err != nil || !strings.Contains(got, `"protocolVersion":"`+want+`"`) || !strings.Contains(got, `"name":"toolfall"`) {
			t.Errorf("%s: %s, %v", asked, got, err)
		}
	}
	got, err := c.ask(t, "tools/list", `{}`)
	if err != nil || strings.Contains(got, "hidden") || strings.Contains(got, "ttlMs") || !strings.Contains(got, `"inputSchema":{"type":"object","x-big":12345678901234567890}`) || !strings.Contains(got, `"annotations":{"title":"Title","readOnlyHint":true}`) {
		t.Errorf("%s, %v", got, err)
	}
	got, err = c.ask(t, "tools/call", `{"name":"echo","arguments":{"a":"&"}}`)
	if want := `{"content":[{"text":"<{\"a\":\"&\"}> by mcp-1","type":"text"},{"data":"aGk=","mimeType":"image/png","type":"image"}],"structuredContent":{"n":12345678901234567890}}`; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got, err := c.ask(t, "tools/call", `{"name":"fail"}`); err != nil || got != `{"content":[{"text":"Error: it broke","type":"text"}],"isError":true}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := c.ask(t, "ping", `{}`); err != nil {
		t.Error(err)
	}
}

func TestAModernClient(t *testing.T) {
	c := connect(t)
	got, err := c.ask(t, "server/discover", `{`+now+`}`)
	if err != nil || !strings.Contains(got, `"supportedVersions":["2026-07-28",`) || !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("%s, %v", got, err)
	}
	got, err = c.ask(t, "tools/list", `{`+now+`}`)
	if err != nil || !strings.Contains(got, `"ttlMs":0`) || !strings.Contains(got, `"cacheScope":"private"`) {
		t.Errorf("%s, %v", got, err)
	}
	got, err = c.ask(t, "tools/call", `{"name":"echo","arguments":{},`+now+`}`)
	if err != nil || !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("%s, %v", got, err)
	}
	var fault *rpc.Error
	if _, err := c.ask(t, "ping", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"}}`); !errors.As(err, &fault) || fault.Code != -32022 || !strings.Contains(string(fault.Data), `"requested":"2030-01-01"`) {
		t.Errorf("%v", err)
	}
}

func TestMistakesOfAClientAreErrors(t *testing.T) {
	c := connect(t)
	for params, want := range map[string]int{`{"name":"nosuch"}`: rpc.InvalidParams, `[1]`: rpc.InvalidParams} {
		var fault *rpc.Error
		if _, err := c.ask(t, "tools/call", params); !errors.As(err, &fault) || fault.Code != want {
			t.Errorf("%s: %v", params, err)
		}
	}
	var fault *rpc.Error
	if _, err := c.ask(t, "nosuch/method", `{}`); !errors.As(err, &fault) || fault.Code != rpc.MethodNotFound {
		t.Errorf("%v", err)
	}
}

// Progress comes under the client's token, grows, and comes before the answer.
func TestProgressReachesTheClient(t *testing.T) {
	c := connect(t)
	c.tool(t, "slow", func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
		for _, done := range []float64{1, 1, 2} {
			toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedProgress, Done: done, Total: 3, Text: "step"})
		}
		return nil, nil
	})
	_, err := c.Call(t.Context(), "tools/call", func(id int64) (any, error) {
		return map[string]any{"name": "slow", "_meta": map[string]any{"progressToken": id}}, nil
	}, func(p json.RawMessage) { c.told <- string(p) })
	if err != nil {
		t.Fatal(err)
	}
	if a, b := <-c.told, <-c.told; !strings.Contains(a, `"progress":1,`) || !strings.Contains(b, `"progress":2,`) || len(c.told) != 0 {
		t.Errorf("%s, %s, and %d more", a, b, len(c.told))
	}
}

// A call that the client gives up is ended.
func TestACallThatIsGivenUpIsEnded(t *testing.T) {
	c := connect(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	c.tool(t, "long", func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	c.Call(ctx, "tools/call", func(int64) (any, error) { return map[string]any{"name": "long"}, nil }, nil)
	<-ended
}

func TestClientsHearOfChanges(t *testing.T) {
	c := connect(t)
	if _, err := c.ask(t, "initialize", `{"protocolVersion":"2025-06-18"}`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go c.Call(ctx, "subscriptions/listen", func(int64) (any, error) {
		return json.RawMessage(`{"notifications":{"toolsListChanged":true},` + now + `}`), nil
	}, nil)
	if got := <-c.told; !strings.Contains(got, "subscriptions/acknowledged") || !strings.Contains(got, `subscriptionId":2`) {
		t.Errorf("%s", got)
	}
	c.tool(t, "another", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, nil })
	a, b := <-c.told, <-c.told
	if both := a + b; strings.Count(both, "tools/list_changed") != 2 || !strings.Contains(both, `subscriptionId":2`) {
		t.Errorf("%s; %s", a, b)
	}
}

// When the client goes, what it asked for is ended and awaited.
func TestAClientThatGoesLeavesNothing(t *testing.T) {
	c := connect(t)
	begun, ended := make(chan struct{}), false
	c.tool(t, "long", func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
		close(begun)
		<-ctx.Done()
		ended = true
		return nil, ctx.Err()
	})
	go c.Call(t.Context(), "tools/call", func(int64) (any, error) { return map[string]any{"name": "long"}, nil }, nil)
	<-begun
	if err := c.end(); err != nil || !ended {
		t.Errorf("%v; ended %v", err, ended)
	}
}
