package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// peersAtScale do what the libraries we are beside can do with so many tools:
// none takes back one list for all sessions, so listing goes through a message.
func peersAtScale(size int) []contender {
	group := fmt.Sprintf("scale %d", size)
	var cs []contender
	add := func(name string, setup func(int) (func(int), func(), error)) {
		cs = append(cs, contender{group: group, name: name, setup: func() (func(int), func(), error) { return setup(size) }})
	}
	add("mcp-go: register all in one batch", mcpGoBatch)
	add("mcp-go: list", mcpGoList)
	add("go-sdk: register one by one", goSDKSingly)
	add("go-sdk: list, in memory", goSDKList)
	return cs
}

const peerSchema = `{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"]}`

func mcpGoTools(size int) []mcpserver.ServerTool {
	tools := make([]mcpserver.ServerTool, size)
	for i := range tools {
		tools[i] = mcpserver.ServerTool{
			Tool: mcpgo.NewToolWithRawSchema(fmt.Sprintf("tool_%d", i), "Does what its name says.", json.RawMessage(peerSchema)),
			Handler: func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
				return mcpgo.NewToolResultText("ok"), nil
			},
		}
	}
	return tools
}

func mcpGoBatch(size int) (func(int), func(), error) {
	tools := mcpGoTools(size)
	return func(n int) {
		for range n {
			mcpserver.NewMCPServer("bench", "1").AddTools(tools...)
		}
	}, nil, nil
}

func mcpGoList(size int) (func(int), func(), error) {
	s := mcpserver.NewMCPServer("bench", "1")
	s.AddTools(mcpGoTools(size)...)
	ctx, message := context.Background(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if _, ok := s.HandleMessage(ctx, message).(mcpgo.JSONRPCResponse); !ok {
		return nil, nil, errors.New("mcp-go did not answer")
	}
	return func(n int) {
		for range n {
			s.HandleMessage(ctx, message)
		}
	}, nil, nil
}

func goSDKServer(size int) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, &mcp.ServerOptions{PageSize: size})
	for i := range size {
		s.AddTool(&mcp.Tool{Name: fmt.Sprintf("tool_%d", i), Description: "Does what its name says.", InputSchema: json.RawMessage(peerSchema)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
	}
	return s
}

func goSDKSingly(size int) (func(int), func(), error) {
	return func(n int) {
		for range n {
			goSDKServer(size)
		}
	}, nil, nil
}

func goSDKList(size int) (func(int), func(), error) {
	ctx := context.Background()
	there, here := mcp.NewInMemoryTransports()
	if _, err := goSDKServer(size).Connect(ctx, there, nil); err != nil {
		return nil, nil, err
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		return nil, nil, err
	}
	if r, err := session.ListTools(ctx, nil); err != nil || len(r.Tools) != size {
		return nil, nil, fmt.Errorf("go-sdk: %w", err)
	}
	return func(n int) {
		for range n {
			session.ListTools(ctx, nil)
		}
	}, func() { session.Close() }, nil
}
