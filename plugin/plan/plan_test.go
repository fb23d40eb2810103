package plan_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/plugin/plan"
	"github.com/toolfall/toolfall/policy"
	"github.com/toolfall/toolfall/scope"
)

// open returns a registry with tools that say that they ran.
func open(t *testing.T, b *approval.Broker) *toolfall.Registry {
	t.Helper()
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "a"), nil, 0o644)
	p, err := policy.New(policy.Config{Roots: []string{dir}, Mode: policy.Bypass, Rules: []policy.Rule{
		{Effect: policy.Allow, Tool: "bash"}, {Effect: policy.Allow, Tool: "write_file"}, {Effect: policy.Allow, Server: "browser"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := toolfall.New()
	s := scope.New(t.Context(), "test")
	t.Cleanup(func() { s.Close() })
	if _, err := r.Attach(s, plan.New(plan.Config{Policy: p, Broker: b, Planning: true})); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "read_file", "write_file", "mcp__browser__click", "spawn"} {
		_, err := r.Register(s, toolfall.Definition{
			Schema: toolfall.Schema{Name: name, Parameters: `{"type":"object"}`},
			Execute: func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
				return toolfall.Text("ran"), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func call(t *testing.T, r *toolfall.Registry, agent, name, arguments string) toolfall.Result {
	return r.Execute(t.Context(), toolfall.Call{ID: "1", Name: name, Agent: agent, Arguments: json.RawMessage(arguments)})
}

// P1, P2, P3: no rule and no mode lets through what is not proven to read.
func TestWhilePlanning(t *testing.T) {
	r := open(t, nil)
	for _, c := range []struct {
		name, arguments string
		runs            bool
	}{
		{"read_file", `{"path":"a"}`, true},
		{"bash", `{"command":"ls && git log | head -3"}`, true},
		{"bash", `{"command":"timeout 5 ls"}`, true},
		{"bash", `{"command":"timeout 5 rm a"}`, false},
		{"bash", `{"command":"touch b"}`, false},
		{"bash", `{"command":"rm a"}`, false},
		{"bash", `{"command":"cat a > b"}`, false},
		{"bash", `{"command":"cat $X"}`, false},
		{"bash", `{"command":"ls; f() { ls; }"}`, false},
		{"write_file", `{"path":"b","content":""}`, false},
		{"mcp__browser__click", `{}`, false},
		{"spawn", `{}`, false},
	} {
		for _, agent := range []string{"", "child", "child/grandchild"} {
			got := call(t, r, agent, c.name, c.arguments)
			if (got.Text() == "ran") != c.runs || !c.runs && toolfall.Code(got) != toolfall.PlanMode {
				t.Errorf("%q: %s%s: %s %q", agent, c.name, c.arguments, toolfall.Code(got), got.Text())
			}
		}
	}
}

// P4: only a person's answer to that plan ends it.
func TestTheWayOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.New(approval.Config{})
		r := open(t, b)
		if got := call(t, r, "", plan.Exit, `{"plan":"do it"}`); toolfall.Code(got) != toolfall.PlanMode || !strings.Contains(got.Text(), "nobody") {
			t.Errorf("headless: %q", got.Text())
		}
		b.Serve(t)
		ask := func(agent, text string, o approval.Outcome) toolfall.Result {
			got := make(chan toolfall.Result, 1)
			go func() { got <- call(t, r, agent, plan.Exit, `{"plan":"`+text+`"}`) }()
			synctest.Wait()
			for _, q := range b.Pending() {
				if q.Text != text || len(q.Grants) != 0 {
					t.Errorf("asked %+v", q)
				}
				if err := b.Answer(approval.Answer{ID: q.ID, Hash: q.Hash, Outcome: o, Note: "smaller steps"}); err != nil {
					t.Error(err)
				}
			}
			return <-got
		}
		if got := ask("", "do it", approval.Rejected); !strings.Contains(got.Text(), "not approved: smaller steps") {
			t.Errorf("rejected: %q", got.Text())
		}
		if got := ask("child", "let me", approval.Once); toolfall.Code(got) != toolfall.PlanMode {
			t.Errorf("a child ended its parent's planning: %q", got.Text())
		}
		if got := call(t, r, "", "write_file", `{"path":"b","content":""}`); got.Text() == "ran" {
			t.Error("it ran while planning")
		}
		if got := ask("", "do less", approval.Once); got.IsError {
			t.Errorf("approved: %q", got.Text())
		}
		if got := call(t, r, "", "write_file", `{"path":"b","content":""}`); got.Text() != "ran" {
			t.Errorf("after approval: %q", got.Text())
		}
		call(t, r, "child", plan.Enter, `{}`)
		if got := call(t, r, "child", "spawn", `{}`); got.Text() == "ran" {
			t.Error("the child plans")
		}
		if got := call(t, r, "", "spawn", `{}`); got.Text() != "ran" {
			t.Error("its parent does not")
		}
	})
}

func TestOnePlanAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.New(approval.Config{})
		b.Serve(t)
		r := open(t, b)
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan toolfall.Result, 1)
		go func() {
			first <- r.Execute(ctx, toolfall.Call{ID: "1", Name: plan.Exit, Arguments: json.RawMessage(`{"plan":"one"}`)})
		}()
		synctest.Wait()
		if got := call(t, r, "", plan.Exit, `{"plan":"two"}`); !strings.Contains(got.Text(), "another plan is being reviewed") {
			t.Errorf("second: %q", got.Text())
		}
		cancel()
		<-first
		if got := call(t, r, "", "spawn", `{}`); got.Text() == "ran" {
			t.Error("a cancelled review ended planning")
		}
	})
}
