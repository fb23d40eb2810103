package limit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/limit"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/toolfalltest"
)

// temporary is a failure that may be gone the next time.
type temporary struct{ after time.Duration }

func (temporary) Error() string               { return "not now" }
func (temporary) Temporary() bool             { return true }
func (t temporary) RetryAfter() time.Duration { return t.after }

// stand is a registry with the plugin and a tool, do, that does what it is set to.
type stand struct {
	*toolfall.Registry
	do    func(context.Context, toolfall.Call) ([]toolfall.Content, error)
	calls atomic.Int32
}

func newStand(t *testing.T, c limit.Config, change ...func(*toolfall.Definition)) *stand {
	t.Helper()
	s := &stand{do: func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return toolfall.Text("ok"), nil }}
	tools := toolfall.Plugin{Name: "tools", Attach: func(o *scope.Scope, r *toolfall.Registry) error {
		d := toolfall.Definition{Schema: toolfall.Schema{Name: "do"}, Execute: func(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
			s.calls.Add(1)
			return s.do(ctx, c)
		}}
		for _, f := range change {
			f(&d)
		}
		_, err := r.Register(o, d)
		return err
	}}
	s.Registry = toolfalltest.Attach(t, limit.New(c), tools)
	return s
}

func (s *stand) call(ctx context.Context, arguments string) toolfall.Result {
	return s.Execute(ctx, toolfall.Call{ID: "1", Name: "do", Arguments: []byte(arguments)})
}

func until(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestADeadlineNamesWhoseItWas(t *testing.T) {
	own := func(d time.Duration) func(*toolfall.Definition) {
		return func(def *toolfall.Definition) { def.Timeout = d }
	}
	for name, row := range map[string]struct {
		config limit.Config
		own    time.Duration
		asked  time.Duration
		took   time.Duration
		whose  string
	}{
		"the default":                     {limit.Config{Timeout: time.Minute}, 0, 0, time.Minute, "the configuration"},
		"the tool's own":                  {limit.Config{Timeout: time.Minute}, 2 * time.Minute, 0, 2 * time.Minute, "the tool"},
		"the configuration of the tool":   {limit.Config{Timeout: time.Minute, Tools: []limit.Tool{{Name: "d*", Timeout: time.Second}}}, 2 * time.Minute, 0, time.Second, "the configuration"},
		"the call asks for less":          {limit.Config{Timeout: time.Minute}, 0, time.Second, time.Second, "the call"},
		"the call cannot ask for more":    {limit.Config{Timeout: time.Minute}, 0, time.Hour, time.Minute, "the configuration"},
		"a tool without limit, and asked": {limit.Config{Timeout: time.Minute}, -1, time.Hour, time.Hour, "the call"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStand(t, row.config, own(row.own))
				s.do = until
				ctx := t.Context()
				if row.asked > 0 {
					ctx = limit.With(ctx, row.asked)
				}
				began := time.Now()
				r := s.call(ctx, `{}`)
				if took := time.Since(began); took != row.took || toolfall.Code(r) != toolfall.Timeout || !strings.Contains(r.Text(), row.whose+" allows") || !strings.Contains(r.Text(), row.took.String()) {
					t.Errorf("after %v: %s %s", took, toolfall.Code(r), r.Text())
				}
			})
		})
	}
}

func TestAToolWithoutLimitHasNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, limit.Config{Timeout: time.Minute}, func(d *toolfall.Definition) { d.Timeout = -1 })
		s.do = func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
			time.Sleep(time.Hour)
			return toolfall.Text("ok"), ctx.Err()
		}
		if r := s.call(t.Context(), `{}`); r.IsError {
			t.Error(r.Text())
		}
	})
}

// A body that ignores its context is awaited, and seen while it goes on.
func TestABodyThatIgnoresItsContextIsSeen(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var watch limit.Watch
			s := newStand(t, limit.Config{Timeout: time.Minute, Watch: &watch})
			s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
				time.Sleep(5 * time.Minute)
				return toolfall.Text("late"), nil
			}
			var heard []toolfall.Report
			ctx, cancel := context.WithCancel(toolfall.Listen(t.Context(), func(r toolfall.Report) { heard = append(heard, r) }))
			defer cancel()
			want := toolfall.Timeout
			if cancelled {
				time.AfterFunc(time.Second, cancel)
				want = toolfall.Aborted
			}
			seen := make(chan []limit.Stuck, 1)
			time.AfterFunc(2*time.Minute, func() { seen <- watch.Stuck() })
			began := time.Now()
			r := s.call(ctx, `{}`)
			if took := time.Since(began); took != 5*time.Minute || toolfall.Code(r) != want {
				t.Errorf("after %v: %s", took, r.Text())
			}
			during := <-seen
			if len(during) != 1 || during[0].Tool != "do" || during[0].Call != "1" || len(heard) != 1 || heard[0].Kind != toolfall.ReportedStuck {
				t.Errorf("seen %v, heard %v", during, heard)
			}
			if left := watch.Stuck(); len(left) != 0 {
				t.Errorf("%v are stuck for ever", left)
			}
		})
	}
}

