package schedule

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/toolfall/toolfall"
)

func benchStand(b *testing.B, width int, run func(context.Context)) *Scheduler {
	b.Helper()
	r := toolfall.New()
	s, err := New(b, r, Config{Width: width})
	if err != nil {
		b.Fatal(err)
	}
	d := toolfall.Define("t", "", func(ctx context.Context, _ struct{}, _ toolfall.Call) ([]toolfall.Content, error) {
		run(ctx)
		return nil, nil
	})
	d.Claims = func(toolfall.Call) []toolfall.Claim { return nil }
	if _, err := r.Register(b, d); err != nil {
		b.Fatal(err)
	}
	return s
}

func some(n int) []toolfall.Call {
	out := make([]toolfall.Call, n)
	for i := range out {
		out[i] = toolfall.Call{ID: fmt.Sprint(i), Name: "t"}
	}
	return out
}

// BenchmarkOverhead is what a call costs through the scheduler and by itself.
func BenchmarkOverhead(b *testing.B) {
	s := benchStand(b, 64, func(context.Context) {})
	cs := some(64)
	b.Run("batch", func(b *testing.B) {
		for i := 0; i < b.N; i += len(cs) {
			s.ExecuteAll(b.Context(), cs)
		}
	})
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			s.registry.Execute(b.Context(), cs[0])
		}
	})
}

// BenchmarkParallel runs 64 calls of 10 ms, as the ideal does.
func BenchmarkParallel(b *testing.B) {
	s := benchStand(b, 64, func(context.Context) { time.Sleep(10 * time.Millisecond) })
	cs := some(64)
	b.Run("schedule", func(b *testing.B) {
		for b.Loop() {
			s.ExecuteAll(b.Context(), cs)
		}
	})
	b.Run("goroutines", func(b *testing.B) {
		for b.Loop() {
			var wg sync.WaitGroup
			for range cs {
				wg.Go(func() { time.Sleep(10 * time.Millisecond) })
			}
			wg.Wait()
		}
	})
}

// BenchmarkInFlight tells how much memory a call takes that is in its tool.
func BenchmarkInFlight(b *testing.B) {
	const n = 10_000
	for b.Loop() {
		release := make(chan struct{})
		var in sync.WaitGroup
		in.Add(n)
		s := benchStand(b, n, func(context.Context) { in.Done(); <-release })
		cs := some(n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		batch := s.Batch()
		ps := make([]*Pending, n)
		for i, c := range cs {
			ps[i] = batch.Add(b.Context(), c)
		}
		in.Wait()
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapInuse+after.StackInuse-before.HeapInuse-before.StackInuse)/n/1024, "KiB/call")
		close(release)
		for _, p := range ps {
			p.Result()
		}
	}
}
