package files

import (
	"context"
	"iter"
)

// source yields items until there are no more or its context ends.
type source[T any] func(context.Context) iter.Seq[T]

// ordered yields f of every item of in, in the order of in, while up to workers of
// them are computed at once and twice as many wait to be yielded. It ends early
// when ctx does, and returns only when no goroutine of it is left.
func ordered[T, R any](ctx context.Context, workers int, in source[T], f func(context.Context, T) R) iter.Seq[R] {
	type job struct {
		item T
		out  chan R // takes one without waiting
	}
	return func(yield func(R) bool) {
		crew, ctx := newCrew(ctx)
		defer crew.dismiss()
		jobs, queue := make(chan job), make(chan job, 2*workers)
		crew.do(func() {
			defer close(queue)
			defer close(jobs)
			for item := range in(ctx) {
				j := job{item, make(chan R, 1)}
				if !send(ctx, queue, j) || !send(ctx, jobs, j) {
					return
				}
			}
		})
		for range workers {
			crew.do(func() {
				for j := range jobs {
					j.out <- f(ctx, j.item)
				}
			})
		}
		for j := range queue {
			select {
			case r := <-j.out:
				if !yield(r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// send sends v, unless ctx ends first.
func send[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

// batches yields the items of in, n at a time.
func batches[T any](in source[T], n int) source[[]T] {
	return func(ctx context.Context) iter.Seq[[]T] {
		return func(yield func([]T) bool) {
			var batch []T
			for item := range in(ctx) {
				if batch = append(batch, item); len(batch) == n {
					if !yield(batch) {
						return
					}
					batch = nil
				}
			}
			if len(batch) > 0 {
				yield(batch)
			}
		}
	}
}
