// Package toolfalltest is for those who test a tool, a middleware or a plugin.
//
// [Attach] gives a registry with a plugin in it for the length of a test. [Tool]
// and [Layer] make tools and middleware that do one known thing and write it
// down in a [Trace]. [Run] plays waterfall scripts: files that list tools, a
// chain and calls, and say what must come of them.
package toolfalltest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// Attach returns a registry with plugins in it, until the test ends. What panics
// while they are taken down fails the test.
func Attach(t testing.TB, plugins ...toolfall.Plugin) *toolfall.Registry {
	t.Helper()
	reg := toolfall.New()
	s := scope.New(context.Background(), t.Name())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if n := reg.Snapshot(); n.Len() != 0 || len(n.Chain()) != 0 {
			t.Errorf("%d tools and %d middlewares outlived their plugin", n.Len(), len(n.Chain()))
		}
	})
	for _, p := range plugins {
		if _, err := reg.Attach(s, p); err != nil {
			t.Fatal(err)
		}
	}
	return reg
}

// A Trace is what happened, in order. It may be written by many goroutines.
type Trace struct {
	mu    sync.Mutex
	steps []string
}

// Add writes a step down.
func (t *Trace) Add(step string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, step)
}

// String returns the steps with spaces between them.
func (t *Trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.steps, " ")
}

func (t *Trace) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = nil
}

// pathArguments are those of a checked tool.
type pathArguments struct {
	Path  string `json:"path"`
	Limit int    `json:"limit,omitempty"`
}

// Tool returns a tool that does one thing and notes its name in the trace. The
// kinds are echo, which returns its arguments; typed, which takes a path and
// perhaps a limit, and returns the path; text, fail and panic, which return, fail
// or panic with a text; and goexit. It panics on another kind.
func Tool(trace *Trace, name, kind, text string) toolfall.Definition {
	if kind == "typed" {
		return toolfall.Define(name, "", func(_ context.Context, a pathArguments, _ toolfall.Call) ([]toolfall.Content, error) {
			trace.Add(name)
			return toolfall.Text(a.Path), nil
		})
	}
	body, ok := map[string]func(toolfall.Call) ([]toolfall.Content, error){
		"echo":   func(c toolfall.Call) ([]toolfall.Content, error) { return toolfall.Text(string(c.Arguments)), nil },
		"text":   func(toolfall.Call) ([]toolfall.Content, error) { return toolfall.Text(text), nil },
		"fail":   func(toolfall.Call) ([]toolfall.Content, error) { return nil, errors.New(text) },
		"panic":  func(toolfall.Call) ([]toolfall.Content, error) { panic(text) },
		"goexit": func(toolfall.Call) ([]toolfall.Content, error) { runtime.Goexit(); return nil, nil },
	}[kind]
	if !ok {
		panic(fmt.Sprintf("toolfalltest: unknown kind of tool %q", kind))
	}
	return toolfall.Definition{
		Schema: toolfall.Schema{Name: name},
		Execute: func(_ context.Context, c toolfall.Call) ([]toolfall.Content, error) {
			trace.Add(name)
			return body(c)
		},
	}
}

// Layer returns a middleware that does one thing, and notes when it is entered
// and left. The kinds are pass; twice, which calls next a second time; deny, which
// answers with a text; panic; zero, which gives no result; and arguments, which
// passes the call on with the text as its arguments. It panics on another kind.
func Layer(trace *Trace, stage toolfall.Stage, name, kind, text string) toolfall.Middleware {
	wrap, ok := map[string]func(context.Context, toolfall.Call, toolfall.Handler) toolfall.Result{
		"pass": func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result { return next(ctx, c) },
		"twice": func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			next(ctx, c)
			return next(ctx, c)
		},
		"deny": func(context.Context, toolfall.Call, toolfall.Handler) toolfall.Result {
			return toolfall.Fail(fmt.Errorf("%w: %s", toolfall.ErrDenied, text))
		},
		"panic": func(context.Context, toolfall.Call, toolfall.Handler) toolfall.Result { panic(text) },
		"zero":  func(context.Context, toolfall.Call, toolfall.Handler) toolfall.Result { return toolfall.Result{} },
		"arguments": func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			c.Arguments = json.RawMessage(text)
			return next(ctx, c)
		},
	}[kind]
	if !ok {
		panic(fmt.Sprintf("toolfalltest: unknown kind of layer %q", kind))
	}
	return toolfall.Middleware{Name: name, Stage: stage, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		trace.Add(">" + name)
		defer trace.Add("<" + name)
		return wrap(ctx, c, next)
	}}
}
