package schedule

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/toolfalltest"
)

// stand is a registry with a scheduler and tools whose names say what they claim:
// the arguments have how long they take, in milliseconds, and a path.
type stand struct {
	*toolfall.Registry
	*Scheduler
	trace toolfalltest.Trace
	now   atomic.Int32 // tools that run
	most  atomic.Int32
}

type work struct {
	Took int    `json:"took,omitempty"`
	Path string `json:"path,omitempty"`
}

func newStand(t *testing.T, width int) *stand {
	t.Helper()
	s := &stand{Registry: toolfall.New()}
	var err error
	if s.Scheduler, err = New(t, s.Registry, Config{Width: width}); err != nil {
		t.Fatal(err)
	}
	claims := func(write bool) func(toolfall.Call) []toolfall.Claim {
		return func(c toolfall.Call) []toolfall.Claim {
			_, path, _ := strings.Cut(string(c.Arguments), `"path":"`)
			path, _, _ = strings.Cut(path, `"`)
			return []toolfall.Claim{{Resource: toolfall.Path, Key: path, Write: write}}
		}
	}
	s.tool(t, "read", claims(false))
	s.tool(t, "write", claims(true))
	s.tool(t, "free", func(toolfall.Call) []toolfall.Claim { return nil })
	s.tool(t, "alone", nil)
	return s
}

func (s *stand) tool(t *testing.T, name string, claims func(toolfall.Call) []toolfall.Claim) {
	t.Helper()
	d := toolfall.Define(name, "", func(ctx context.Context, w work, c toolfall.Call) ([]toolfall.Content, error) {
		s.most.Store(max(s.most.Load(), s.now.Add(1)))
		defer s.now.Add(-1)
		s.trace.Add("+" + c.ID)
		defer s.trace.Add("-" + c.ID)
		select {
		case <-time.After(time.Duration(w.Took) * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return toolfall.Text(c.ID), nil
	})
	d.Claims = claims
	if _, err := s.Register(t, d); err != nil {
		t.Fatal(err)
	}
}

// calls makes calls of lines such as "a write 10 /x", with the ID first.
func calls(lines ...string) (out []toolfall.Call) {
	for _, line := range lines {
		f := append(strings.Fields(line), "")
		arguments := fmt.Sprintf(`{"took":%s,"path":"%s"}`, f[2], f[3])
		out = append(out, toolfall.Call{ID: f[0], Name: f[1], Arguments: []byte(arguments)})
	}
	return out
}

func told(rs []toolfall.Result) string {
	var out []string
	for _, r := range rs {
		what := r.Text()
		if r.IsError {
			what = toolfall.Code(r)
		}
		out = append(out, r.CallID+":"+what)
	}
	return strings.Join(out, " ")
}

// each runs a function in a bubble of its own.
func each(t *testing.T, width int, do func(t *testing.T, s *stand)) {
	synctest.Test(t, func(t *testing.T) { do(t, newStand(t, width)) })
}

func TestWhatDoesNotConflictRunsSideBySide(t *testing.T) {
	each(t, 0, func(t *testing.T, s *stand) {
		began := time.Now()
		rs := s.ExecuteAll(t.Context(), calls("a read 10 /x", "b read 10 /x", "c write 10 /y", "d free 10"))
		if took := time.Since(began); took != 10*time.Millisecond {
			t.Errorf("took %v", took)
		}
		if got := told(rs); got != "a:a b:b c:c d:d" {
			t.Errorf("results %s", got)
		}
	})
}

func TestConflictsRunInTheOrderOfTheModel(t *testing.T) {
	for name, row := range map[string]struct {
		calls []toolfall.Call
		want  string // "x<y": x comes before y
	}{
		"two writes":            {calls("a write 9 /x", "b write 1 /x"), "-a<+b"},
		"a read after a write":  {calls("a write 9 /x", "b read 1 /x"), "-a<+b"},
		"a file in a directory": {calls("a write 9 /d", "b read 1 /d/f"), "-a<+b"},
		"alone, then a read":    {calls("a alone 9", "b read 1 /x"), "-a<+b"},
		"a read, then alone":    {calls("a read 9 /x", "b alone 1"), "-a<+b"},
		"free beside alone":     {calls("a alone 9", "b free 1"), "-b<-a"},
		"none overtakes":        {calls("a write 9 /x", "b write 5 /x", "c read 1 /y"), "-a<+b -a<+c -c<-b"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, 0, func(t *testing.T, s *stand) {
				s.ExecuteAll(t.Context(), row.calls)
				for pair := range strings.FieldsSeq(row.want) {
					first, second, _ := strings.Cut(pair, "<")
					if got := s.trace.String(); strings.Index(got, first) > strings.Index(got, second) {
						t.Errorf("%s, want %s before %s", got, first, second)
					}
				}
			})
		})
	}
}

