package permission_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/plugin/permission"
	"github.com/toolfall/toolfall/policy"
	"github.com/toolfall/toolfall/scope"
)

// open returns a registry whose tool bash says what it was given.
func open(t *testing.T, c permission.Config, rules ...policy.Rule) (*toolfall.Registry, string) {
	t.Helper()
	dir := t.TempDir()
	if c.Policy == nil {
		p, err := policy.New(policy.Config{Rules: rules, Roots: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		c.Policy = p
	}
	r := toolfall.New()
	s := scope.New(t.Context(), "test")
	t.Cleanup(func() { s.Close() })
	if _, err := r.Attach(s, permission.New(c)); err != nil {
		t.Fatal(err)
	}
	type args struct {
		Command string `json:"command"`
		Workdir string `json:"workdir,omitempty"`
	}
	_, err := r.Register(s, toolfall.Define("bash", "Runs.", func(_ context.Context, a args, _ toolfall.Call) ([]toolfall.Content, error) {
		return toolfall.Text("ran " + a.Command), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func call(ctx context.Context, r *toolfall.Registry, command string) toolfall.Result {
	raw, _ := json.Marshal(map[string]string{"command": command})
	return r.Execute(ctx, toolfall.Call{ID: "1", Name: "bash", Arguments: raw})
}

func rule(e policy.Effect, command string) policy.Rule {
	return policy.Rule{Effect: e, Tool: "bash", When: policy.When{Command: command}, Source: "test"}
}

func TestTheGate(t *testing.T) {
	r, _ := open(t, permission.Config{}, rule(policy.Allow, "make check"), rule(policy.Deny, "rm *"))
	for command, want := range map[string]string{
		"make check": "ran make check",
		"ls":         "ran ls",
		"rm x":       `denied: run rm x: the rule "deny bash(rm *)" (test)`,
		"make":       "not approved: it needs a person's approval and there is nobody to ask", // U12
	} {
		got := call(t.Context(), r, command)
		if !strings.Contains(got.Text(), want) {
			t.Errorf("%s: %q, want %q", command, got.Text(), want)
		}
		if refused := strings.HasPrefix(want, "denied") || strings.HasPrefix(want, "not"); refused != errors.Is(got.Err, toolfall.ErrDenied) || refused != (toolfall.Code(got) == toolfall.Denied) {
			t.Errorf("%s: %v, code %s", command, got.Err, toolfall.Code(got))
		}
	}
}

// answered runs a call while a person gives an answer to it.
func answered(t *testing.T, r *toolfall.Registry, b *approval.Broker, command string, answer func(q approval.Request) approval.Answer) toolfall.Result {
	t.Helper()
	got := make(chan toolfall.Result, 1)
	go func() { got <- call(t.Context(), r, command) }()
	synctest.Wait()
	if open := b.Pending(); len(open) == 1 {
		if err := b.Answer(answer(open[0])); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	return <-got
}

func with(o approval.Outcome) func(approval.Request) approval.Answer {
	return func(q approval.Request) approval.Answer {
		return approval.Answer{ID: q.ID, Hash: q.Hash, Outcome: o, Note: "not now"}
	}
}

func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.New(approval.Config{})
		b.Serve(t)
		store := permission.Store{Path: filepath.Join(t.TempDir(), "state", "grants.json"), Project: "/p"}
		r, _ := open(t, permission.Config{Broker: b, Save: store.Save})
		if got := answered(t, r, b, "make", with(approval.Rejected)); !strings.Contains(got.Text(), "denied by a person: not now") {
			t.Errorf("rejected: %q", got.Text())
		}
		if got := answered(t, r, b, "make", with(approval.Once)); got.Text() != "ran make" {
			t.Errorf("once: %q", got.Text())
		}
		for command, o := range map[string]approval.Outcome{"go build ./cmd": approval.Session, "npm test": approval.Project, "cargo test": approval.Always} {
			if got := answered(t, r, b, command, with(o)); got.Text() != "ran "+command {
				t.Errorf("%s: %q", o, got.Text())
			}
			if got := call(t.Context(), r, command); got.Text() != "ran "+command { // nobody is asked
				t.Errorf("after %s: %q", o, got.Text())
			}
		}
		saved, err := store.List()
		if err != nil || len(saved) != 2 {
			t.Fatalf("saved %v, %v", saved, err)
		}
		for _, g := range saved {
			if err := store.Revoke(g.ID); err != nil {
				t.Error(err)
			}
		}
		if left, err := store.List(); len(left) != 0 || err != nil {
			t.Errorf("left %v, %v", left, err)
		}
	})
}

// S19 and U9: what a question would save is shown, and only what is shown.
func TestWhatAnAnswerSaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.New(approval.Config{})
		b.Serve(t)
		r, _ := open(t, permission.Config{Broker: b, Save: func(approval.Outcome, []policy.Rule) error { return nil }})
		for command, want := range map[string]string{
			"npm run build":                    "allow bash(npm run build)",
			"npm run 'a * b'":                  `allow bash(npm run "a \* b")`,
			"timeout 5 npm run build":          "allow bash(npm run build)",
			"npm run a && npm run b":           "allow bash(npm run a), allow bash(npm run b)",
			"python3 -c 'print(1)'":            "",
			"sudo make":                        "",
			"npm run $X":                       "",
			"npm run a; eval x":                "",
			"npm " + strings.Repeat("x", 5000): "",
		} {
			var saves string
			answered(t, r, b, command, func(q approval.Request) approval.Answer {
				saves = strings.Join(q.Grants, ", ")
				return with(approval.Rejected)(q)
			})
			if saves != want {
				t.Errorf("%.40s would save %q, want %q", command, saves, want)
			}
		}
	})
}

// F4 and F5: what was approved is what runs.
func TestWhatChangesWhileItIsAskedDoesNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.New(approval.Config{})
		b.Serve(t)
		r, dir := open(t, permission.Config{Broker: b})
		script := filepath.Join(dir, "x.sh")
		os.WriteFile(script, []byte("echo 1"), 0o644)
		allow := with(approval.Once)
		if got := answered(t, r, b, "sh x.sh", allow); got.Text() != "ran sh x.sh" {
			t.Errorf("unchanged: %q", got.Text())
		}
		got := answered(t, r, b, "sh x.sh", func(q approval.Request) approval.Answer {
			os.WriteFile(script, []byte("echo 2"), 0o644)
			return allow(q)
		})
		if !strings.Contains(got.Text(), "changed while") {
			t.Errorf("F5: %q", got.Text())
		}
		got = answered(t, r, b, "make", func(q approval.Request) approval.Answer {
			os.Rename(dir, dir+".old")
			os.Mkdir(dir, 0o755)
			return allow(q)
		})
		if !strings.Contains(got.Text(), "changed while") {
			t.Errorf("F4: %q", got.Text())
		}
	})
}

