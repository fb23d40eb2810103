package limit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/limit"
	"github.com/toolfall/toolfall/scope"
)

func ExampleNew() {
	root := scope.New(context.Background(), "main")
	defer root.Close()
	reg := toolfall.New()
	reg.Attach(root, limit.New(limit.Config{
		Timeout: 10 * time.Minute,
		Tools:   []limit.Tool{{Name: "mcp__search__*", Timeout: 10 * time.Millisecond, Pace: limit.Pace{Concurrent: 2}}},
		Loop:    limit.LoopLimits{Remind: 3, Refuse: 5},
	}))
	reg.Register(root, toolfall.Definition{
		Schema: toolfall.Schema{Name: "mcp__search__web"},
		Execute: func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	r := reg.Execute(context.Background(), toolfall.Call{ID: "1", Name: "mcp__search__web"})
	fmt.Println(toolfall.Code(r), r.Text())
	// Output: TIMEOUT Error: the limit of 10ms that the configuration sets for mcp__search__web passed while it ran; side effects are possible
}

func ExampleWith() {
	root := scope.New(context.Background(), "main")
	defer root.Close()
	reg := toolfall.New()
	reg.Attach(root, limit.New(limit.Config{}))
	reg.Register(root, toolfall.Definition{
		Schema: toolfall.Schema{Name: "wait"},
		Execute: func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		},
	})
	ctx := limit.With(context.Background(), time.Millisecond)
	fmt.Println(reg.Execute(ctx, toolfall.Call{ID: "1", Name: "wait"}).Text())
	// Output: Error: the limit of 1ms that the caller sets for wait passed while it ran; side effects are possible
}

func ExampleWatch() {
	var watch limit.Watch
	reg, root := toolfall.New(), scope.New(context.Background(), "main")
	defer root.Close()
	reg.Attach(root, limit.New(limit.Config{Watch: &watch}))
	for _, s := range watch.Stuck() {
		fmt.Printf("%s goes on since %v: %v\n", s.Tool, s.Since, s.Cause)
	}
	fmt.Println(watch.Total(), "were stuck")
	// Output: 0 were stuck
}