// E55: a place that is free is taken at once, not when the slowest of a window is done.
func TestThePoolRolls(t *testing.T) {
	each(t, 2, func(t *testing.T, s *stand) {
		began := time.Now()
		s.ExecuteAll(t.Context(), calls("a free 30", "b free 10", "c free 10", "d free 10"))
		if took := time.Since(began); took != 30*time.Millisecond || s.most.Load() != 2 {
			t.Errorf("took %v, %d at once", took, s.most.Load())
		}
	})
}

// E56: a width that would let nothing run is refused when the scheduler is made.
func TestAWidthThatCannotWorkIsRefused(t *testing.T) {
	for _, width := range []int{-1, MaxWidth + 1} {
		if _, err := New(t, toolfall.New(), Config{Width: width}); err == nil {
			t.Errorf("a width of %d is accepted", width)
		}
	}
}

// E53: policy is asked about one call at a time, in the order of the model, and about
// what an earlier call changes only when that is done.
func TestOnlyToolsOverlap(t *testing.T) {
	each(t, 0, func(t *testing.T, s *stand) {
		deciding := 0
		s.Use(t, toolfall.Middleware{Name: "gate", Stage: toolfall.Decide, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			deciding++ // a race, if two of them were here
			s.trace.Add("?" + c.ID)
			time.Sleep(time.Millisecond)
			if deciding != 1 {
				t.Errorf("%d calls are decided on at once", deciding)
			}
			deciding--
			return next(ctx, c)
		}})
		s.ExecuteAll(t.Context(), calls("a read 20 /x", "b read 20 /y", "c write 5 /x", "d free 9"))
		if got := s.trace.String(); !(strings.Index(got, "?a") < strings.Index(got, "?b") && strings.Index(got, "-a") < strings.Index(got, "?c") && strings.Index(got, "?c") < strings.Index(got, "?d")) {
			t.Errorf("%s: not decided in order, or before the read of /x was over", got)
		}
	})
}

// E54: what a call touches is asked again after it waited, and after hooks changed it.
func TestClaimsAreTakenAgainBeforeTheStart(t *testing.T) {
	each(t, 0, func(t *testing.T, s *stand) {
		var asked atomic.Int32
		s.tool(t, "moody", func(toolfall.Call) []toolfall.Claim {
			if asked.Add(1) == 1 {
				return []toolfall.Claim{toolfall.WritePath("/x")}
			}
			return []toolfall.Claim{toolfall.WritePath("/y")}
		})
		s.ExecuteAll(t.Context(), calls("a write 9 /x", "b write 20 /y", "c moody 1"))
		if got := s.trace.String(); strings.Index(got, "+c") < strings.Index(got, "-b") {
			t.Errorf("%s: a change of mind did not count", got)
		}
	})
	each(t, 0, func(t *testing.T, s *stand) {
		s.Use(t, toolfall.Middleware{Name: "hook", Stage: toolfall.Rewrite, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			c.Arguments = []byte(strings.Replace(string(c.Arguments), "/free", "/x", 1))
			return next(ctx, c)
		}})
		s.Use(t, toolfall.Middleware{Name: "gate", Stage: toolfall.Decide, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			s.trace.Add("?" + c.ID)
			return next(ctx, c)
		}})
		s.ExecuteAll(t.Context(), calls("a write 9 /x", "b write 1 /free"))
		if got := s.trace.String(); got != "?a +a -a ?b +b -b" {
			t.Errorf("%s: a rewritten call did not wait before it was decided on", got)
		}
	})
}

