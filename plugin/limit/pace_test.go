package limit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/limit"
)

// Random calls by random agents, some of which give up: no cap is ever exceeded, every
// call gets its result, and none is forgotten.
func TestNoCapIsEverExceeded(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 2))
			var inTool [2]atomic.Int32
			var inAgent [3]atomic.Int32
			enter := func(n *atomic.Int32, most int32, what string) {
				if now := n.Add(1); now > most {
					t.Errorf("seed %d: %d calls of one %s", seed, now, what)
				}
			}
			body := func(_ ctx, c toolfall.Call) error {
				tool, agent := &inTool[c.Name[0]-'a'], &inAgent[c.Agent[0]-'0']
				enter(tool, 3, "tool")
				enter(agent, 2, "agent")
				time.Sleep(time.Duration(len(c.ID)) * time.Millisecond)
				tool.Add(-1)
				agent.Add(-1)
				return nil
			}
			r := open(t, limit.Config{
				Tools: []limit.Tool{{Name: "?", Pace: limit.Pace{Concurrent: 3, Queue: 1000, Rate: float64(rnd.IntN(2) * 500)}}},
				Agent: limit.AgentLimits{Pace: limit.Pace{Concurrent: 2, Queue: 1000}},
			}, tool("a", body), tool("b", body))
			var all sync.WaitGroup
			for range 60 {
				c := toolfall.Call{ID: fmt.Sprintf("%0*d", 1+rnd.IntN(30), 0), Name: string(rune('a' + rnd.IntN(2))), Agent: string(rune('0' + rnd.IntN(3)))}
				came, patience := time.Duration(rnd.IntN(200))*time.Millisecond, time.Duration(1+rnd.IntN(400))*time.Millisecond
				all.Go(func() {
					time.Sleep(came)
					limited, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					switch r := r.Execute(limited, c); toolfall.Code(r) {
					case "", toolfall.AbortedBeforeDispatch, toolfall.Timeout:
					default:
						t.Errorf("seed %d: %s", seed, r.Text())
					}
				})
			}
			all.Wait()
			for name := range 2 {
				for agent := range 3 {
					got := r.Execute(t.Context(), toolfall.Call{ID: "1", Name: string(rune('a' + name)), Agent: string(rune('0' + agent))})
					want(t, got, "")
				}
			}
		})
	}
}

func TestTheRateHoldsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var ran []string
		r := open(t, limit.Config{Tools: []limit.Tool{{Name: "x", Pace: limit.Pace{Rate: 2, Burst: 2}}}}, tool("x", func(_ ctx, c toolfall.Call) error {
			mu.Lock()
			defer mu.Unlock()
			ran = append(ran, fmt.Sprintf("%s@%v", c.ID, time.Since(start)))
			return nil
		}))
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				time.Sleep(time.Duration(i))
				c := t.Context()
				if i == 3 { // it leaves, and those behind it move up
					limited, cancel := context.WithCancel(c)
					time.AfterFunc(100*time.Millisecond, cancel)
					c = limited
				}
				r.Execute(c, toolfall.Call{ID: fmt.Sprint(i), Name: "x"})
			})
		}
		all.Wait()
		if got := fmt.Sprint(ran); got != "[0@0s 1@1ns 2@500ms 4@1s 5@1.5s]" {
			t.Errorf("ran %s", got)
		}
	})
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{Tools: []limit.Tool{{Name: "x", Pace: limit.Pace{Concurrent: 1}}}}, tool("x", until))
		holder, release := context.WithCancel(t.Context())
		go r.Execute(holder, call("x"))
		synctest.Wait()
		c, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("the user left")) })
		want(t, r.Execute(c, call("x")), toolfall.AbortedBeforeDispatch, "while the call waited", "the user left")
		release()
	})
}

func TestACallBeyondTheQueueIsToldSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{Tools: []limit.Tool{{Name: "x", Pace: limit.Pace{Concurrent: 1, Queue: 2}}}}, tool("x", until))
		c, cancel := context.WithCancel(t.Context())
		for range 3 {
			go r.Execute(c, call("x"))
		}
		synctest.Wait()
		want(t, r.Execute(c, call("x")), limit.Busy, "x is busy: 2 calls wait already")
		cancel()
		synctest.Wait()
		c, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		want(t, r.Execute(c, call("x")), toolfall.Timeout) // the place is free again
	})
}

func TestWaitingIsNotPartOfADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{Timeout: 2 * time.Second, Tools: []limit.Tool{{Name: "x", Pace: limit.Pace{Concurrent: 1}}}}, tool("x", func(ctx, toolfall.Call) error {
			time.Sleep(time.Second)
			return nil
		}))
		for range 5 {
			go func() { want(t, r.Execute(t.Context(), call("x")), "") }()
		}
		time.Sleep(10 * time.Second)
	})
}

func TestAgentsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{Agent: limit.AgentLimits{Pace: limit.Pace{Concurrent: 1}}}, tool("slow", until), tool("x", nothing))
		c, cancel := context.WithCancel(t.Context())
		go r.Execute(c, toolfall.Call{Name: "slow", Agent: "a"})
		synctest.Wait()
		want(t, r.Execute(t.Context(), toolfall.Call{Name: "x", Agent: "b"}), "")
		cancel()
	})
}

func TestACallWithinACallSharesItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *toolfall.Registry
		depth := 0
		one := limit.Pace{Concurrent: 1}
		r = open(t, limit.Config{Agent: limit.AgentLimits{Pace: one}, Tools: []limit.Tool{{Name: "*", Pace: one}}}, tool("outer", func(c ctx, outer toolfall.Call) error {
			if depth++; depth == 3 {
				return r.Execute(c, toolfall.Call{ID: "3", Name: "inner", Parent: outer.ID}).Err
			}
			return r.Execute(c, toolfall.Call{ID: "2", Name: "outer", Parent: outer.ID}).Err
		}), tool("inner", nothing))
		c, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		want(t, r.Execute(c, call("outer")), "")
		want(t, r.Execute(c, call("inner")), "")
	})
}

func TestOneWhoLeavesWhileItWaitsForTheRateGivesItsPlaceBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, limit.Config{Tools: []limit.Tool{{Name: "x", Pace: limit.Pace{Concurrent: 1, Rate: 0.1}}}}, tool("x", nothing))
		want(t, r.Execute(t.Context(), call("x")), "")
		c, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		want(t, r.Execute(c, call("x")), toolfall.AbortedBeforeDispatch)
		c, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		want(t, r.Execute(c, call("x")), "")
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		want(t, r.Execute(short, call("x")), toolfall.AbortedBeforeDispatch) // told at once: its turn comes too late
		want(t, r.Execute(c, call("x")), "")
	})
}
