package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// A Runner runs hooks.
type Runner struct {
	Config
	scope  *scope.Scope
	hooks  []hook
	env    []string
	client *http.Client
	async  chan struct{} // a place for each hook that nobody waits for
}

// hook is a Hook that is ready to run.
type hook struct {
	Hook
	matcher matcher
}

// NewRunner prepares hooks. Those that are not waited for end with the scope.
func NewRunner(s *scope.Scope, c Config) (*Runner, error) {
	r := &Runner{Config: c, scope: s, async: make(chan struct{}, maxAsync), client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	r.env = append(c.Env[:len(c.Env):len(c.Env)], "CLAUDE_PROJECT_DIR="+c.Dir)
	for _, h := range c.Hooks {
		m, err := compileMatcher(h.Matcher)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.Source, err)
		}
		if (h.Command == "") == (h.URL == "") {
			return nil, fmt.Errorf("%s: a hook has a command or a URL", h.Source)
		}
		r.hooks = append(r.hooks, hook{h, m})
	}
	return r, nil
}

// about are the hooks of an event that a call concerns.
func (r *Runner) about(e Event, c toolfall.Call) []hook {
	var out []hook
	for _, h := range r.hooks {
		if h.Event == e && h.matcher.matches(c.Name) && (h.If == "" || r.Matches == nil || r.Matches(h.If, c)) {
			out = append(out, h)
		}
	}
	return out
}

// all runs hooks at the same time and returns what they said in their order.
func (r *Runner) all(ctx context.Context, hooks []hook, input []byte) []said {
	out := make([]said, len(hooks))
	var wg sync.WaitGroup
	for i, h := range hooks {
		if h.Async {
			r.background(h, input)
			continue
		}
		wg.Go(func() { out[i] = r.one(ctx, h, input) })
	}
	wg.Wait()
	return out
}

// maxAsync is how many hooks run at once that nobody waits for.
const maxAsync = 32

// background runs a hook that nobody waits for, or reports that too many do already.
func (r *Runner) background(h hook, input []byte) {
	select {
	case r.async <- struct{}{}:
	default:
		r.report(h, said{failed: "spawn_failed", err: errors.New("too many hooks run in the background")}, 0)
		return
	}
	r.scope.Go(func(ctx context.Context) {
		defer func() { <-r.async }()
		r.one(ctx, h, input)
	})
}

// told is what every hook is told.
func (r *Runner) told(e Event, c toolfall.Call) map[string]any {
	m := map[string]any{
		"session_id": r.SessionID, "transcript_path": "", "cwd": r.Dir, "hook_event_name": string(e),
		"tool_name": namesOf(c.Name)[0], "tool_input": c.Arguments,
	}
	if r.Mode != nil {
		m["permission_mode"] = r.Mode()
	}
	if c.Agent != "" {
		m["agent_id"] = c.Agent
	}
	if e != PermissionRequest {
		m["tool_use_id"] = c.ID
	}
	return m
}

// wrap runs the hooks before and after a call.
func (r *Runner) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	before := r.about(PreToolUse, c)
	var f folded
	if len(before) > 0 {
		f = fold(before, r.all(ctx, before, marshal(r.told(PreToolUse, c))))
		if ctx.Err() != nil {
			return toolfall.Fail(toolfall.NewError(toolfall.AbortedBeforeDispatch, context.Cause(ctx)))
		}
		var err error
		if ctx, err = r.carry(ctx, f); err != nil {
			return f.add(toolfall.Fail(err))
		}
		if f.input != nil {
			c.Arguments = f.input
		}
	}
	start := time.Now()
	return r.after(ctx, c, f.add(next(ctx, c)), time.Since(start))
}

// carry takes what the hooks said inward, or refuses.
func (r *Runner) carry(ctx context.Context, f folded) (context.Context, error) {
	switch {
	case f.verdict == Denied, f.verdict == Asked && r.Carry == nil:
		return ctx, toolfall.NewError(toolfall.HookBlocked, errors.New("blocked by a hook: "+clean(f.reason)))
	case f.verdict == Silent || r.Carry == nil:
		return ctx, nil
	}
	return r.Carry(ctx, f.verdict, f.reason), nil
}

// interruptedTime is how long hooks have after a call that was interrupted.
const interruptedTime = 5 * time.Second

// after runs the hooks that see the result. They cannot undo it.
func (r *Runner) after(ctx context.Context, c toolfall.Call, result toolfall.Result, took time.Duration) toolfall.Result {
	event := PostToolUse
	if result.IsError {
		event = PostToolUseFailure
	}
	hooks := r.about(event, c)
	if len(hooks) == 0 {
		return result
	}
	told := r.told(event, c)
	if result.IsError {
		told["error"], told["is_interrupt"] = result.Text(), ctx.Err() != nil
	} else {
		told["tool_response"], told["duration_ms"] = response(result), took.Milliseconds()
	}
	if ctx.Err() != nil { // they are told that it was interrupted, and not for long
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), interruptedTime)
		defer cancel()
	}
	f := fold(hooks, r.all(ctx, hooks, marshal(told)))
	if f.output != "" && event == PostToolUse {
		result.Content, result.Structured = toolfall.Text(clean(f.output)), nil
	}
	if f.verdict == Denied && f.reason != "" {
		f.context = append([]string{"a hook says: " + clean(f.reason)}, f.context...)
	}
	return f.add(result)
}

// response is a result as hooks are told it.
func response(r toolfall.Result) any {
	if len(r.Structured) > 0 {
		return json.RawMessage(r.Structured)
	}
	return r.Text()
}

// Request asks the hooks of PermissionRequest about a call, before a person is.
func (r *Runner) Request(ctx context.Context, c toolfall.Call) (Verdict, string) {
	hooks := r.about(PermissionRequest, c)
	if len(hooks) == 0 {
		return Silent, ""
	}
	f := fold(hooks, r.all(ctx, hooks, marshal(r.told(PermissionRequest, c))))
	if f.verdict == Asked {
		return Silent, f.reason // which is what happens next
	}
	return f.verdict, f.reason
}