func TestNothingConfiguredCostsNothing(t *testing.T) {
	r := toolfall.New()
	if _, err := r.Register(t, toolfall.Definition{Schema: toolfall.Schema{Name: "do"}, Inline: true, Execute: func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, nil }}); err != nil {
		t.Fatal(err)
	}
	call := func() { r.Execute(t.Context(), toolfall.Call{Name: "do"}) }
	without := testing.AllocsPerRun(100, call)
	s := scope.New(t.Context(), "test")
	defer s.Close()
	if _, err := r.Attach(s, limit.New(limit.Config{})); err != nil {
		t.Fatal(err)
	}
	if with := testing.AllocsPerRun(100, call); with != without || len(r.Snapshot().Chain()) != 1 {
		t.Errorf("%v allocations, without the plugin %v, in %d layers", with, without, len(r.Snapshot().Chain()))
	}
}

func readOnly(d *toolfall.Definition) { d.Hints.ReadOnly = toolfall.Yes }

// Retries pass the gates again, wait longer each time, and are told.
func TestRetriesPassTheGatesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, limit.Config{Retry: limit.Retry{Attempts: 4, Wait: time.Second}}, readOnly)
		s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
			if s.calls.Load() < 3 {
				return nil, temporary{}
			}
			return toolfall.Text("ok"), nil
		}
		asked := 0
		s.Use(t, toolfall.Middleware{Name: "gate", Stage: toolfall.Decide, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			asked++
			return next(ctx, c)
		}})
		var heard []toolfall.Report
		began := time.Now()
		r := s.call(toolfall.Listen(t.Context(), func(r toolfall.Report) { heard = append(heard, r) }), `{}`)
		if r.IsError || asked != 3 || len(heard) != 2 || heard[1].Done != 3 || heard[1].Why != "not now" {
			t.Errorf("%s, asked %d times, heard %v", r.Text(), asked, heard)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("waited %v", took)
		}
	})
}

func TestOnlyHarmlessCallsThatFailedForTheMomentAreTriedAgain(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*toolfall.Definition)
		err    error
		want   int32
	}{
		"read only":          {readOnly, temporary{}, 3},
		"idempotent":         {func(d *toolfall.Definition) { d.Hints.Idempotent = toolfall.Yes }, temporary{}, 3},
		"nobody knows":       {func(*toolfall.Definition) {}, temporary{}, 1},
		"a lasting failure":  {readOnly, errors.New("no such file"), 1},
		"refused":            {readOnly, toolfall.ErrDenied, 1},
		"asks to wait":       {readOnly, temporary{10 * time.Second}, 3},
		"asks for very long": {readOnly, temporary{time.Hour}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStand(t, limit.Config{Retry: limit.Retry{Attempts: 3}}, row.change)
				s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, row.err }
				began := time.Now()
				s.call(t.Context(), `{}`)
				if got := s.calls.Load(); got != row.want {
					t.Errorf("called %d times, want %d", got, row.want)
				}
				if took := time.Since(began); name == "asks to wait" && took < 20*time.Second || took > 2*time.Minute {
					t.Errorf("waited %v", took)
				}
			})
		})
	}
}

func TestRetriesStayAFractionInAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, limit.Config{Retry: limit.Retry{Attempts: 5}}, readOnly)
		s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, temporary{} }
		for range 100 {
			s.call(t.Context(), `{}`)
		}
		if got := s.calls.Load(); got > 100+10+20 {
			t.Errorf("100 calls became %d", got)
		}
	})
}

func TestAnAbortEndsTheWaitForARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, limit.Config{Retry: limit.Retry{Attempts: 5, Wait: time.Hour, MaxWait: time.Hour}}, readOnly)
		s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, temporary{time.Hour} }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		s.call(ctx, `{}`)
		if took := time.Since(began); took > time.Second || s.calls.Load() != 1 {
			t.Errorf("%d calls in %v", s.calls.Load(), took)
		}
	})
}

