package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// readArgs are those of the tool that everybody dispatches to.
type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

var (
	readRaw = []byte(`{"path":"/tmp/x","offset":1,"limit":10}`)
	readOK  = toolfall.Text("ok")
)

func dispatch() []contender {
	cs := []contender{{group: "dispatch", name: "floor: json.Unmarshal + call", setup: floorCall}}
	for _, layers := range []int{0, 1, 5, 10} {
		cs = append(cs, contender{group: "dispatch", name: fmt.Sprintf("toolfall, inline, %d layers", layers), ours: true, setup: ourCall(layers, true)})
	}
	for _, layers := range []int{0, 5} {
		cs = append(cs, contender{group: "dispatch", name: fmt.Sprintf("toolfall, own goroutine, %d layers", layers), ours: true, setup: ourCall(layers, false)})
	}
	return append(cs,
		contender{group: "dispatch", name: "eino InferTool, no check", setup: einoCall},
		contender{group: "dispatch", name: "fantasy tool, no check", setup: fantasyCall},
		contender{group: "dispatch", name: "mcp-go HandleMessage", setup: mcpGoCall},
		contender{group: "dispatch", name: "go-sdk, in memory", setup: goSDKCall})
}

func floorCall() (func(int), func(), error) {
	tool := func(readArgs) []toolfall.Content { return readOK }
	return func(n int) {
		for range n {
			var a readArgs
			if json.Unmarshal(readRaw, &a) == nil {
				tool(a)
			}
		}
	}, nil, nil
}

func ourCall(layers int, inline bool) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		s := scope.New(context.Background(), "bench")
		reg := toolfall.New()
		d := toolfall.Define("read", "Read.", func(context.Context, readArgs, toolfall.Call) ([]toolfall.Content, error) { return readOK, nil })
		d.Inline = inline
		if _, err := reg.Register(s, d); err != nil {
			return nil, nil, err
		}
		for range layers {
			reg.Use(s, toolfall.Middleware{Name: "m", Stage: toolfall.Decide, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
				return next(ctx, c)
			}})
		}
		ctx, call := context.Background(), toolfall.Call{ID: "1", Name: "read", Arguments: readRaw}
		return func(n int) {
			for range n {
				reg.Execute(ctx, call)
			}
		}, func() { s.Close() }, nil
	}
}

func mcpGoCall() (func(int), func(), error) {
	s := mcpserver.NewMCPServer("bench", "1", mcpserver.WithInputSchemaValidation())
	tool := mcpgo.NewTool("read", mcpgo.WithString("path", mcpgo.Required()), mcpgo.WithNumber("offset"), mcpgo.WithNumber("limit"))
	s.AddTool(tool, func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return mcpgo.NewToolResultText("ok"), nil
	})
	message := json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":` + string(readRaw) + `}}`)
	ctx := context.Background()
	if _, ok := s.HandleMessage(ctx, message).(mcpgo.JSONRPCResponse); !ok {
		return nil, nil, errors.New("mcp-go did not answer")
	}
	return func(n int) {
		for range n {
			s.HandleMessage(ctx, message)
		}
	}, nil, nil
}

func goSDKCall() (func(int), func(), error) {
	session, err := goSDKSession(func() {})
	if err != nil {
		return nil, nil, err
	}
	ctx, params := context.Background(), &mcp.CallToolParams{Name: "read", Arguments: json.RawMessage(readRaw)}
	if r, err := session.CallTool(ctx, params); err != nil || r.IsError {
		return nil, nil, fmt.Errorf("go-sdk: %w", err)
	}
	return func(n int) {
		for range n {
			session.CallTool(ctx, params)
		}
	}, func() { session.Close() }, nil
}

// goSDKSession is a client of a server in the same process, with a tool that works.
func goSDKSession(work func()) (*mcp.ClientSession, error) {
	ctx := context.Background()
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "read"}, func(context.Context, *mcp.CallToolRequest, readArgs) (*mcp.CallToolResult, any, error) {
		work()
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}}}, nil, nil
	})
	there, here := mcp.NewInMemoryTransports()
	if _, err := s.Connect(ctx, there, nil); err != nil {
		return nil, err
	}
	return mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, here, nil)
}
