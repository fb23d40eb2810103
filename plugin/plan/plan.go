// Package plan keeps an agent from changing anything until a person has approved its
// plan.
//
// [New] makes a plugin with a middleware, "plan", which stands outside permission in
// the stage Decide, and the tools enter_plan_mode and exit_plan_mode. While an agent
// plans, only calls that are proven to read run; no rule, mode, hook or grant changes
// that. It ends when a person approves the very plan that exit_plan_mode was given.
package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/internal/escape"
	"github.com/toolfall/toolfall/policy"
	"github.com/toolfall/toolfall/scope"
)

// Name is that of the plugin and its middleware.
const Name = "plan"

// The tools.
const (
	Enter = "enter_plan_mode"
	Exit  = "exit_plan_mode"
)

// Config sets up the plugin.
type Config struct {
	Policy   *policy.Policy   // says which calls only read
	Broker   *approval.Broker // nil: nobody can approve, so planning does not end
	Planning bool             // agents begin planning

	// Changed is told of every change of an agent's state.
	Changed func(agent string, s State, planHash string)
}

// A State is where an agent is.
type State string

// The states.
const (
	Off      State = "off"
	Planning State = "planning"
	Review   State = "review" // a plan waits for its approval
)

// New returns the plugin.
func New(c Config) toolfall.Plugin {
	return toolfall.Plugin{Name: Name, Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		if c.Policy == nil {
			return errors.New("there is no policy to say what only reads")
		}
		g := &gate{Config: c, policy: c.Policy.In(policy.Plan), states: make(map[string]State)}
		if c.Planning {
			g.states[""] = Planning
		}
		r.Use(s, toolfall.Middleware{Name: Name, Stage: toolfall.Decide, Before: true, Wrap: g.wrap})
		_, err := r.Register(s, g.enter(), g.exit())
		return err
	}}
}

type gate struct {
	Config
	policy *policy.Policy

	mu     sync.Mutex
	states map[string]State // by agent
}

// state is that of an agent or of the nearest agent above it that has one: an agent
// a/b was started by a, and all were started by the one without a name.
func (g *gate) state(agent string) State {
	g.mu.Lock()
	defer g.mu.Unlock()
	strictest := Off
	for at := agent; ; {
		if s := g.states[at]; s == Planning || s == Review {
			strictest = s
			break
		}
		if at == "" {
			break
		}
		at = at[:max(strings.LastIndexByte(at, '/'), 0)]
	}
	return strictest
}

func (g *gate) set(agent string, s State, hash string) {
	g.mu.Lock()
	g.states[agent] = s
	g.mu.Unlock()
	if g.Changed != nil {
		g.Changed(agent, s, hash)
	}
}

func (g *gate) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	_, known := c.Tool()
	if s := g.state(c.Agent); !known || s == Off || c.Name == Exit || c.Name == Enter || g.reads(c) {
		return next(ctx, c)
	}
	toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedDecision, By: Name, Text: "deny", Why: "planning"})
	return toolfall.Fail(refused("while planning, only calls that are proven to read run: not %s. Read what you need, then call %s with the plan", c.Name, Exit))
}

// reads reports whether a call is proven to change nothing.
func (g *gate) reads(c toolfall.Call) bool {
	d := g.policy.Decide(c.Name, c.Arguments)
	return d.ReadOnly && d.Effect != policy.Deny
}

func refused(format string, args ...any) error {
	return toolfall.NewError(toolfall.PlanMode, fmt.Errorf(format, args...))
}

func (g *gate) enter() toolfall.Definition {
	d := toolfall.Define(Enter, "Begin to plan: until a person has approved the plan, only calls that read will run.",
		func(_ context.Context, _ struct{}, c toolfall.Call) ([]toolfall.Content, error) {
			g.set(c.Agent, Planning, "")
			return toolfall.Text("Planning. Read what you need, then call " + Exit + " with the plan."), nil
		})
	d.Hints = toolfall.Hints{Title: "Begin to plan", ReadOnly: toolfall.Yes}
	return d
}

type exitArgs struct {
	Plan string `json:"plan" description:"The whole plan, as the person who approves it is to read it." minLength:"1" maxLength:"100000"`
}

func (g *gate) exit() toolfall.Definition {
	d := toolfall.Define(Exit, "End planning: show the plan to a person. Once it is approved, other calls run again.", g.leave)
	d.Timeout = -1 // a person takes the time that it takes
	d.Hints = toolfall.Hints{Title: "Have the plan approved", ReadOnly: toolfall.Yes}
	return d
}

// leave asks for the approval of a plan. Whoever has been started by a planning agent
// cannot end that agent's planning.
func (g *gate) leave(ctx context.Context, a exitArgs, c toolfall.Call) ([]toolfall.Content, error) {
	g.mu.Lock()
	own := g.states[c.Agent]
	if own == Planning {
		g.states[c.Agent] = Review
	}
	g.mu.Unlock()
	switch {
	case own == Review:
		return nil, refused("another plan is being reviewed")
	case own != Planning && g.state(c.Agent) != Off:
		return nil, refused("the agent that started you is planning; only it can have a plan approved")
	case own != Planning:
		return toolfall.Text("Not planning."), nil
	}
	hash := planHash(a.Plan)
	if g.Changed != nil {
		g.Changed(c.Agent, Review, hash)
	}
	outcome, note := g.approve(ctx, a.Plan, hash, c)
	if outcome.Allows() {
		g.set(c.Agent, Off, hash)
		return toolfall.Text("The plan is approved. Carry it out."), nil
	}
	g.set(c.Agent, Planning, hash)
	switch outcome {
	case approval.Rejected:
		return nil, refused("the plan was not approved%s; still planning", note)
	case approval.Unavailable:
		return nil, refused("there is nobody to approve the plan; still planning")
	}
	return nil, refused("the plan was not approved (%s); still planning", outcome)
}

func (g *gate) approve(ctx context.Context, plan, hash string, c toolfall.Call) (approval.Outcome, string) {
	if g.Broker == nil {
		return approval.Unavailable, ""
	}
	raw, err := json.Marshal(exitArgs{plan})
	if err != nil {
		return approval.Unavailable, ""
	}
	answer := g.Broker.Ask(ctx, approval.Request{
		CallID: c.ID, Tool: Exit, Agent: escape.Line(c.Agent), Arguments: raw, Text: escape.Strict(plan),
		Why: "the agent wants to carry out this plan", Bound: []string{"plan " + hash},
	})
	note := ""
	if answer.Note != "" {
		note = ": " + answer.Note
	}
	return answer.Outcome, note
}

func planHash(plan string) string {
	sum := sha256.Sum256([]byte(plan))
	return hex.EncodeToString(sum[:])
}
