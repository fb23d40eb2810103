package limit_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/limit"
)

var thrice = limit.Config{Retry: limit.RetryLimits{Attempts: 3}}

// failing fails with err for the first n times, and counts.
func failing(name string, ran *int, n int, err error) toolfall.Definition {
	return tool(name, func(ctx, toolfall.Call) error {
		if *ran++; *ran <= n {
			return err
		}
		return nil
	})
}

func TestOnlyIdempotentCallsAreTriedAgain(t *testing.T) {
	for _, c := range []struct {
		hints toolfall.Hints
		ran   int
	}{
		{toolfall.Hints{Idempotent: toolfall.Yes}, 3},
		{toolfall.Hints{ReadOnly: toolfall.Yes}, 3},
		{toolfall.Hints{}, 1},
		{toolfall.Hints{Idempotent: toolfall.No}, 1},
		{toolfall.Hints{ReadOnly: toolfall.No, Destructive: toolfall.Yes}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			ran := 0
			d := failing("x", &ran, 9, flaky{})
			d.Hints = c.hints
			got := open(t, thrice, d).Execute(t.Context(), call("x"))
			want(t, got, toolfall.ToolError, "connection reset")
			if ran != c.ran || strings.Contains(got.Text(), "it was tried 3 times") != (ran == 3) {
				t.Errorf("%+v: ran %d times: %s", c.hints, ran, got.Text())
			}
		})
	}
}

func TestOnlyFailuresThatMayPassAreTriedAgain(t *testing.T) {
	coded := func(code string) error { return toolfall.NewError(code, errPlain) }
	for _, c := range []struct {
		err error
		ran int
	}{
		{errPlain, 1},
		{flaky{}, 2},
		{toolfall.NewError("X", flaky{}), 2},
		{coded(toolfall.Timeout), 2},
		{coded("RATE_LIMITED"), 2},
		{coded("OTHER"), 1},
		{toolfall.NewError(toolfall.Denied, flaky{}), 1},
		{toolfall.NewError(toolfall.Aborted, flaky{}), 1},
		{toolfall.NewError(toolfall.HookBlocked, flaky{}), 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			ran := 0
			r := open(t, limit.Config{Retry: limit.RetryLimits{Attempts: 3, Codes: []string{"RATE_LIMITED", toolfall.Denied}}}, repeatable(failing("x", &ran, 1, c.err)))
			got := r.Execute(t.Context(), call("x"))
			if ran != c.ran || got.IsError != (ran == 1) {
				t.Errorf("%v: ran %d times, %s", c.err, ran, got.Text())
			}
		})
	}
}

func TestRetriesPassTheGatesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran, asked, hooked := 0, 0, 0
		r := open(t, thrice, repeatable(failing("x", &ran, 9, flaky{})))
		r.Use(t, toolfall.Middleware{Name: "hook", Stage: toolfall.Rewrite, Wrap: func(ctx ctx, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			hooked++
			return next(ctx, c)
		}})
		r.Use(t, toolfall.Middleware{Name: "gate", Stage: toolfall.Decide, Wrap: func(ctx ctx, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			if asked++; asked == 2 {
				return toolfall.Fail(toolfall.ErrDenied)
			}
			return next(ctx, c)
		}})
		want(t, r.Execute(t.Context(), call("x")), toolfall.Denied)
		if ran != 1 || asked != 2 || hooked != 2 {
			t.Errorf("ran %d, asked %d, hooked %d", ran, asked, hooked)
		}
	})
}

func TestEachAttemptIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		var h heard
		r := open(t, thrice, repeatable(failing("x", &ran, 2, flaky{})))
		want(t, r.Execute(h.in(t.Context()), call("x")), "", "done")
		if want := "attempt by limit.retry: x 2/3 Error: connection reset\nattempt by limit.retry: x 3/3 Error: connection reset"; h.String() != want {
			t.Errorf("told\n%s", h.String())
		}
	})
}

func TestATimeoutIsTriedAgainAndTheCallersIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		d := repeatable(tool("x", func(c ctx, call toolfall.Call) error {
			ran++
			return until(c, call)
		}))
		d.Timeout = time.Second
		r := open(t, thrice, d)
		want(t, r.Execute(t.Context(), call("x")), toolfall.Timeout, "its definition", "tried 3 times")
		if ran != 3 {
			t.Errorf("ran %d times", ran)
		}
		c, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if got := r.Execute(c, call("x")); ran != 4 || toolfall.Code(got) != toolfall.Timeout {
			t.Errorf("ran %d times in all, %s", ran, got.Text())
		}
	})
}

func TestAPauseEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		r := open(t, limit.Config{Retry: limit.RetryLimits{Attempts: 9, First: 1000 * time.Hour, Longest: 1000 * time.Hour}}, repeatable(failing("x", &ran, 9, flaky{})))
		c, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		began := time.Now()
		want(t, r.Execute(c, call("x")), toolfall.ToolError, "connection reset")
		if ran != 1 || time.Since(began) > time.Millisecond {
			t.Errorf("ran %d times in %v", ran, time.Since(began))
		}
	})
}

func TestPausesGrowToABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		r := open(t, limit.Config{Retry: limit.RetryLimits{Attempts: 8, First: time.Second, Longest: 4 * time.Second}}, repeatable(failing("x", &ran, 99, flaky{})))
		began := time.Now()
		r.Execute(t.Context(), call("x"))
		if took, most := time.Since(began), (1+2+4*5)*time.Second; ran != 8 || took > most || took < time.Second/10 {
			t.Errorf("%d attempts took %v, want %v at most", ran, took, most)
		}
	})
}

func TestAnOutageDoesNotMultiplyTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		r := open(t, thrice, repeatable(failing("x", &ran, 1e9, flaky{})))
		for range 100 {
			r.Execute(t.Context(), call("x"))
		}
		if ran < 120 || ran > 130 { // 100 calls, 10 further attempts at once and one for each 5 calls
			t.Errorf("ran %d times", ran)
		}
	})
}

func TestARewrittenCallIsNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran, other := 0, 0
		r := open(t, thrice, repeatable(failing("x", &ran, 9, flaky{})), failing("pay", &other, 9, flaky{}))
		r.Use(t, toolfall.Middleware{Name: "hook", Stage: toolfall.Rewrite, Wrap: func(ctx ctx, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			c.Name = "pay"
			return next(ctx, c)
		}})
		if r.Execute(t.Context(), call("x")); ran != 0 || other != 1 {
			t.Errorf("paid %d times", other)
		}
	})
}

var breaks = limit.Config{Breaker: limit.BreakerLimits{Failures: 3, Pause: 30 * time.Second}}

func TestABrokenToolIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		var h heard
		r := open(t, breaks, failing("x", &ran, 4, flaky{}), tool("y", nothing))
		for range 3 {
			want(t, r.Execute(h.in(t.Context()), call("x")), toolfall.ToolError)
		}
		if want := "note by limit.breaker: x is left alone for 30s 0/0 "; h.String() != want {
			t.Errorf("told %q", h.String())
		}
		want(t, r.Execute(t.Context(), call("x")), limit.CircuitOpen, "x failed 3 times in a row", "tried again in 30s")
		want(t, r.Execute(t.Context(), call("y")), "")
		time.Sleep(30 * time.Second)
		want(t, r.Execute(t.Context(), call("x")), toolfall.ToolError) // the probe fails
		want(t, r.Execute(t.Context(), call("x")), limit.CircuitOpen)
		time.Sleep(30 * time.Second)
		want(t, r.Execute(t.Context(), call("x")), "")
		want(t, r.Execute(t.Context(), call("x")), "")
		if ran != 6 {
			t.Errorf("ran %d times", ran)
		}
	})
}

func TestOneCallTriesABrokenTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		r := open(t, breaks, tool("x", func(c ctx, call toolfall.Call) error {
			if ran++; ran > 3 {
				return until(c, call)
			}
			panic("broken")
		}))
		for range 3 {
			want(t, r.Execute(t.Context(), call("x")), toolfall.Panicked)
		}
		time.Sleep(time.Minute)
		c, cancel := context.WithCancel(t.Context())
		got := make(chan toolfall.Result, 1)
		go func() { got <- r.Execute(c, call("x")) }()
		synctest.Wait()
		want(t, r.Execute(t.Context(), call("x")), limit.CircuitOpen, "another call is trying it")
		cancel() // which says nothing about the tool: the next call tries it
		want(t, <-got, toolfall.Aborted)
		c, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r.Execute(c, call("x"))
		if ran != 5 {
			t.Errorf("ran %d times", ran)
		}
	})
}

func TestWhatSpeaksOfTheCallOpensNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, err := range []error{errPlain, toolfall.ErrDenied, toolfall.NewError(toolfall.SandboxUnavailable, errPlain), toolfall.NewError(toolfall.InvalidArgs, errors.New("bad"))} {
			ran := 0
			r := open(t, breaks, failing("x", &ran, 99, err))
			for range 10 {
				r.Execute(t.Context(), call("x"))
			}
			if ran != 10 {
				t.Errorf("%v: ran %d times", err, ran)
			}
		}
		ran := 0
		r := open(t, breaks, tool("x", func(c ctx, call toolfall.Call) error {
			ran++
			return until(c, call)
		}))
		for range 10 {
			r.Execute(limit.With(t.Context(), time.Second), call("x"))
		}
		for range 10 {
			c, cancel := context.WithTimeout(t.Context(), time.Second)
			r.Execute(c, call("x"))
			cancel()
		}
		if ran != 20 {
			t.Errorf("the caller's own limits: ran %d times", ran)
		}
	})
}

func TestFailuresThatAreFarApartOpenNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		r := open(t, limit.Config{Breaker: limit.BreakerLimits{Failures: 3, Pause: time.Hour}}, failing("x", &ran, 99, flaky{}))
		for range 10 {
			r.Execute(t.Context(), call("x"))
			time.Sleep(31 * time.Second)
		}
		if ran != 10 {
			t.Errorf("ran %d times", ran)
		}
	})
}

// A call that began before a tool was found to be broken says nothing about it any more.
func TestACallFromBeforeDoesNotCloseACircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, breaks, tool("x", func(c ctx, call toolfall.Call) error {
			if call.Agent == "slow" {
				time.Sleep(10 * time.Second)
				return nil
			}
			return flaky{}
		}))
		got := make(chan toolfall.Result, 1)
		go func() { got <- r.Execute(t.Context(), toolfall.Call{Name: "x", Agent: "slow"}) }()
		synctest.Wait()
		for range 3 {
			r.Execute(t.Context(), call("x"))
		}
		want(t, <-got, "")
		want(t, r.Execute(t.Context(), call("x")), limit.CircuitOpen, "in 20s")
	})
}
