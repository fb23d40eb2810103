package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// some returns n tools.
func some(n int) []toolfall.Definition {
	ds := make([]toolfall.Definition, n)
	for i := range ds {
		ds[i] = toolfall.Definition{
			Schema: toolfall.Schema{
				Name: fmt.Sprintf("tool_%d", i), Description: "Does what its name says.",
				Parameters: `{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"]}`,
			},
			Execute: func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, nil },
		}
	}
	return ds
}

func scale() []contender {
	var cs []contender
	for _, n := range []int{10, 1000, 10_000, 100_000} {
		group := fmt.Sprintf("scale %d", n)
		add := func(name string, setup func(n int) (func(int), func(), error)) {
			cs = append(cs, contender{group: group, name: name, ours: true, setup: func() (func(int), func(), error) { return setup(n) }})
		}
		add("register all in one batch", registerBatch)
		add("register one by one", registerSingly)
		add("list, cached", listCached)
		add("one change, and list", changeAndList)
		add("look up, quiet", lookUp(0))
		add("look up, 100 changes a second", lookUp(100))
		if n == 1000 || n == 10_000 {
			cs = append(cs, peersAtScale(n)...)
		}
	}
	return cs
}

func registerBatch(size int) (func(int), func(), error) {
	ds := some(size)
	return func(n int) {
		for range n {
			s := scope.New(context.Background(), "bench")
			if _, err := toolfall.New().Register(s, ds...); err != nil {
				panic(err)
			}
		}
	}, nil, nil
}

func registerSingly(size int) (func(int), func(), error) {
	ds := some(size)
	return func(n int) {
		for range n {
			s := scope.New(context.Background(), "bench")
			reg := toolfall.New()
			for _, d := range ds {
				if _, err := reg.Register(s, d); err != nil {
					panic(err)
				}
			}
		}
	}, nil, nil
}

func filled(size int) (*toolfall.Registry, *scope.Scope) {
	s := scope.New(context.Background(), "bench")
	reg := toolfall.New()
	if _, err := reg.Register(s, some(size)...); err != nil {
		panic(err)
	}
	return reg, s
}

func listCached(size int) (func(int), func(), error) {
	reg, s := filled(size)
	return func(n int) {
		for range n {
			reg.Snapshot().SchemasJSON()
		}
	}, func() { s.Close() }, nil
}

func changeAndList(size int) (func(int), func(), error) {
	reg, s := filled(size)
	extra := some(1)[0]
	extra.Name = "extra"
	reg.Snapshot().SchemasJSON()
	return func(n int) {
		for range n {
			remove, err := reg.Register(s, extra)
			if err != nil {
				panic(err)
			}
			reg.Snapshot().SchemasJSON()
			remove()
		}
	}, func() { s.Close() }, nil
}

// lookUp reads from 64 goroutines while tools come and go.
func lookUp(changes int) func(size int) (func(int), func(), error) {
	return func(size int) (func(int), func(), error) {
		reg, s := filled(size)
		names := make([]string, 1024)
		for i := range names {
			names[i] = fmt.Sprintf("tool_%d", i*7919%size)
		}
		if changes > 0 {
			s.Go(func(ctx context.Context) { churn(ctx, reg, s, changes) })
		}
		var missed atomic.Int64
		return func(n int) {
			var wg sync.WaitGroup
			for g := range 64 {
				wg.Go(func() {
					for i := range n / 64 {
						if _, ok := reg.Snapshot().Get(names[(i+g)&1023]); !ok {
							missed.Add(1)
						}
					}
				})
			}
			wg.Wait()
			if missed.Load() > 0 {
				panic("a tool was not found")
			}
		}, func() { s.Close() }, nil
	}
}

func churn(ctx context.Context, reg *toolfall.Registry, s *scope.Scope, perSecond int) {
	extra := some(1)[0]
	extra.Name = "comes_and_goes"
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if remove, err := reg.Register(s, extra); err == nil {
				remove()
			}
		}
	}
}