// H4: a hook can tighten, and spare a question that no rule asks.
func TestHooksOnlyTighten(t *testing.T) {
	r, _ := open(t, permission.Config{}, rule(policy.Deny, "rm *"), rule(policy.Ask, "git push *"), rule(policy.Allow, "make *"))
	for _, c := range []struct {
		said    policy.Effect
		command string
		runs    bool
	}{
		{policy.Allow, "cargo build", true},
		{policy.Allow, "rm x", false},
		{policy.Allow, "git push", false},
		{policy.Allow, "touch .git/hooks/x", false},
		{policy.Ask, "make x", false},
		{policy.Deny, "ls", false},
		{policy.None, "make x", true},
	} {
		ctx := permission.WithVerdict(t.Context(), c.said, "said so")
		if got := call(ctx, r, c.command); !got.IsError != c.runs {
			t.Errorf("a hook says %s of %q: %q", c.said, c.command, got.Text())
		}
	}
}

// U14: what is granted to one registry is nobody else's.
func TestGrantsStayWhereTheyAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.New(approval.Config{})
		b.Serve(t)
		p, err := policy.New(policy.Config{Roots: []string{t.TempDir()}})
		if err != nil {
			t.Fatal(err)
		}
		save := func(approval.Outcome, []policy.Rule) error { return nil }
		one, _ := open(t, permission.Config{Policy: p, Broker: b, Save: save})
		other, _ := open(t, permission.Config{Policy: p})
		answered(t, one, b, "make", with(approval.Session))
		if got := call(t.Context(), one, "make"); got.IsError {
			t.Errorf("granted: %q", got.Text())
		}
		if got := call(t.Context(), other, "make"); !got.IsError {
			t.Error("the grant holds elsewhere too")
		}
	})
}

func TestABrokenStoreIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"json":   `{`,
		"field":  `{"version":1,"grunts":[]}`,
		"effect": `{"version":1,"grants":[{"id":"a","rule":{"effect":"deny"}}]}`,
	} {
		path := filepath.Join(t.TempDir(), "grants.json")
		os.WriteFile(path, []byte(text), 0o600)
		if _, err := (permission.Store{Path: path}).Rules(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestWithoutAPolicyThereIsNoGate(t *testing.T) {
	r := toolfall.New()
	s := scope.New(t.Context(), "test")
	defer s.Close()
	if _, err := r.Attach(s, permission.New(permission.Config{})); err == nil {
		t.Error("it attached")
	}
}

// A call that no rule concerns costs nothing.
func TestACallThatNoRuleConcernsIsFree(t *testing.T) {
	p, err := policy.New(policy.Config{Rules: []policy.Rule{rule(policy.Deny, "rm *")}, Roots: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	measure := func(gated bool) float64 {
		r, s := toolfall.New(), scope.New(t.Context(), "test")
		defer s.Close()
		if gated {
			if _, err := r.Attach(s, permission.New(permission.Config{Policy: p})); err != nil {
				t.Fatal(err)
			}
		}
		content := toolfall.Text("ok")
		_, err := r.Register(s, toolfall.Definition{
			Schema: toolfall.Schema{Name: "grep", Parameters: `{"type":"object"}`}, Inline: true,
			Execute: func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return content, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		c, ctx := toolfall.Call{ID: "1", Name: "grep", Arguments: json.RawMessage(`{}`)}, t.Context()
		return testing.AllocsPerRun(100, func() { r.Execute(ctx, c) })
	}
	if with, without := measure(true), measure(false); with != without {
		t.Errorf("%v allocations with the gate, %v without", with, without)
	}
}