// E49 and D41: the end of the context asks tools to stop and waits for them; what did
// not start says so.
func TestAbortStopsStartsAndAwaitsTheRunning(t *testing.T) {
	each(t, 2, func(t *testing.T, s *stand) {
		ctx, cancel := context.WithCancel(t.Context())
		slow := toolfall.Define("slow", "", func(ctx context.Context, _ struct{}, c toolfall.Call) ([]toolfall.Content, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // it takes its time
			s.trace.Add("-" + c.ID)
			return toolfall.Text("done"), nil
		})
		slow.Claims = func(toolfall.Call) []toolfall.Claim { return nil }
		if _, err := s.Register(t, slow); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(5*time.Millisecond, cancel)
		rs := s.ExecuteAll(ctx, []toolfall.Call{{ID: "a", Name: "slow"}, {ID: "b", Name: "slow"}, {ID: "c", Name: "free"}, {ID: "d", Name: "nosuch"}})
		if got := told(rs); got != "a:ABORTED b:ABORTED c:ABORTED_BEFORE_DISPATCH d:ABORTED_BEFORE_DISPATCH" {
			t.Errorf("results %s", got)
		}
		if got := s.trace.String(); got != "-a -b" && got != "-b -a" {
			t.Errorf("%q: the running were not awaited", got)
		}
	})
}

// E51: a deadline of the caller and one of a layer are told apart.
func TestADeadlineIsTheOneWhoseItIs(t *testing.T) {
	each(t, 0, func(t *testing.T, s *stand) {
		s.Use(t, toolfall.Middleware{Name: "limit", Stage: toolfall.Contain, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Millisecond, toolfall.NewError(toolfall.Timeout, errors.New("the layer's")))
			defer cancel()
			return next(ctx, c)
		}})
		ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Millisecond, errors.New("the caller's"))
		defer cancel()
		rs := s.ExecuteAll(ctx, calls("a alone 999", "b alone 999"))
		if a, b := rs[0].Text(), rs[1].Text(); !strings.Contains(a, "the layer's") || !strings.Contains(b, "the caller's") {
			t.Errorf("%q and %q", a, b)
		}
	})
}

// E57 and D40: whatever fails, each call has one result, and none is left running.
func TestEveryCallIsAnswered(t *testing.T) {
	each(t, 0, func(t *testing.T, s *stand) {
		s.Use(t, toolfall.Middleware{Name: "trouble", Stage: toolfall.Decide, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			switch c.ID {
			case "refused":
				return toolfall.Fail(toolfall.ErrDenied)
			case "panics":
				panic("no")
			case "exits":
				runtime.Goexit()
			}
			return next(ctx, c)
		}})
		s.Use(t, toolfall.Middleware{Name: "inside", Stage: toolfall.Contain, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			if c.ID == "exits inside" {
				runtime.Goexit()
			}
			return next(ctx, c)
		}})
		var cs []toolfall.Call
		for _, id := range []string{"refused", "panics", "exits", "exits inside", "well"} {
			cs = append(cs, toolfall.Call{ID: id, Name: "alone"})
		}
		cs = append(cs, toolfall.Call{ID: "unknown", Name: "nosuch"})
		rs := s.ExecuteAll(t.Context(), cs)
		if got, want := told(rs), "refused:DENIED panics:MIDDLEWARE_ERROR exits:MIDDLEWARE_ERROR exits inside:MIDDLEWARE_ERROR well:well unknown:UNKNOWN_TOOL"; got != want {
			t.Errorf("results %s, want %s", got, want)
		}
	})
}

