package limit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/limit"
)

var loops = limit.Config{Loop: limit.LoopLimits{Remind: 3, Refuse: 5}}

func with(name, arguments string) toolfall.Call {
	return toolfall.Call{ID: "1", Name: name, Arguments: []byte(arguments)}
}

// outcome is what became of a call: ran, reminded or refused.
func outcome(r toolfall.Result) string {
	switch {
	case toolfall.Code(r) == limit.Loop:
		return "refused"
	case strings.Contains(r.Text(), "note: "):
		return "reminded"
	}
	return "ran"
}

func TestTheSameAgainIsRemindedAndThenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type args struct {
			A int `json:"a"`
		}
		r := open(t, loops, toolfall.Define("x", "", func(context.Context, args, toolfall.Call) ([]toolfall.Content, error) {
			return toolfall.Text("done"), nil
		}))
		for i, says := range []string{"ran", "ran", "reminded", "reminded", "refused", "refused"} {
			got := r.Execute(t.Context(), with("x", fmt.Sprintf(`{"ignored":%d, "a": 1}`, i))) // the same to the tool
			if outcome(got) != says {
				t.Errorf("%d: %s, want %s", i+1, got.Text(), says)
			}
			switch i {
			case 2:
				want(t, got, "", "the same call for the 3rd time in a row, with the same result each time", "the 5th time is refused")
			case 4:
				want(t, got, limit.Loop, `"x" was refused: this would be the same call for the 5th time in a row, with the same result each time`)
			}
		}
		want(t, r.Execute(t.Context(), with("x", `{"a":2}`)), "")
		if got := r.Execute(t.Context(), with("x", `{"a": 1}`)); outcome(got) != "ran" {
			t.Errorf("after another call: %s", got.Text())
		}
	})
}

func TestCallsInTurnRepeatToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for period := 2; period <= 5; period++ {
			r := open(t, loops, tool("x", nothing))
			var all []string
			for i := range 5 * period {
				all = append(all, outcome(r.Execute(t.Context(), with("x", fmt.Sprintf(`{"a":%d}`, i%period)))))
			}
			got := strings.Join(all, " ")
			want := strings.Repeat("ran ", 2*period) + strings.Repeat("reminded ", 2*period) + "refused"
			if period == 5 {
				want = strings.TrimSpace(strings.Repeat("ran ", 25))
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%d in turn: %s", period, got)
			}
		}
	})
}

func TestACallThatMakesProgressRepeatsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		r := open(t, loops, toolfall.Definition{Schema: toolfall.Schema{Name: "poll"}, Execute: func(ctx, toolfall.Call) (content, error) {
			n++
			return toolfall.Text(fmt.Sprint(n, " of 20")), nil
		}})
		for range 20 {
			if got := r.Execute(t.Context(), call("poll")); outcome(got) != "ran" {
				t.Fatal(got.Text())
			}
		}
	})
}

func TestFailuresRepeatToo(t *testing.T) {
	checked := toolfall.Define("x", "", func(context.Context, struct {
		A int `json:"a"`
	}, toolfall.Call) ([]toolfall.Content, error) {
		return nil, errPlain
	})
	synctest.Test(t, func(t *testing.T) {
		r := open(t, loops, checked)
		for _, c := range []toolfall.Call{with("x", `{"a":1}`), with("nobody", `{}`)} {
			for i, says := range []string{"ran", "ran", "reminded", "reminded", "refused"} {
				if got := r.Execute(t.Context(), c); outcome(got) != says {
					t.Errorf("%s %d: %s", c.Name, i, got.Text())
				}
			}
		}
		for _, c := range []toolfall.Call{with("x", `{"a":"one"}`), with("x", `{`)} { // admission refuses them anyway
			for i, says := range []string{"ran", "ran", "reminded", "reminded", "reminded"} {
				if got := r.Execute(t.Context(), c); outcome(got) != says || !got.IsError {
					t.Errorf("%s %d: %s", c.Arguments, i, got.Text())
				}
			}
		}
	})
}

