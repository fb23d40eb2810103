package limit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/limit"
)

func TestADeadlineNamesWhoseItWas(t *testing.T) {
	for _, c := range []struct {
		name       string
		definition time.Duration
		config     limit.Config
		caller     time.Duration
		limit      time.Duration
		by         limit.Setter
	}{
		{"the definition alone", time.Second, limit.Config{}, 0, time.Second, limit.Definition},
		{"the default", 0, limit.Config{Timeout: time.Minute}, 0, time.Minute, limit.Configuration},
		{"the entry of the tool instead of the default", 0, limit.Config{Timeout: time.Minute, Tools: []limit.Tool{{Name: "fe*", Timeout: time.Hour}}}, 0, time.Hour, limit.Configuration},
		{"the first entry that fits", 0, limit.Config{Tools: []limit.Tool{{Name: "x"}, {Name: "fetch", Timeout: 5}, {Name: "*", Timeout: 3}}}, 0, 5, limit.Configuration},
		{"the shortest", time.Hour, limit.Config{Timeout: time.Minute}, time.Second, time.Second, limit.Caller},
		{"a tool that wants none has no default", -1, limit.Config{Timeout: time.Second}, time.Minute, time.Minute, limit.Caller},
		{"but its own entry", -1, limit.Config{Tools: []limit.Tool{{Name: "fetch", Timeout: time.Second}}}, 0, time.Second, limit.Configuration},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := tool("fetch", until)
			d.Timeout = c.definition
			r := open(t, c.config, d)
			began := time.Now()
			got := r.Execute(limit.With(t.Context(), c.caller), call("fetch"))
			want(t, got, toolfall.Timeout, "the limit of "+c.limit.String()+" that "+string(c.by)+" sets for fetch passed")
			var e *limit.DeadlineError
			if took := time.Since(began); took != c.limit || !errors.As(got.Err, &e) || e.By != c.by || !errors.Is(got.Err, context.DeadlineExceeded) {
				t.Errorf("%s: ended after %v with %v", c.name, took, got.Err)
			}
		})
	}
}

func TestACallThatKeepsItsDeadlineSeesNothingOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{Timeout: time.Second}, tool("x", func(c ctx, _ toolfall.Call) error {
			time.Sleep(time.Second - 1)
			return c.Err()
		}))
		want(t, r.Execute(t.Context(), call("x")), "", "done")
	})
}

func TestALongerLimitOfTheCallerChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{}, tool("x", until))
		c := limit.With(limit.With(limit.With(t.Context(), time.Second), time.Hour), 0)
		want(t, r.Execute(c, call("x")), toolfall.Timeout, "the limit of 1s that the caller sets")
	})
}

// 51: a call within a call that ends because the outer one's time is up says so.
func TestNestedDeadlinesAreToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *toolfall.Registry
		var inner toolfall.Result
		outer := tool("outer", func(c ctx, call toolfall.Call) error {
			inner = r.Execute(c, toolfall.Call{ID: "2", Name: "inner", Parent: call.ID})
			return inner.Err
		})
		r = open(t, limit.Config{Tools: []limit.Tool{{Name: "outer", Timeout: time.Second}, {Name: "inner", Timeout: time.Minute}}}, outer, tool("inner", until))
		got := r.Execute(t.Context(), call("outer"))
		want(t, inner, toolfall.Timeout, "the limit of 1s that the configuration sets for outer passed")
		want(t, got, toolfall.Timeout, "for outer passed")
	})
}

func TestTheUsersWishIsNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{Timeout: time.Hour}, tool("x", until))
		c, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("the user pressed Ctrl-C")) })
		want(t, r.Execute(c, call("x")), toolfall.Aborted, "the user pressed Ctrl-C")
	})
}

func TestABodyThatIgnoresItsContextIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w limit.Watch
		var h heard
		r := open(t, limit.Config{Timeout: time.Second, Watch: &w}, tool("deaf", func(ctx, toolfall.Call) error {
			time.Sleep(time.Minute)
			return nil
		}))
		began, got := time.Now(), make(chan toolfall.Result, 1)
		go func() { got <- r.Execute(h.in(t.Context()), toolfall.Call{ID: "7", Name: "deaf", Agent: "a"}) }()
		time.Sleep(6*time.Second - 1) // of which the first is the limit's
		synctest.Wait()
		if len(w.Stuck()) > 0 || h.String() != "" {
			t.Errorf("within the grace: %v %s", w.Stuck(), h.String())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		s := w.Stuck()
		if len(s) != 1 || s[0].Tool != "deaf" || s[0].CallID != "7" || s[0].Agent != "a" || s[0].Since.Sub(began) < time.Second || s[0].Since.Sub(began) > 2*time.Second {
			t.Errorf("Stuck() = %+v", s)
		}
		if want := "stuck by deaf: still running 5s after it was told to end 0/0 the limit of 1s that the configuration sets for deaf passed while it ran; side effects are possible"; h.String() != want {
			t.Errorf("told %q", h.String())
		}
		want(t, <-got, toolfall.Timeout, "the limit of 1s")
		if took := time.Since(began); took != time.Minute || len(w.Stuck()) != 0 || w.Total() != 1 {
			t.Errorf("awaited for %v; %v, %d in all", took, w.Stuck(), w.Total())
		}
	})
}

func TestABodyIsWatchedAlsoWithoutADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w limit.Watch
		r := open(t, limit.Config{Grace: time.Second, Watch: &w}, tool("deaf", func(ctx, toolfall.Call) error {
			time.Sleep(time.Minute)
			return errPlain
		}))
		c, cancel := context.WithCancel(t.Context())
		got := make(chan toolfall.Result, 1)
		go func() { got <- r.Execute(c, call("deaf")) }()
		synctest.Wait()
		cancel()
		time.Sleep(1400 * time.Millisecond)
		if len(w.Stuck()) != 1 {
			t.Errorf("Stuck() = %v", w.Stuck())
		}
		want(t, <-got, toolfall.ToolError, "no such file")
	})
}

func TestABodyThatEndsWithinTheGraceIsNotStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w limit.Watch
		r := open(t, limit.Config{Timeout: time.Second, Watch: &w}, tool("slow", func(ctx, toolfall.Call) error {
			time.Sleep(3 * time.Second)
			return nil
		}))
		want(t, r.Execute(t.Context(), call("slow")), toolfall.Timeout)
		time.Sleep(time.Minute)
		if w.Total() != 0 {
			t.Errorf("%d stuck", w.Total())
		}
	})
}

// Whoever listens has heard all of a call when that returns.
func TestAReportDoesNotOutliveItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{Timeout: time.Second, Grace: time.Second}, tool("deaf", func(ctx, toolfall.Call) error {
			time.Sleep(5 * time.Second)
			return nil
		}))
		heard := false
		r.Execute(toolfall.Listen(t.Context(), func(toolfall.Report) {
			time.Sleep(time.Minute)
			heard = true
		}), call("deaf"))
		if !heard {
			t.Error("the call returned while it was being told of")
		}
	})
}

func BenchmarkCall(b *testing.B) {
	ended, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, c := range []struct {
		name   string
		config *limit.Config
		ctx    context.Context
	}{
		{"without the plugin", nil, ended},
		{"a context that cannot end", &limit.Config{}, context.Background()},
		{"a context that can end", &limit.Config{}, ended},
		{"a deadline", &limit.Config{Timeout: time.Minute}, ended},
		{"a deadline and the loop breaker", &limit.Config{Timeout: time.Minute, Loop: limit.LoopLimits{Remind: 3, Refuse: 5}}, ended},
		{"two places", &limit.Config{Agent: limit.AgentLimits{Pace: limit.Pace{Concurrent: 2}}}, ended},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := tool("x", nothing)
			d.Inline = true
			r := toolfall.New()
			if _, err := r.Register(b, d, tool("y", nothing)); err != nil {
				b.Fatal(err)
			}
			if c.config != nil {
				attach(b, r, *c.config)
			}
			calls := make([]toolfall.Call, 6) // in turn they are no loop
			for i := range calls {
				calls[i] = with("x", fmt.Sprintf(`{"a":%d}`, i))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Execute(c.ctx, calls[i%len(calls)])
			}
		})
	}
}
