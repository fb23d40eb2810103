package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/hook"
	"github.com/toolfall/toolfall/scope"
)

type args struct {
	Command string `json:"command"`
}

// setup is a registry with hooks and a tool bash that says what it was given.
type setup struct {
	*toolfall.Registry
	dir      string
	mu       sync.Mutex
	outcomes []string // "kind: text" of each run
	verdicts []string // what was carried inward
}

func open(t *testing.T, hooks []hook.Hook, change ...func(*hook.Config)) *setup {
	t.Helper()
	s := &setup{Registry: toolfall.New(), dir: t.TempDir()}
	c := hook.Config{Hooks: hooks, Dir: s.dir, SessionID: "s1", Env: []string{"PATH=" + os.Getenv("PATH")}}
	c.Report = func(o hook.Outcome) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.outcomes = append(s.outcomes, o.Kind)
	}
	c.Carry = func(ctx context.Context, v hook.Verdict, why string) context.Context {
		s.verdicts = append(s.verdicts, string(v)+": "+why)
		return ctx
	}
	for _, f := range change {
		f(&c)
	}
	owner := scope.New(t.Context(), "test")
	t.Cleanup(func() { owner.Close() })
	if _, err := s.Attach(owner, hook.New(c)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Register(owner, toolfall.Define("bash", "Runs.", func(_ context.Context, a args, _ toolfall.Call) ([]toolfall.Content, error) {
		if a.Command == "fail" {
			return nil, fmt.Errorf("it failed")
		}
		return toolfall.Text("ran " + a.Command), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *setup) call(ctx context.Context, command string) toolfall.Result {
	raw, _ := json.Marshal(args{command})
	return s.Execute(ctx, toolfall.Call{ID: "c1", Name: "bash", Arguments: raw})
}

func pre(command string) hook.Hook {
	return hook.Hook{Event: hook.PreToolUse, Command: command, Source: "test"}
}

const say = `printf '%s' '{"hookSpecificOutput":{"hookEventName":"PreToolUse",`

// Each row of what can go wrong with a hook, and what becomes of the call.
func TestGuards(t *testing.T) {
	for _, c := range []struct {
		row, command string
		want         string // in the result
		kind         string // of the outcome
	}{
		{"nothing to say", "cat >/dev/null", "ran ls", "no_verdict"},
		{"exit 2", "echo no >&2; exit 2", "blocked by a hook: no", "verdict"},
		{"deny", say + `"permissionDecision":"deny","permissionDecisionReason":"not you"}}'`, "blocked by a hook: not you", "verdict"},
		{"legacy block", `echo '{"decision":"block","reason":"old way"}'`, "blocked by a hook: old way", "verdict"},
		{"halt", `echo '{"continue":false,"stopReason":"enough"}'`, "blocked by a hook: enough", "verdict"},
		{"context", say + `"additionalContext":"mind the gap"}}'`, "mind the gap", "no_verdict"},
		{"H1 crash", "exit 1", "gave no verdict (crashed", "crashed"},
		{"H1 signal", "kill -9 $$", "gave no verdict (crashed", "crashed"},
		{"H1 missing binary", "/no/such/hook", "gave no verdict (spawn_failed", "spawn_failed"},
		{"H1 timeout", "sleep 60", "gave no verdict (timeout", "timeout"},
		{"H1 bad output", "echo hello", "gave no verdict (bad_output", "bad_output"},
		{"H2 the interpreter fails", "nosuchcommand", "gave no verdict (spawn_failed", "spawn_failed"},
		{"H3 exit 2 and broken JSON", "echo '{'; echo broken >&2; exit 2", "blocked by a hook: broken", "verdict"},
		{"H3 exit 2 and allow", say + `"permissionDecision":"allow"}}'; exit 2`, "blocked by a hook", "verdict"},
		{"a verdict with another status", say + `"permissionDecision":"deny","permissionDecisionReason":"x"}}'; exit 7`, "blocked by a hook: x", "verdict"},
		{"H5 rewritten and invalid", say + `"updatedInput":{"command":7}}}'`, `"command" must be a string`, "verdict"},
		{"H5 rewritten", say + `"updatedInput":{"command":"pwd"}}}'`, "ran pwd", "verdict"},
		{"H8 two objects", `echo '{}{}'`, "gave no verdict (bad_output", "bad_output"},
		{"H8 trailing text", `echo '{} ok'`, "gave no verdict (bad_output", "bad_output"},
		{"H8 noise before", `echo 'note'; echo '{}'`, "gave no verdict (bad_output", "bad_output"},
		{"H8 a duplicate member", `echo '{"decision":"allow","decision":"block"}'`, "gave no verdict (bad_output", "bad_output"},
		{"H12 unknown verdict", say + `"permissionDecision":"maybe"}}'`, "gave no verdict (bad_output", "bad_output"},
		{"H12 unknown decision", `echo '{"decision":"perhaps"}'`, "gave no verdict (bad_output", "bad_output"},
		{"H12 a verdict of another case", `echo '{"decision":"block","Decision":"approve"}'`, "gave no verdict (bad_output", "bad_output"},
		{"H12 a misspelt verdict", say + `"permisionDecision":"deny"}}'`, "gave no verdict (bad_output", "bad_output"},
		{"H12 another event", `echo '{"hookSpecificOutput":{"hookEventName":"Stop"}}'`, "gave no verdict (bad_output", "bad_output"},
		{"endless output", "yes", "gave no verdict", "timeout"},
	} {
		t.Run(c.row, func(t *testing.T) {
			h := pre(c.command)
			if strings.Contains(c.row, "timeout") || strings.Contains(c.row, "endless") {
				h.Timeout = 200 * time.Millisecond
			}
			s := open(t, []hook.Hook{h})
			got := s.call(t.Context(), "ls")
			if !strings.Contains(got.Text(), c.want) {
				t.Errorf("%q, want %q", got.Text(), c.want)
			}
			if blocked := strings.HasPrefix(c.want, "blocked") || strings.HasPrefix(c.want, "gave"); blocked != (toolfall.Code(got) == toolfall.HookBlocked) {
				t.Errorf("code %q", toolfall.Code(got))
			}
			if !slices.Equal(s.outcomes, []string{c.kind}) {
				t.Errorf("outcomes %q, want %q", s.outcomes, c.kind)
			}
		})
	}
}

// H4: the strictest wins, whatever the order, and an allow is only carried.
func TestTheStrictestWins(t *testing.T) {
	verdict := func(v string) hook.Hook {
		return pre(say + `"permissionDecision":"` + v + `","permissionDecisionReason":"` + v + `"}}'`)
	}
	for _, c := range []struct {
		hooks []string
		want  string
	}{
		{[]string{"allow", "deny", "ask"}, "HOOK_BLOCKED"},
		{[]string{"allow", "ask"}, "ask: ask"},
		{[]string{"ask", "allow"}, "ask: ask"},
		{[]string{"allow"}, "allow: allow"},
		{[]string{"defer", "allow"}, "ask: defer"},
	} {
		var hooks []hook.Hook
		for _, v := range c.hooks {
			hooks = append(hooks, verdict(v))
		}
		s := open(t, hooks)
		got := s.call(t.Context(), "ls")
		if toolfall.Code(got) != c.want && !slices.Equal(s.verdicts, []string{c.want}) {
			t.Errorf("%v: %s, carried %q", c.hooks, toolfall.Code(got), s.verdicts)
		}
	}
	s := open(t, []hook.Hook{verdict("ask")}, func(c *hook.Config) { c.Carry = nil })
	if got := s.call(t.Context(), "ls"); toolfall.Code(got) != toolfall.HookBlocked {
		t.Errorf("an ask that nobody hears: %q", got.Text())
	}
}

func TestTwoRewritesConflict(t *testing.T) {
	rewrite := func(to string) hook.Hook { return pre(say + `"updatedInput":{"command":"` + to + `"}}}'`) }
	if got := open(t, []hook.Hook{rewrite("a"), rewrite("b")}).call(t.Context(), "ls"); toolfall.Code(got) != toolfall.HookBlocked {
		t.Errorf("%q", got.Text())
	}
	if got := open(t, []hook.Hook{rewrite("a"), rewrite("a")}).call(t.Context(), "ls"); got.Text() != "ran a" {
		t.Errorf("%q", got.Text())
	}
}

func TestOnFailure(t *testing.T) {
	for on, want := range map[hook.Failure]string{hook.Block: "gave no verdict", hook.Pass: "ran ls", hook.Ask: "ran ls"} {
		h := pre("exit 1")
		h.OnFailure = on
		s := open(t, []hook.Hook{h})
		if got := s.call(t.Context(), "ls"); !strings.Contains(got.Text(), want) || (on == hook.Ask) != (len(s.verdicts) == 1) {
			t.Errorf("%s: %q, carried %q", on, got.Text(), s.verdicts)
		}
	}
}

// What hooks are told, and that it never is part of a command's text (H10).
func TestWhatHooksAreTold(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "told")
	post := hook.Hook{Event: hook.PostToolUse, Command: "cat >" + file, Source: "test"}
	s := open(t, []hook.Hook{post}, func(c *hook.Config) { c.Mode = func() string { return "default" } })
	s.call(t.Context(), "$(touch "+dir+"/pwned)")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var told map[string]any
	if err := json.Unmarshal(raw, &told); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"session_id": "s1", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "c1", "permission_mode": "default",
		"cwd": s.dir, "tool_response": "ran $(touch " + dir + "/pwned)",
	} {
		if told[name] != want {
			t.Errorf("%s is %v, want %v", name, told[name], want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("what a hook was told ran")
	}
}

func TestAfterACall(t *testing.T) {
	after := func(e hook.Event, command string) []hook.Hook {
		return []hook.Hook{{Event: e, Command: command, Source: "test"}}
	}
	for _, c := range []struct {
		name  string
		hooks []hook.Hook
		call  string
		want  string
	}{
		{"feedback", after(hook.PostToolUse, `echo '{"decision":"block","reason":"run the tests"}'`), "ls", "ran lsa hook says: run the tests"},
		{"output", after(hook.PostToolUse, `echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"cleaned"}}'`), "ls", "cleaned"},
		{"a crash changes nothing", after(hook.PostToolUse, "exit 1"), "ls", "ran ls"},
		{"text changes nothing", after(hook.PostToolUse, "echo hi"), "ls", "ran ls"},
		{"after a failure", after(hook.PostToolUseFailure, `echo '{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"try again"}}'`), "fail", "Error: it failedtry again"},
		{"not after a failure", after(hook.PostToolUse, `echo '{"decision":"block","reason":"x"}'`), "fail", "Error: it failed"},
	} {
		if got := strings.ReplaceAll(open(t, c.hooks).call(t.Context(), c.call).Text(), "\n", ""); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestHTTP(t *testing.T) {
	t.Setenv("HOOK_TOKEN", "t0k")
	t.Setenv("OTHER", "no")
	answers := map[string]func(w http.ResponseWriter, r *http.Request){
		"/deny": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer t0k" {
				w.WriteHeader(401)
				return
			}
			w.Write([]byte(`{"decision":"block","reason":"by http"}`))
		},
		"/error":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"/text":     func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("hello")) },
		"/empty":    func(http.ResponseWriter, *http.Request) {},
		"/redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/deny", http.StatusFound) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answers[r.URL.Path](w, r) }))
	defer server.Close()
	for path, want := range map[string]string{"/deny": "by http", "/error": "crashed", "/text": "bad_output", "/empty": "ran ls", "/redirect": "crashed"} {
		h := hook.Hook{Event: hook.PreToolUse, URL: server.URL + path, Headers: map[string]string{"Authorization": "Bearer $HOOK_TOKEN$OTHER"}, AllowedEnv: []string{"HOOK_TOKEN"}, Source: "test"}
		if got := open(t, []hook.Hook{h}).call(t.Context(), "ls"); !strings.Contains(got.Text(), want) {
			t.Errorf("%s: %q, want %q", path, got.Text(), want)
		}
	}
}

