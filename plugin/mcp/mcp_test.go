package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/mcp"
	"github.com/toolfall/toolfall/scope"
)

// stand is a registry with one server.
type stand struct {
	*toolfall.Registry
	scope   *scope.Scope
	notices chan mcp.Notice
	mark    string // a variable in the environment of the server and all that it starts
}

func start(t *testing.T, era string) *stand {
	t.Helper()
	s := &stand{toolfall.New(), scope.New(context.Background(), "test"), make(chan mcp.Notice, 100), fmt.Sprintf("MCPMARK%d", time.Now().UnixNano())}
	c := mcp.Config{Name: "fake", Command: "/proc/self/exe", Env: map[string]string{"MCP_FAKE": era, "MCP_FAKE_DIR": t.TempDir(), s.mark: "1"}, Notice: func(n mcp.Notice) { s.notices <- n }}
	if _, err := s.Attach(s.scope, mcp.New(c)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.scope.Close() })
	s.ready(t)
	return s
}

// ready waits until the tools are there, and returns what was said before.
func (s *stand) ready(t *testing.T) (said string) {
	t.Helper()
	for n := range s.notices {
		if n.Ready {
			return said
		}
		said += n.Text + "\n"
	}
	return said
}

func (s *stand) call(t *testing.T, tool, arguments string) toolfall.Result {
	t.Helper()
	return s.Execute(t.Context(), toolfall.Call{ID: "1", Name: "mcp__fake__" + tool, Arguments: []byte(arguments)})
}

func TestServersOfEitherEra(t *testing.T) {
	for _, era := range []string{"legacy", "modern", "silent"} {
		t.Run(era, func(t *testing.T) {
			s := start(t, era)
			r := s.call(t, "echo", `{"text":"<hi> & ","n":12345678901234567890}`)
			if r.IsError || !strings.HasPrefix(r.Text(), `{"text":"<hi> & ","n":12345678901234567890}`) {
				t.Errorf("%q", r.Text())
			}
			if string(r.Structured) != `{"big":12345678901234567890}` {
				t.Errorf("structured %s", r.Structured)
			}
			if len(r.Content) != 3 || !strings.Contains(r.Content[1].Text, "hologram") || string(r.Content[2].Data) != "hi" {
				t.Errorf("content %+v", r.Content)
			}
			if r := s.call(t, "fail", `{}`); toolfall.Code(r) != toolfall.ToolError || r.Text() != "Error: it does not work" {
				t.Errorf("%q", r.Text())
			}
		})
	}
}

// One tool that cannot be used is left out; the others keep their schemas to the byte.
func TestABrokenToolIsLeftOutAlone(t *testing.T) {
	s := &stand{toolfall.New(), scope.New(context.Background(), "test"), make(chan mcp.Notice, 100), ""}
	defer s.scope.Close()
	if _, err := s.Attach(s.scope, mcp.New(mcp.Config{Name: "fake", Command: "/proc/self/exe", Env: map[string]string{"MCP_FAKE": "legacy"}, Notice: func(n mcp.Notice) { s.notices <- n }})); err != nil {
		t.Fatal(err)
	}
	said := s.ready(t)
	for _, want := range []string{"broken", "already registered", "is no tool"} {
		if !strings.Contains(said, want) && !(want == "is no tool" && strings.Contains(said, "no name")) {
			t.Errorf("said %q, without %q", said, want)
		}
	}
	d, ok := s.Snapshot().Get("mcp__fake__echo")
	if !ok || string(d.Parameters) != `{"type":"object","properties":{"text":{"type":"string"}},"x-unknown":12345678901234567890}` || d.Description != "It echos." || d.Hints.ReadOnly != toolfall.Yes {
		t.Errorf("%v %+v", ok, d.Schema)
	}
	if _, ok := s.Snapshot().Get("mcp__fake__broken"); ok {
		t.Error("the broken one is there")
	}
	name := mcp.NameOf("fake", "odd name")
	if r := s.Execute(t.Context(), toolfall.Call{Name: name}); r.Text() != "this is odd name" {
		t.Errorf("%s: %q", name, r.Text())
	}
}

