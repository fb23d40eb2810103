// Package hook runs a user's own commands beside calls, as Claude Code does: before a
// call they may refuse it, ask for it to be approved, or rewrite its input; after it
// they may add to its result.
//
// Hooks of one event run at the same time and are folded in their order: the strictest
// verdict wins. A hook that guards a call and gives no verdict because it could not be
// started, crashed, ran out of time or said something else than it may, blocks the
// call, unless its OnFailure says otherwise. What a hook says can only tighten; an
// allow is carried inward, where it may spare a question that no rule asks.
package hook

import (
	"context"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// Name is that of the plugin and its middleware.
const Name = "hook"

// An Event is when hooks run.
type Event string

// The events.
const (
	PreToolUse         Event = "PreToolUse"         // before a call
	PostToolUse        Event = "PostToolUse"        // after one that went well
	PostToolUseFailure Event = "PostToolUseFailure" // after one that failed
	PermissionRequest  Event = "PermissionRequest"  // before a person is asked
)

// guards reports whether a hook of the event that gives no verdict must not be passed
// over.
func (e Event) guards() bool { return e == PreToolUse || e == PermissionRequest }

// A Hook is a command or a URL that is told of calls.
type Hook struct {
	Event   Event
	Matcher string // tool names divided by | or ",", or a regular expression; empty for every tool
	Source  string // where it stands, for people

	Command    string // run by sh -c, or by itself when Args is not nil
	Args       []string
	URL        string            // told by POST instead
	Headers    map[string]string // of which $NAME is replaced, where AllowedEnv has the name
	AllowedEnv []string

	If        string        // a rule, such as Bash(git *): only calls that it could be of
	Timeout   time.Duration // 10 minutes when zero
	Async     bool          // not waited for, so it has no say
	OnFailure Failure       // Block when empty
}

// A Failure says what becomes of a call whose hook gave no verdict.
type Failure string

// What may become of it.
const (
	Block Failure = "block"
	Ask   Failure = "ask"
	Pass  Failure = "allow"
)

// A Verdict is what hooks said of a call.
type Verdict string

// The verdicts, from the mildest.
const (
	Silent  Verdict = ""
	Allowed Verdict = "allow"
	Asked   Verdict = "ask"
	Denied  Verdict = "deny"
)

// An Outcome is what came of running a hook.
type Outcome struct {
	Hook     Hook
	Event    Event
	Kind     string // verdict, no_verdict, spawn_failed, timeout, crashed or bad_output
	Text     string
	Duration time.Duration
}

// Config sets up the plugin.
type Config struct {
	Hooks     []Hook
	Dir       string // where hooks run, and their CLAUDE_PROJECT_DIR
	SessionID string
	Env       []string      // of the hooks; it should hold no secrets
	Mode      func() string // the permission mode that hooks are told

	// Carry takes a verdict inward, to what decides on the call. Without it an ask
	// refuses, and an allow is nothing.
	Carry func(context.Context, Verdict, string) context.Context

	// Matches says whether a rule could be of a call, for the hooks that have an If.
	// Without it such hooks run for every call that their matcher is of.
	Matches func(rule string, c toolfall.Call) bool

	// Report is told of every run of a hook.
	Report func(Outcome)
}

// New returns the plugin.
func New(c Config) toolfall.Plugin {
	return toolfall.Plugin{Name: Name, Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		run, err := NewRunner(s, c)
		if err != nil {
			return err
		}
		run.use(s, r)
		return nil
	}}
}

// Plugin returns a plugin of a runner that is also asked for permission.
func (r *Runner) Plugin() toolfall.Plugin {
	return toolfall.Plugin{Name: Name, Attach: func(s *scope.Scope, reg *toolfall.Registry) error {
		r.use(s, reg)
		return nil
	}}
}

func (r *Runner) use(s *scope.Scope, reg *toolfall.Registry) {
	reg.Use(s, toolfall.Middleware{Name: Name, Stage: toolfall.Rewrite, Wrap: r.wrap})
}
