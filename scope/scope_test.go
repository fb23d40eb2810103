package scope_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall/scope"
)

func Example() {
	root := scope.New(context.Background(), "main")
	root.Cleanup(func() { fmt.Println("main is undone last") })
	server := root.Child("server")
	server.Cleanup(func() { fmt.Println("the server is undone first") })
	server.Go(func(ctx context.Context) {
		<-ctx.Done()
		fmt.Println("its goroutine ends")
	})
	root.Close()
	// Output:
	// its goroutine ends
	// the server is undone first
	// main is undone last
}

func TestCloseUnwindsNewestFirst(t *testing.T) {
	var got []string
	note := func(s string) func() { return func() { got = append(got, s) } }
	root := scope.New(t.Context(), "root")
	root.Cleanup(note("a"))
	c := root.Child("c")
	c.Cleanup(note("c1"))
	c.Cleanup(note("c2"))
	root.Cleanup(note("b"))
	root.Close()
	if want := []string{"b", "c2", "c1", "a"}; !slices.Equal(got, want) {
		t.Errorf("order = %v, want %v", got, want)
	}
	root.Cleanup(note("late"))
	if got[len(got)-1] != "late" {
		t.Error("a late cleanup did not run at once")
	}
}

func TestClosedChildLeavesParent(t *testing.T) {
	root := scope.New(t.Context(), "root")
	defer root.Close()
	first := root.Child("first")
	for range 3 {
		root.Child("x").Close()
	}
	last := root.Child("last")
	if got := root.Children(); !slices.Equal(got, []*scope.Scope{first, last}) {
		t.Errorf("Children() = %d scopes, want first and last", len(got))
	}
}

func TestChildOfClosedScopeIsClosed(t *testing.T) {
	root := scope.New(t.Context(), "root")
	root.Close()
	ran := false
	c := root.Child("late")
	c.Cleanup(func() { ran = true })
	if !ran || c.Context().Err() == nil {
		t.Errorf("a child of a closed scope is open: cleanup ran = %v, context = %v", ran, c.Context().Err())
	}
}

func TestCloseWaitsForGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scope.New(context.Background(), "s")
		start := time.Now()
		s.Go(func(ctx context.Context) {
			<-ctx.Done()
			time.Sleep(3 * time.Second) // still tidying up
		})
		s.Close()
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("Close returned after %v, want 3s", d)
		}
	})
}

func TestEveryCloserWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scope.New(t.Context(), "s")
		s.Cleanup(func() { time.Sleep(time.Second) })
		start := time.Now()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				s.Close()
				if d := time.Since(start); d != time.Second {
					t.Errorf("a Close returned after %v, want 1s", d)
				}
			})
		}
		wg.Wait()
	})
}

func TestPanicInCleanupIsToldAndTheRestRuns(t *testing.T) {
	root := scope.New(t.Context(), "root")
	var ran []string
	root.Cleanup(func() { ran = append(ran, "first") })
	c := root.Child("child")
	c.Cleanup(func() { ran = append(ran, "child") })
	c.Cleanup(func() { panic("boom") })
	root.Go(func(context.Context) { panic("in a goroutine") })
	err := root.Close()
	if want := []string{"child", "first"}; !slices.Equal(ran, want) {
		t.Errorf("ran %v, want %v", ran, want)
	}
	var p *scope.PanicError
	if !errors.As(err, &p) || len(p.Stack) == 0 {
		t.Fatalf("Close() = %v, want a PanicError with its stack", err)
	}
	if got, want := err.Error(), "scope root: panic: in a goroutine\nscope child: panic: boom"; got != want {
		t.Errorf("Close() = %q, want %q", got, want)
	}
	if again := root.Close(); again == nil || again.Error() != err.Error() {
		t.Errorf("the second Close() = %v, want the same", again)
	}
}

func TestGoexitInCleanupLeavesNothingBehind(t *testing.T) {
	s := scope.New(t.Context(), "s")
	var ran []string
	s.Cleanup(func() { ran = append(ran, "a") })
	s.Cleanup(runtime.Goexit)
	s.Cleanup(runtime.Goexit)
	var wg sync.WaitGroup
	wg.Go(func() { s.Close() })
	wg.Wait()
	if err := s.Close(); err == nil || len(ran) != 1 {
		t.Errorf("Close() = %v after %v, want an error and [a]", err, ran)
	}
}

func TestOwnedIsDropped(t *testing.T) {
	s := scope.New(t.Context(), "s")
	ran := 0
	drop := s.Own(func() { ran++ })
	s.Own(func() { ran += 10 })
	drop()
	drop()
	s.Close()
	if ran != 10 {
		t.Errorf("ran = %d, want 10: the dropped one must not run", ran)
	}
}

func TestGoInClosedScopeIsAwaited(t *testing.T) {
	s := scope.New(t.Context(), "s")
	s.Close()
	ended := false
	s.Go(func(ctx context.Context) { ended = ctx.Err() != nil })
	if !ended {
		t.Error("Go on a closed scope returned before its function, or gave it a live context")
	}
}

// A long-lived scope that starts many short goroutines must not remember them.
func TestEndedGoroutinesAreForgotten(t *testing.T) {
	s := scope.New(t.Context(), "s")
	defer s.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 100_000 {
		var wg sync.WaitGroup
		wg.Add(1)
		s.Go(func(context.Context) { wg.Done() })
		wg.Wait()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("100,000 ended goroutines hold %d bytes", grown)
	}
}