// A tool may make calls of its own, which do not wait for what it holds itself.
func TestACallInsideACallIsNotHeldUp(t *testing.T) {
	each(t, 1, func(t *testing.T, s *stand) {
		outer := toolfall.Define("outer", "", func(ctx context.Context, _ struct{}, c toolfall.Call) ([]toolfall.Content, error) {
			one := s.Execute(ctx, toolfall.Call{ID: c.ID, Parent: c.ID, Name: "alone"})
			two := s.ExecuteAll(ctx, calls("x alone 1", "y alone 1"))
			return toolfall.Text(one.Text() + told(two)), nil
		})
		if _, err := s.Register(t, outer); err != nil {
			t.Fatal(err)
		}
		rs := s.ExecuteAll(t.Context(), []toolfall.Call{{ID: "o", Name: "outer"}, {ID: "p", Name: "outer"}})
		if got := told(rs); got != "o:ox:x y:y p:px:x y:y" {
			t.Errorf("results %s", got)
		}
	})
}

// A layer outside that tries a call again has it wait for its place again.
func TestACallThatIsTriedAgainTakesItsPlaceAgain(t *testing.T) {
	each(t, 0, func(t *testing.T, s *stand) {
		s.Use(t, toolfall.Middleware{Name: "again", Stage: toolfall.Rewrite, Before: true, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			r := next(ctx, c)
			if c.ID == "a" {
				time.Sleep(time.Millisecond)
				r = next(ctx, c)
			}
			return r
		}})
		s.ExecuteAll(t.Context(), calls("a write 2 /x", "b write 9 /x"))
		if got := s.trace.String(); got != "+a -a +b -b +a -a" {
			t.Errorf("%s", got)
		}
	})
}

// A layer that calls next twice at once has two runs in one place.
func TestALayerMayCallNextTwiceAtOnce(t *testing.T) {
	each(t, 2, func(t *testing.T, s *stand) {
		s.Use(t, toolfall.Middleware{Name: "twice", Stage: toolfall.Decide, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { next(ctx, c) })
			}
			wg.Wait()
			return next(ctx, c)
		}})
		rs := s.ExecuteAll(t.Context(), calls("a write 2 /x", "b write 2 /x", "c read 2 /y", "d alone 2"))
		if got := told(rs); got != "a:a b:b c:c d:d" {
			t.Errorf("results %s", got)
		}
	})
}

func TestCallsMayBeAddedWhileOthersRun(t *testing.T) {
	each(t, 2, func(t *testing.T, s *stand) {
		b := s.Batch()
		var pending []*Pending
		for _, c := range calls("a free 10", "b free 10", "c free 10") {
			pending = append(pending, b.Add(t.Context(), c))
			time.Sleep(time.Millisecond)
		}
		pending[0].Result()
		pending = append(pending, b.Add(t.Context(), calls("d free 1")[0]))
		var got []toolfall.Result
		for _, p := range pending {
			got = append(got, p.Result())
		}
		if told(got) != "a:a b:b c:c d:d" {
			t.Errorf("results %s", told(got))
		}
	})
}

// Whoever listens is told that a call waits.
func TestAWaitIsTold(t *testing.T) {
	each(t, 0, func(t *testing.T, s *stand) {
		var mu sync.Mutex
		var heard []string
		s.Use(t, toolfall.Middleware{Name: "listen", Stage: toolfall.Observe, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			return next(toolfall.Listen(ctx, func(r toolfall.Report) {
				mu.Lock()
				defer mu.Unlock()
				heard = append(heard, c.ID+" "+r.By+" "+r.Text)
			}), c)
		}})
		s.ExecuteAll(t.Context(), calls("a write 9 /x", "b write 1 /x"))
		if len(heard) != 1 || heard[0] != "b schedule waits for others to end" {
			t.Errorf("heard %q", heard)
		}
	})
}
