package files

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func counting(n int) source[int] {
	return func(ctx context.Context) iter.Seq[int] {
		return func(yield func(int) bool) {
			for i := range n {
				if ctx.Err() != nil || !yield(i) {
					return
				}
			}
		}
	}
}

func TestOrderedKeepsTheOrderAndWorksAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		slow := func(_ context.Context, i int) int {
			time.Sleep(time.Duration(1+i%3) * time.Second)
			return i
		}
		got := slices.Collect(ordered(t.Context(), 10, counting(30), slow))
		if !slices.IsSorted(got) || len(got) != 30 {
			t.Errorf("got %v", got)
		}
		if took := time.Since(begun); took > 12*time.Second {
			t.Errorf("took %v, alone it takes 60 s", took)
		}
	})
}

func TestOrderedRunsNoFurtherAheadThanItSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done atomic.Int32
		work := func(_ context.Context, i int) int { done.Add(1); return i }
		for i := range ordered(t.Context(), 2, counting(1000), work) {
			synctest.Wait()
			if ahead := int(done.Load()) - i; ahead > 8 {
				t.Fatalf("%d results ahead of a consumer that waits", ahead)
			}
		}
	})
}

// The bubble of synctest fails if a goroutine stays.
func TestOrderedStopsWithItsConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context, i int) int {
			if i > 3 {
				<-ctx.Done()
			}
			return i
		}
		n := 0
		for range ordered(t.Context(), 4, counting(1_000_000), wait) {
			if n++; n == 3 {
				break
			}
		}
	})
}

func TestOrderedStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		stuck := func(ctx context.Context, i int) int { <-ctx.Done(); return i }
		for range ordered(ctx, 4, counting(100), stuck) {
			continue
		}
		if ctx.Err() == nil {
			t.Error("ended before its context")
		}
	})
}

func TestPanicOfAWorkerReachesTheCaller(t *testing.T) {
	defer func() {
		if v := recover(); v != "boom" {
			t.Errorf("recovered %v, want boom", v)
		}
	}()
	for range ordered(t.Context(), 2, counting(10), func(context.Context, int) int { panic("boom") }) {
		continue
	}
	t.Error("the panic was lost")
}

func TestBatchesLoseNothing(t *testing.T) {
	var got []int
	for batch := range batches(counting(10), 4)(t.Context()) {
		got = append(got, len(batch))
	}
	if !slices.Equal(got, []int{4, 4, 2}) {
		t.Errorf("batches of %v", got)
	}
}
