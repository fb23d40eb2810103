package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	einoschema "github.com/cloudwego/eino/schema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/schedule"
	"github.com/toolfall/toolfall/scope"
)

const (
	sleepGroup = "64 calls of 10 ms"
	emptyGroup = "64 calls that do nothing"
	atOnce     = 64
)

func nap() { time.Sleep(10 * time.Millisecond) }

// parallel measures calls side by side.
func parallel() []contender {
	return []contender{
		{group: sleepGroup, name: "floor: goroutines", setup: goroutines},
		{group: sleepGroup, name: "toolfall, schedule", ours: true, setup: scheduled(nap, false)},
		{group: sleepGroup, name: "eino ToolsNode", setup: einoNode},
		{group: sleepGroup, name: "go-sdk, in memory", setup: goSDKNaps},
		{group: emptyGroup, name: "toolfall, one after another", ours: true, setup: scheduled(func() {}, true)},
		{group: emptyGroup, name: "toolfall, schedule", ours: true, setup: scheduled(func() {}, false)},
	}
}

func goroutines() (func(int), func(), error) {
	return func(n int) {
		for range n {
			var wg sync.WaitGroup
			for range atOnce {
				wg.Go(nap)
			}
			wg.Wait()
		}
	}, nil, nil
}

// stand makes a registry with a scheduler and a tool that touches nothing.
func stand(width int, work func()) (*scope.Scope, *toolfall.Registry, *schedule.Scheduler, error) {
	s := scope.New(context.Background(), "bench")
	reg := toolfall.New()
	sched, err := schedule.New(s, reg, schedule.Config{Width: width})
	if err != nil {
		return nil, nil, nil, err
	}
	d := toolfall.Define("read", "Read.", func(context.Context, readArgs, toolfall.Call) ([]toolfall.Content, error) {
		work()
		return readOK, nil
	})
	d.Claims = func(toolfall.Call) []toolfall.Claim { return nil }
	_, err = reg.Register(s, d)
	return s, reg, sched, err
}

func someCalls(n int) []toolfall.Call {
	out := make([]toolfall.Call, n)
	for i := range out {
		out[i] = toolfall.Call{ID: fmt.Sprint(i), Name: "read", Arguments: readRaw}
	}
	return out
}

func scheduled(work func(), alone bool) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		s, reg, sched, err := stand(atOnce, work)
		if err != nil {
			return nil, nil, err
		}
		calls, ctx := someCalls(atOnce), context.Background()
		return func(n int) {
			for range n {
				if !alone {
					sched.ExecuteAll(ctx, calls)
					continue
				}
				for _, c := range calls {
					reg.Execute(ctx, c)
				}
			}
		}, func() { s.Close() }, nil
	}
}

func einoNode() (func(int), func(), error) {
	ctx := context.Background()
	t, err := utils.InferTool("read", "Read.", func(context.Context, readArgs) (string, error) {
		nap()
		return "ok", nil
	})
	if err != nil {
		return nil, nil, err
	}
	node, err := compose.NewToolNode(ctx, &compose.ToolsNodeConfig{Tools: []tool.BaseTool{t}})
	if err != nil {
		return nil, nil, err
	}
	calls := make([]einoschema.ToolCall, atOnce)
	for i := range calls {
		calls[i] = einoschema.ToolCall{ID: fmt.Sprint(i), Function: einoschema.FunctionCall{Name: "read", Arguments: string(readRaw)}}
	}
	message := einoschema.AssistantMessage("", calls)
	return func(n int) {
		for range n {
			if out, err := node.Invoke(ctx, message); err != nil || len(out) != atOnce {
				panic(err)
			}
		}
	}, nil, nil
}

func goSDKNaps() (func(int), func(), error) {
	session, err := goSDKSession(nap)
	if err != nil {
		return nil, nil, err
	}
	params := &mcp.CallToolParams{Name: "read", Arguments: readRaw}
	return func(n int) {
		for range n {
			var wg sync.WaitGroup
			for range atOnce {
				wg.Go(func() { session.CallTool(context.Background(), params) })
			}
			wg.Wait()
		}
	}, func() { session.Close() }, nil
}

// inFlight returns how much memory, in KiB, each of many calls takes that are in their
// tool at the same time.
func inFlight() (float64, error) {
	const n = 10_000
	var in sync.WaitGroup
	in.Add(n)
	release := make(chan struct{})
	s, _, sched, err := stand(n, func() { in.Done(); <-release })
	if err != nil {
		return 0, err
	}
	defer s.Close()
	calls := someCalls(n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	batch := sched.Batch()
	pending := make([]*schedule.Pending, n)
	for i, c := range calls {
		pending[i] = batch.Add(context.Background(), c)
	}
	in.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	close(release)
	for _, p := range pending {
		p.Result()
	}
	return float64(after.HeapInuse+after.StackInuse-before.HeapInuse-before.StackInuse) / n / 1024, nil
}

func parallelTargets() []target {
	return []target{
		wall("64 calls of 10 ms, in order, ≤ 1.10 × goroutines", 1.10, sleepGroup, "toolfall, schedule", sleepGroup, "floor: goroutines", ""),
		{text: "scheduler ≤ 2 µs a call", why: "a hand-over to another goroutine for each, and a look at its claims three times", met: func(f find) (string, bool) {
			a, b := f(emptyGroup, "toolfall, schedule"), f(emptyGroup, "toolfall, one after another")
			if a == nil || b == nil {
				return "not measured", false
			}
			x := (a.wall - b.wall) / atOnce
			return nanos(x) + " (time passed)", x <= 2000
		}},
		{text: "10,000 calls in flight ≤ 5 KiB each", why: "two goroutines a call, one for the chain and one for the tool, so that its Goexit ends there; the stack of the chain is 8 KiB", met: func(f find) (string, bool) {
			if f(sleepGroup, "toolfall, schedule") == nil {
				return "not measured", false
			}
			x, err := inFlight()
			return fmt.Sprintf("%.1f KiB", x), err == nil && x <= 5
		}},
	}
}