// A call that a server does not survive says that its outcome is not known; the server is
// there again for the next one. What does no harm is tried again.
func TestAServerThatEndsIsStartedAgain(t *testing.T) {
	s := start(t, "legacy")
	r := s.call(t, "crash", `{}`)
	if toolfall.Code(r) != mcp.OutcomeUnknown || !strings.Contains(r.Text(), "whether it was done is not known") {
		t.Errorf("%s: %q", toolfall.Code(r), r.Text())
	}
	if r := s.call(t, "echo", `{}`); r.IsError {
		t.Errorf("after a crash: %q", r.Text())
	}
	if r := s.call(t, "once", `{}`); r.Text() != "the second time" {
		t.Errorf("%q", r.Text())
	}
}

func TestAServerThatIsNotThereSaysWhy(t *testing.T) {
	r, sc := toolfall.New(), scope.New(context.Background(), "test")
	defer sc.Close()
	notices := make(chan mcp.Notice, 100)
	if _, err := r.Attach(sc, mcp.New(mcp.Config{Name: "none", Command: "no-such-program-here", Notice: func(n mcp.Notice) { notices <- n }})); err != nil {
		t.Fatal(err)
	}
	if n := <-notices; n.Ready || !n.Down || !strings.Contains(n.Text, "no such program") {
		t.Errorf("%+v", n)
	}
}

func TestOnlyWhatIsNamedIsInTheEnvironment(t *testing.T) {
	t.Setenv("SECRET_OF_OURS", "x")
	got := "\n" + start(t, "legacy").call(t, "environ", `{}`).Text()
	if strings.Contains(got, "SECRET_OF_OURS") || !strings.Contains(got, "\nMCP_FAKE=legacy\n") || !strings.Contains(got, "\nPATH=") {
		t.Errorf("%s", got)
	}
}

func TestProgressIsHeardAndAnAbortReturnsAtOnce(t *testing.T) {
	s := start(t, "legacy")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var done []float64
	heard := toolfall.Listen(ctx, func(r toolfall.Report) {
		if done = append(done, r.Done); r.Done == 3 {
			cancel()
		}
	})
	r := s.Execute(heard, toolfall.Call{Name: "mcp__fake__slow", Arguments: []byte(`{"text":"stay"}`)})
	if toolfall.Code(r) != toolfall.Aborted || fmt.Sprint(done) != "[1 2 3]" {
		t.Errorf("%s, heard %v", r.Text(), done)
	}
	if r := s.call(t, "echo", `{}`); r.IsError {
		t.Errorf("the connection did not survive: %q", r.Text())
	}
}

func TestChangedToolsAreListedAnew(t *testing.T) {
	for _, era := range []string{"legacy", "modern"} {
		s := start(t, era)
		s.call(t, "change", `{}`)
		s.ready(t)
		if r := s.call(t, "extra", `{}`); r.Text() != "this is extra" {
			t.Errorf("%s: %q", era, r.Text())
		}
	}
}

// Nothing is left when the owner closes, whatever the server does.
func TestNothingIsLeft(t *testing.T) {
	for _, era := range []string{"legacy", "stubborn"} {
		s := start(t, era)
		s.call(t, "slow", `{}`)
		if err := s.scope.Close(); err != nil {
			t.Error(err)
		}
		paths, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range paths {
			if raw, err := os.ReadFile(path); err == nil && strings.Contains(string(raw), s.mark+"=") {
				t.Errorf("%s: %s is left", era, filepath.Dir(path))
			}
		}
		if n := s.Snapshot().Len(); n != 0 {
			t.Errorf("%s: %d tools are left", era, n)
		}
	}
}

func TestNamesAreStable(t *testing.T) {
	for tool, want := range map[string]string{
		"read_graph": "mcp__s__read_graph", "a.b-c": "mcp__s__a.b-c",
	} {
		if got := mcp.NameOf("s", tool); got != want {
			t.Errorf("%s is %s", tool, got)
		}
	}
	long, other := mcp.NameOf("s", strings.Repeat("x", 100)+"a"), mcp.NameOf("s", strings.Repeat("x", 100)+"b")
	if len(long) > 64 || long == other || mcp.NameOf("s", "a b") == mcp.NameOf("s", "a_b") {
		t.Errorf("%s and %s", long, other)
	}
	for _, name := range []string{"", "a__b", "a b", "_a", strings.Repeat("x", 41)} {
		sc := scope.New(t.Context(), "test")
		if _, err := toolfall.New().Attach(sc, mcp.New(mcp.Config{Name: name, Command: "true"})); err == nil {
			t.Errorf("a server named %q", name)
		}
		sc.Close()
	}
}
