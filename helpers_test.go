package toolfall_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/schema"
)

type readArgs struct {
	Path  string `json:"path" description:"Absolute file path"`
	Limit int    `json:"limit,omitempty"`
}

var readFile = toolfall.Define("read_file", "Read a file from disk.",
	func(_ context.Context, a readArgs, _ toolfall.Call) ([]toolfall.Content, error) {
		return toolfall.Text("contents of " + a.Path), nil
	})

// tool makes a raw tool from its body.
func tool(name string, run func(context.Context, toolfall.Call) ([]toolfall.Content, error)) toolfall.Definition {
	return toolfall.Definition{Schema: toolfall.Schema{Name: name}, Execute: run}
}

// echo answers with its arguments as it got them.
var echo = tool("echo", func(_ context.Context, c toolfall.Call) ([]toolfall.Content, error) {
	return toolfall.Text(string(c.Arguments)), nil
})

// specEcho is echo with a literal Spec.
var specEcho = toolfall.DefineSpec("spec_echo", "", schema.Spec{{Name: "path", Type: schema.String, Required: true}},
	func(_ context.Context, c toolfall.Call) ([]toolfall.Content, error) {
		return toolfall.Text(string(c.Arguments)), nil
	})

// trace is a log that many goroutines may write.
type trace struct {
	mu    sync.Mutex
	lines []string
}

func (t *trace) add(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

func (t *trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, " ")
}

// around is a middleware that notes when it is entered and left.
func (t *trace) around(name string, stage toolfall.Stage) toolfall.Middleware {
	return toolfall.Middleware{Name: name, Stage: stage, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		t.add(">%s", name)
		defer t.add("<%s", name)
		return next(ctx, c)
	}}
}

// with is a middleware with a stage and a body.
func with(stage toolfall.Stage, wrap func(context.Context, toolfall.Call, toolfall.Handler) toolfall.Result) toolfall.Middleware {
	return toolfall.Middleware{Name: "test", Stage: stage, Wrap: wrap}
}

// pass lets every call through.
func pass(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	return next(ctx, c)
}

func call(name, arguments string) toolfall.Call {
	return toolfall.Call{ID: "1", Name: name, Arguments: []byte(arguments)}
}