func TestCancelEndsHooks(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	s := open(t, []hook.Hook{pre("sleep 1000")})
	if got := s.call(ctx, "ls"); toolfall.Code(got) != toolfall.AbortedBeforeDispatch {
		t.Errorf("%s: %q", toolfall.Code(got), got.Text())
	}
}

func TestPermissionRequest(t *testing.T) {
	owner := scope.New(t.Context(), "test")
	defer owner.Close()
	r, err := hook.NewRunner(owner, hook.Config{Hooks: []hook.Hook{{
		Event: hook.PermissionRequest, Matcher: "Bash", Source: "test",
		Command: `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"ask me later"}}}'`,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if v, why := r.Request(t.Context(), toolfall.Call{Name: "bash", Arguments: json.RawMessage(`{}`)}); v != hook.Denied || why != "ask me later" {
		t.Errorf("%s: %s", v, why)
	}
	if v, _ := r.Request(t.Context(), toolfall.Call{Name: "grep"}); v != hook.Silent {
		t.Errorf("another tool: %s", v)
	}
}

func TestConditions(t *testing.T) {
	h := pre("exit 2")
	h.If = "Bash(rm *)"
	matches := func(rule string, c toolfall.Call) bool {
		return rule == h.If && strings.Contains(string(c.Arguments), "rm ")
	}
	s := open(t, []hook.Hook{h}, func(c *hook.Config) { c.Matches = matches })
	if got := s.call(t.Context(), "ls"); got.IsError {
		t.Errorf("another call: %q", got.Text())
	}
	if got := s.call(t.Context(), "rm x"); toolfall.Code(got) != toolfall.HookBlocked {
		t.Errorf("its call: %q", got.Text())
	}
	if got := open(t, []hook.Hook{h}).call(t.Context(), "ls"); toolfall.Code(got) != toolfall.HookBlocked {
		t.Errorf("where nobody can tell, it runs: %q", got.Text())
	}
}

// H6: what a matcher is of.
func TestMatchers(t *testing.T) {
	tools := []string{"bash", "read_file", "edit_file", "write_file", "mcp__memory__store"}
	for matcher, want := range map[string]string{
		"":                "bash read_file edit_file write_file mcp__memory__store",
		"*":               "bash read_file edit_file write_file mcp__memory__store",
		"Bash":            "bash",
		"bash":            "bash",
		"Bas":             "",
		"Edit|Write":      "edit_file write_file",
		"Edit, Write":     "edit_file write_file",
		"mcp__memory":     "",
		"mcp__memory__.*": "mcp__memory__store",
		"^(Read|Edit)$":   "read_file edit_file",
		"e.*file":         "read_file edit_file write_file",
	} {
		var got []string
		for _, tool := range tools {
			if len(hook.Unmatched([]hook.Hook{{Matcher: matcher}}, []string{tool})) == 0 {
				got = append(got, tool)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is of %q, want %q", matcher, got, want)
		}
	}
}

const settings = `{"permissions":{},"hooks":{
 "PreToolUse":[
  {"matcher":"Bash","hooks":[{"type":"command","command":"exit 2","timeout":5},{"type":"carrier-pigeon"},7]},
  {"matcher":"(","hooks":[{"type":"command","command":"true"}]},
  {"hooks":[{"type":"command","command":"./x","args":["${CLAUDE_PROJECT_DIR}/a b"]},{"type":"http","url":"http://127.0.0.1:1/"},{"type":"command","command":"true","if":"Bash(git *)"}]}],
 "Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`

// H13, H12 and H9: one bad entry does not void the others, what does not happen here is
// told, and what came with a repository does not run.
func TestSettings(t *testing.T) {
	hooks, problems, err := hook.ParseSettings([]byte(settings), "s.json", true)
	if err != nil || len(hooks) != 4 || len(problems) != 4 {
		t.Errorf("%d hooks, %d problems %v, %v", len(hooks), len(problems), problems, err)
	}
	if hooks[0].Timeout != 5*time.Second || hooks[0].Matcher != "Bash" || hooks[1].Args[0] != "${CLAUDE_PROJECT_DIR}/a b" || hooks[2].URL == "" {
		t.Errorf("%+v", hooks)
	}
	odd := `{"hooks":{"PreToolUse":{"hooks":[]},"Stop":[],"PostToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}`
	if hooks, problems, err := hook.ParseSettings([]byte(odd), "s.json", true); err != nil || len(hooks) != 1 || len(problems) != 2 {
		t.Errorf("an event that is no list: %d hooks, %v, %v", len(hooks), problems, err)
	}
	twice := `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 2"}]}],"PreToolUse":[]}}`
	if _, _, err := hook.ParseSettings([]byte(twice), "s.json", true); err == nil {
		t.Error("an event that is there twice hides the first")
	}
	hooks, problems, err = hook.ParseSettings([]byte(settings), "s.json", false)
	if err != nil || len(hooks) != 0 || len(problems) != 1 {
		t.Errorf("untrusted: %v, %v, %v", hooks, problems, err)
	}
}

// A command that is started by itself is one of the project's.
func TestArgsWithoutAShell(t *testing.T) {
	h := hook.Hook{Event: hook.PreToolUse, Command: "./guard", Args: []string{"${CLAUDE_PROJECT_DIR}", "$HOME"}, Source: "test"}
	s := open(t, []hook.Hook{h})
	os.WriteFile(filepath.Join(s.dir, "guard"), []byte("#!/bin/sh\necho \"$1 $2\" >&2; exit 2\n"), 0o755)
	if got := s.call(t.Context(), "ls"); !strings.Contains(got.Text(), s.dir+" $HOME") {
		t.Errorf("%q", got.Text())
	}
}

// A hook hears of an interruption, although everything else has ended by then.
func TestHooksHearOfAnInterruption(t *testing.T) {
	file := filepath.Join(t.TempDir(), "told")
	s := open(t, []hook.Hook{{Event: hook.PostToolUseFailure, Command: "cat >" + file, Source: "test"}})
	ctx, cancel := context.WithCancel(t.Context())
	owner := scope.New(t.Context(), "tool")
	defer owner.Close()
	_, err := s.Register(owner, toolfall.Define("wait", "Waits.", func(ctx context.Context, _ struct{}, _ toolfall.Call) ([]toolfall.Content, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	if err != nil {
		t.Fatal(err)
	}
	s.Execute(ctx, toolfall.Call{ID: "1", Name: "wait"})
	if raw, err := os.ReadFile(file); err != nil || !strings.Contains(string(raw), `"is_interrupt":true`) {
		t.Errorf("told %s, %v", raw, err)
	}
}