func TestAttemptsAreNoRepetition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		c := loops
		c.Retry.Attempts = 9
		r := open(t, c, repeatable(failing("x", &ran, 8, flaky{})))
		if got := r.Execute(t.Context(), call("x")); outcome(got) != "ran" || ran != 9 {
			t.Errorf("%d attempts: %s", ran, got.Text())
		}
	})
}

func TestOneAgentsLoopIsNotAnothers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, loops, tool("x", nothing))
		for i := range 20 {
			c := call("x")
			c.Agent, c.Parent = fmt.Sprint(i%5), strings.Repeat("p", i%10/5)
			if got := r.Execute(t.Context(), c); outcome(got) != "ran" {
				t.Fatal(got.Text())
			}
		}
	})
}

func TestALoopEndsWithAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, loops, tool("x", nothing))
		for range 10 {
			if got := r.Execute(t.Context(), call("x")); outcome(got) != "ran" {
				t.Fatal(got.Text())
			}
			if got := r.Execute(t.Context(), with("x", "{")); outcome(got) != "ran" {
				t.Fatal(got.Text())
			}
			time.Sleep(11 * time.Minute)
		}
	})
}

func TestABudgetWarnsAndThenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := tool("x", func(ctx, toolfall.Call) error {
			time.Sleep(time.Second)
			return nil
		})
		for _, c := range []struct {
			limits limit.AgentLimits
			what   string
		}{
			{limit.AgentLimits{Calls: 5}, "5 calls"},
			{limit.AgentLimits{Time: 5 * time.Second}, "5s in tools"},
			{limit.AgentLimits{Bytes: 20}, "20 bytes of results"},
		} {
			r := open(t, limit.Config{Agent: c.limits}, long)
			for i := range 5 {
				got := r.Execute(t.Context(), call("x"))
				if warned := strings.Contains(got.Text(), "note: the budget of "+c.what+" is nearly used up"); got.IsError || warned != (i == 3) {
					t.Errorf("%s, call %d: %s", c.what, i+1, got.Text())
				}
			}
			want(t, r.Execute(t.Context(), call("x")), limit.Budget, "the budget of "+c.what+" is used up")
			want(t, r.Execute(t.Context(), toolfall.Call{Name: "x", Agent: "other"}), "")
		}
	})
}

func TestABudgetIsSharedWithWhomTheAgentStarted(t *testing.T) {
	r := open(t, limit.Config{Agent: limit.AgentLimits{Calls: 4}}, tool("x", nothing))
	for _, agent := range []string{"a/b", "a/b/c", "a/d", "a"} {
		want(t, r.Execute(t.Context(), toolfall.Call{Name: "x", Agent: agent}), "")
	}
	want(t, r.Execute(t.Context(), toolfall.Call{Name: "x", Agent: "a/new"}), limit.Budget, `the budget of 4 calls of agent "a", which this one is part of,`)
	want(t, r.Execute(t.Context(), toolfall.Call{Name: "x", Agent: "ab"}), "")
}

func TestNobodyIsAskedAboutACallWithoutABudget(t *testing.T) {
	r := toolfall.New()
	asked := 0
	r.Use(t, toolfall.Middleware{Name: "gate", Stage: toolfall.Decide, Wrap: func(ctx ctx, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		asked++
		return next(ctx, c)
	}})
	attach(t, r, limit.Config{Agent: limit.AgentLimits{Calls: 2}})
	r.Register(t, tool("x", nothing))
	for range 5 {
		r.Execute(t.Context(), call("x"))
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestWhatPeopleTakeIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{Timeout: time.Minute, Agent: limit.AgentLimits{Time: time.Minute}}, tool("x", nothing))
		r.Use(t, toolfall.Middleware{Name: "lunch", Stage: toolfall.Decide, Wrap: func(ctx ctx, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			time.Sleep(time.Hour)
			return next(ctx, c)
		}})
		for range 3 {
			want(t, r.Execute(t.Context(), call("x")), "")
		}
	})
}