func TestCallsInALoopAreRemindedThenRefused(t *testing.T) {
	for name, row := range map[string]struct{ calls, want string }{ // each letter is a call; . fine, r reminded, x refused
		"one call":                      {"AAAAAA", "..rrxx"},
		"two in turn":                   {"ABABABABAB", ".....rrrrx"},
		"three in turn":                 {"ABCABCABCABCABC", "........rrrrrrx"},
		"others between":                {"AABAABCAAB", ".........."},
		"another call ends it":          {"AAABAAA", "..r...r"},
		"refused stays refused":         {"AAAAAAAB", "..rrxxx."},
		"the same with other arguments": {"ABCDEFGHIJ", ".........."},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t, limit.Config{Loop: limit.Loop{Remind: 3, Refuse: 5}})
			got := ""
			for _, letter := range row.calls {
				r := s.call(t.Context(), fmt.Sprintf(`{"x":"%c"}`, letter))
				switch {
				case toolfall.Code(r) == limit.Looping:
					got += "x"
				case strings.Contains(r.Text(), "[note: "):
					got += "r"
				default:
					got += "."
				}
			}
			if got != row.want {
				t.Errorf("%s: %s, want %s", row.calls, got, row.want)
			}
		})
	}
}

// Calls whose results change make progress, and agents do not answer for each other.
func TestWhatMakesProgressIsNoLoop(t *testing.T) {
	s := newStand(t, limit.Config{Loop: limit.Loop{Remind: 2, Refuse: 3}})
	s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
		return toolfall.Text(fmt.Sprint("at ", s.calls.Load())), nil
	}
	for range 10 {
		if r := s.call(t.Context(), `{}`); r.IsError || strings.Contains(r.Text(), "note") {
			t.Fatal(r.Text())
		}
	}
	s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, nil }
	for i := range 10 {
		if r := s.Execute(t.Context(), toolfall.Call{Name: "do", Agent: fmt.Sprint(i)}); r.IsError || r.Text() != "" {
			t.Fatal(r.Text())
		}
	}
}

func TestAToolThatFailsAndFailsRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, limit.Config{Breaker: limit.Breaker{Failures: 3, Rest: time.Minute}})
		fails := func(context.Context, toolfall.Call) ([]toolfall.Content, error) { panic("broken") }
		works := s.do
		code := func() string { return toolfall.Code(s.call(t.Context(), `{}`)) }
		s.do = fails
		for i, want := range []string{"PANIC", "PANIC", "PANIC", limit.CircuitOpen} {
			if got := code(); got != want {
				t.Errorf("call %d: %s, want %s", i, got, want)
			}
		}
		time.Sleep(time.Minute)
		if got := code(); got != "PANIC" || code() != limit.CircuitOpen {
			t.Errorf("it is not tried again once: %s", got)
		}
		time.Sleep(time.Minute)
		s.do = works
		if got := code() + code(); got != "" {
			t.Errorf("it works again, and is %s", got)
		}
		s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
			return nil, errors.New("no such file")
		}
		for range 10 {
			if got := code(); got != toolfall.ToolError {
				t.Errorf("an ordinary failure counts: %s", got)
			}
		}
	})
}

func TestOneCallAtATimeTriesAToolThatRested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, limit.Config{Breaker: limit.Breaker{Failures: 1, Rest: time.Minute}})
		s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) { panic("broken") }
		s.call(t.Context(), `{}`)
		time.Sleep(time.Minute)
		s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
			time.Sleep(time.Second)
			return nil, nil
		}
		before := s.calls.Load()
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { s.call(t.Context(), `{}`) })
		}
		wg.Wait()
		if got := s.calls.Load() - before; got != 1 {
			t.Errorf("%d calls tried", got)
		}
	})
}

func TestNoMoreRunAtOnceThanMay(t *testing.T) {
	for name, c := range map[string]limit.Config{
		"of a tool":   {Tools: []limit.Tool{{Name: "do", Pace: limit.Pace{Parallel: 3, Waiting: 100}}}},
		"of an agent": {Agent: limit.Pace{Parallel: 3, Waiting: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStand(t, c)
				var now, most atomic.Int32
				s.do = func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
					most.Store(max(most.Load(), now.Add(1)))
					defer now.Add(-1)
					time.Sleep(time.Second)
					return nil, ctx.Err()
				}
				began := time.Now()
				var wg sync.WaitGroup
				for range 9 {
					wg.Go(func() {
						if r := s.call(t.Context(), `{}`); r.IsError {
							t.Error(r.Text())
						}
					})
				}
				wg.Wait()
				if took := time.Since(began); took != 3*time.Second || most.Load() != 3 {
					t.Errorf("%d at once, in %v", most.Load(), took)
				}
			})
		})
	}
}

func TestTooManyWhoWaitAreToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, limit.Config{Tools: []limit.Tool{{Name: "do", Pace: limit.Pace{Parallel: 1, Waiting: 2}}}})
		s.do = until
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		codes := make(chan string, 5)
		for range 5 {
			go func() { codes <- toolfall.Code(s.call(ctx, `{}`)) }()
		}
		got := map[string]int{}
		for range 5 {
			got[<-codes]++
		}
		if got[limit.Busy] != 2 || got[toolfall.AbortedBeforeDispatch] != 2 || got[toolfall.Timeout] != 1 {
			t.Errorf("%v", got)
		}
	})
}

func TestCallsBeginNoMoreOftenThanMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, limit.Config{Tools: []limit.Tool{{Name: "do", Pace: limit.Pace{PerMinute: 60}}}})
		began := time.Now()
		for range 11 {
			s.call(t.Context(), `{}`)
		}
		if took := time.Since(began); took < 10*time.Second-time.Millisecond || took > 11*time.Second {
			t.Errorf("11 calls in %v", took)
		}
	})
}

// Whatever calls come and go, the limit holds and nobody is forgotten.
func TestAnyCallsKeepThePace(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 2))
			most := 1 + r.IntN(4)
			s := newStand(t, limit.Config{Tools: []limit.Tool{{Name: "do", Pace: limit.Pace{Parallel: most, Waiting: 1000}}}})
			var now atomic.Int32
			s.do = func(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
				if n := now.Add(1); int(n) > most {
					t.Errorf("seed %d: %d run, and %d may", seed, n, most)
				}
				defer now.Add(-1)
				select {
				case <-time.After(time.Duration(len(c.Arguments)) * time.Millisecond):
				case <-ctx.Done():
				}
				return nil, ctx.Err()
			}
			var wg sync.WaitGroup
			for range 60 {
				arguments := `{"x":"` + strings.Repeat("x", r.IntN(50)) + `"}`
				ctx, cancel := context.WithCancel(t.Context())
				if r.IntN(3) == 0 {
					time.AfterFunc(time.Duration(r.IntN(300))*time.Millisecond, cancel)
				}
				wg.Go(func() {
					defer cancel()
					s.call(ctx, arguments)
				})
			}
			wg.Wait()
			if now.Load() != 0 {
				t.Errorf("seed %d: %d still run", seed, now.Load())
			}
		})
	}
}

func TestABudgetWarnsThenEnds(t *testing.T) {
	for name, row := range map[string]struct {
		budget limit.Budget
		want   string
	}{
		"calls": {limit.Budget{Calls: 5}, "...wwxx"},
		"time":  {limit.Budget{Time: 5 * time.Second}, "...wwxx"},
		"bytes": {limit.Budget{Bytes: 10}, "...wwxx"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStand(t, limit.Config{Budget: row.budget})
			s.do = func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
				time.Sleep(time.Second)
				return toolfall.Text("ok"), nil
			}
			asked := 0
			s.Use(t, toolfall.Middleware{Name: "gate", Stage: toolfall.Decide, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
				asked++
				time.Sleep(time.Hour) // a person thinks, on nobody's budget
				return next(ctx, c)
			}})
			got := ""
			for range row.want {
				switch r := s.call(t.Context(), `{}`); {
				case toolfall.Code(r) == limit.OverBudget:
					got += "x"
				case strings.Contains(r.Text(), "nearly used up"):
					got += "w"
				default:
					got += "."
				}
			}
			if got != row.want || asked != 5 {
				t.Errorf("%s: %s, want %s; a person was asked %d times", name, got, row.want, asked)
			}
			if r := s.Execute(t.Context(), toolfall.Call{Name: "do", Agent: "other"}); r.IsError {
				t.Errorf("%s: another agent pays too: %s", name, r.Text())
			}
		})
	}
}

func TestLimitsThatCannotWorkAreRefused(t *testing.T) {
	for name, c := range map[string]limit.Config{
		"a bad pattern":     {Tools: []limit.Tool{{Name: "["}}},
		"less than nothing": {Agent: limit.Pace{Parallel: -1}},
		"a loop of one":     {Loop: limit.Loop{Refuse: 1}},
		"a loop too long":   {Loop: limit.Loop{Remind: 1000}},
	} {
		s := scope.New(t.Context(), "test")
		if _, err := toolfall.New().Attach(s, limit.New(c)); err == nil {
			t.Errorf("%s is accepted", name)
		}
		s.Close()
	}
}
