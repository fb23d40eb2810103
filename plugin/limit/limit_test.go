package limit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/limit"
	"github.com/toolfall/toolfall/scope"
)

type (
	ctx     = context.Context
	content = []toolfall.Content
)

// tool is a raw tool that answers "done" after what run does.
func tool(name string, run func(ctx, toolfall.Call) error) toolfall.Definition {
	return toolfall.Definition{Schema: toolfall.Schema{Name: name}, Execute: func(c ctx, call toolfall.Call) (content, error) {
		if err := run(c, call); err != nil {
			return nil, err
		}
		return toolfall.Text("done"), nil
	}}
}

func nothing(ctx, toolfall.Call) error { return nil }

// until is a body that ends with its context.
func until(c ctx, _ toolfall.Call) error {
	<-c.Done()
	return c.Err()
}

// repeatable is d with the hint that a second equal call changes nothing more.
func repeatable(d toolfall.Definition) toolfall.Definition {
	d.Hints.Idempotent = toolfall.Yes
	return d
}

func open(t *testing.T, c limit.Config, ds ...toolfall.Definition) *toolfall.Registry {
	t.Helper()
	r := toolfall.New()
	attach(t, r, c)
	if _, err := r.Register(t, ds...); err != nil {
		t.Fatal(err)
	}
	return r
}

func attach(t testing.TB, r *toolfall.Registry, c limit.Config) {
	t.Helper()
	s := scope.New(context.Background(), "test")
	t.Cleanup(func() { s.Close() })
	if _, err := r.Attach(s, limit.New(c)); err != nil {
		t.Fatal(err)
	}
}

func call(name string) toolfall.Call { return toolfall.Call{ID: "1", Name: name} }

// want checks the code of a result, and that it says something.
func want(t *testing.T, r toolfall.Result, code string, says ...string) {
	t.Helper()
	if got := toolfall.Code(r); got != code {
		t.Errorf("code = %q, want %q (%s)", got, code, r.Text())
	}
	for _, s := range says {
		if !strings.Contains(r.Text(), s) {
			t.Errorf("%q does not say %q", r.Text(), s)
		}
	}
}

// flaky is an error that says of itself that it may pass.
type flaky struct{}

func (flaky) Error() string   { return "connection reset" }
func (flaky) Temporary() bool { return true }

// heard is what was told.
type heard struct {
	mu sync.Mutex
	rs []toolfall.Report
}

func (h *heard) in(c ctx) ctx {
	return toolfall.Listen(c, func(r toolfall.Report) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.rs = append(h.rs, r)
	})
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var lines []string
	for _, r := range h.rs {
		lines = append(lines, fmt.Sprintf("%s by %s: %s %v/%v %s", r.Kind, r.By, r.Text, r.Done, r.Total, r.Why))
	}
	return strings.Join(lines, "\n")
}

func names(r *toolfall.Registry) string {
	var all []string
	for _, m := range r.Snapshot().Chain() {
		all = append(all, m.Name)
	}
	return strings.Join(all, " ")
}

func TestWhatIsNotConfiguredIsNotThere(t *testing.T) {
	if got := names(open(t, limit.Config{})); got != "limit.time" {
		t.Errorf("chain = %s", got)
	}
	all := limit.Config{
		Retry: limit.RetryLimits{Attempts: 2}, Loop: limit.LoopLimits{Remind: 3}, Breaker: limit.BreakerLimits{Failures: 3},
		Agent: limit.AgentLimits{Pace: limit.Pace{Rate: 1}, Bytes: 1},
	}
	want := "limit.loop.admission limit.loop limit.retry limit.budget limit.breaker limit.pace limit.meter limit.time"
	if got := names(open(t, all)); got != want {
		t.Errorf("chain = %s", got)
	}
}

func TestNothingConfiguredCostsNothing(t *testing.T) {
	plain := toolfall.New()
	d := tool("x", nothing)
	d.Inline = true
	if _, err := plain.Register(t, d); err != nil {
		t.Fatal(err)
	}
	limited := open(t, limit.Config{Tools: []limit.Tool{{Name: "other_*", Pace: limit.Pace{Concurrent: 1}}}}, d)
	run := func(r *toolfall.Registry, c ctx) float64 {
		return testing.AllocsPerRun(100, func() { r.Execute(c, call("x")) })
	}
	if before, after := run(plain, context.Background()), run(limited, context.Background()); after > before {
		t.Errorf("%v allocations, %v without the plugin", after, before)
	}
	// A context that can end is watched, which takes one.
	if before, after := run(plain, t.Context()), run(limited, t.Context()); after > before+1 {
		t.Errorf("%v allocations, %v without the plugin", after, before)
	}
}

func TestBadLimitsAreRefused(t *testing.T) {
	for _, c := range []limit.Config{
		{Tools: []limit.Tool{{Name: "[", Timeout: 1}}},
		{Tools: []limit.Tool{{Timeout: 1}}},
		{Tools: []limit.Tool{{Name: "x", Pace: limit.Pace{Concurrent: -1}}}},
		{Agent: limit.AgentLimits{Calls: -1}},
		{Loop: limit.LoopLimits{Refuse: 1}},
		{Loop: limit.LoopLimits{Remind: 1000}},
	} {
		r, s := toolfall.New(), scope.New(t.Context(), "test")
		if _, err := r.Attach(s, limit.New(c)); err == nil || len(r.Snapshot().Chain()) > 0 {
			t.Errorf("%+v: attached (%v)", c, err)
		}
		s.Close()
	}
}

func TestAnUnknownToolKeepsItsAnswer(t *testing.T) {
	r := open(t, limit.Config{
		Timeout: 1, Breaker: limit.BreakerLimits{Failures: 1}, Retry: limit.RetryLimits{Attempts: 3},
		Agent: limit.AgentLimits{Pace: limit.Pace{Concurrent: 1}},
	}, tool("fetch", nothing))
	for range 3 {
		want(t, r.Execute(t.Context(), call("fetsh")), toolfall.UnknownTool, "did you mean fetch?")
	}
}

var errPlain = errors.New("no such file")
