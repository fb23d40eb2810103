package mcp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/mcp"
	"github.com/toolfall/toolfall/scope"
)

// real attaches a server from npm, which make servers fetches.
func real(t *testing.T, name string, env map[string]string) (*toolfall.Registry, *scope.Scope) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "npm", "node_modules", ".bin", "mcp-server-"+name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skip("the server is not here; make servers fetches it")
	}
	r, s := toolfall.New(), scope.New(context.Background(), "test")
	t.Cleanup(func() { s.Close() })
	w := mcp.NewWait(name)
	if _, err := r.Attach(s, mcp.New(mcp.Config{Name: name, Command: path, Env: env, Notice: func(n mcp.Notice) {
		t.Logf("%+v", n)
		w.Notice(n)
	}})); err != nil {
		t.Fatal(err)
	}
	w.For(t.Context())
	return r, s
}

func TestTheEverythingServer(t *testing.T) {
	r, _ := real(t, "everything", nil)
	if r.Snapshot().Len() < 5 {
		t.Fatalf("%d tools", r.Snapshot().Len())
	}
	call := func(tool, arguments string) toolfall.Result {
		return r.Execute(t.Context(), toolfall.Call{Name: "mcp__everything__" + tool, Arguments: []byte(arguments)})
	}
	if got := call("echo", `{"message":"héllo <b>"}`); got.Text() != "Echo: héllo <b>" {
		t.Errorf("%q", got.Text())
	}
	if got := call("add", `{"a":2,"b":"three"}`); !got.IsError || !strings.Contains(got.Text(), "b") {
		t.Errorf("a bad argument: %q", got.Text())
	}
	heard := 0
	ctx := toolfall.Listen(t.Context(), func(toolfall.Report) { heard++ })
	if got := r.Execute(ctx, toolfall.Call{Name: "mcp__everything__longRunningOperation", Arguments: []byte(`{"duration":1,"steps":4}`)}); got.IsError || heard < 3 {
		t.Errorf("%q, %d steps heard", got.Text(), heard)
	}
	if got := call("getTinyImage", `{}`); len(got.Content) < 2 || len(got.Content[1].Data) < 100 {
		t.Errorf("%+v", got)
	}
}

func TestTheMemoryServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memory.json")
	r, _ := real(t, "memory", map[string]string{"MEMORY_FILE_PATH": file})
	call := func(tool, arguments string) toolfall.Result {
		return r.Execute(t.Context(), toolfall.Call{Name: "mcp__memory__" + tool, Arguments: []byte(arguments)})
	}
	if got := call("create_entities", `{"entities":[{"name":"Toolfall","entityType":"software","observations":["it is in Go"]}]}`); got.IsError {
		t.Fatalf("%q", got.Text())
	}
	if got := call("read_graph", `{}`); !strings.Contains(got.Text(), "it is in Go") {
		t.Errorf("%q", got.Text())
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}
