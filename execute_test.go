package toolfall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/schema"
)

func TestStagesOrderTheChain(t *testing.T) {
	reg := toolfall.New()
	var log trace
	for _, stage := range []toolfall.Stage{toolfall.Contain, toolfall.Decide, toolfall.Rewrite, toolfall.Repair, toolfall.Observe} {
		reg.Use(t, log.around(stage.String()+"1", stage))
		reg.Use(t, log.around(stage.String()+"2", stage))
	}
	before := log.around("first", toolfall.Decide)
	before.Before = true
	reg.Use(t, before)
	reg.Register(t, tool("t", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { log.add("tool"); return nil, nil }))
	reg.Execute(t.Context(), call("t", `{}`))
	want := ">observe1 >observe2 >repair1 >repair2 >rewrite1 >rewrite2 >first >decide1 >decide2 >contain1 >contain2 tool " +
		"<contain2 <contain1 <decide2 <decide1 <first <rewrite2 <rewrite1 <repair2 <repair1 <observe2 <observe1"
	if got := log.String(); got != want {
		t.Errorf("order = %s\nwant    %s", got, want)
	}
	var names []string
	for _, m := range reg.Snapshot().Chain() {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "observe1 observe2 repair1 repair2 rewrite1 rewrite2 first decide1 decide2 contain1 contain2" {
		t.Errorf("Chain() = %s", got)
	}
}

func TestAdmissionStandsBetweenObserveAndRewrite(t *testing.T) {
	reg := toolfall.New()
	var log trace
	reg.Use(t, log.around("observe", toolfall.Observe))
	reg.Use(t, log.around("rewrite", toolfall.Rewrite))
	reg.Use(t, log.around("decide", toolfall.Decide))
	reg.Register(t, readFile)
	r := reg.Execute(t.Context(), call("read_file", `{"limit":"ten"}`))
	if got := log.String(); got != ">observe <observe" || toolfall.Code(r) != toolfall.InvalidArgs {
		t.Errorf("the chain saw %q, code %s; want the observer alone", got, toolfall.Code(r))
	}
}

// The result that every kind of fault becomes.
func TestEveryCallGetsOneResult(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, readFile, echo, specEcho,
		tool("fail", func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
			return nil, errors.New("no such table")
		}),
		tool("panic", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { panic("boom") }),
		tool("nilpanic", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { panic(nil) }), //nolint:govet
		tool("goexit", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { runtime.Goexit(); return nil, nil }),
		tool("hostile", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { panic(hostile{}) }),
		tool("nothing", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return nil, nil }),
		tool("latin1", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { return toolfall.Text("caf\xe9"), nil }),
		tool("denied", func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
			return nil, fmt.Errorf("rm: %w", toolfall.ErrDenied)
		}),
	)
	for _, c := range []struct{ name, arguments, code, text string }{
		{"read_file", `{"path":"x"}`, "", "contents of x"},
		{"read_file", `{"limit":1.5}`, "INVALID_ARGS", `Error: invalid arguments: missing required property "path"; "limit" must be an integer (got the number 1.5)`},
		{"read_file", `{`, "INVALID_JSON", "Error: invalid JSON at byte 1: the text ends before a member name in double quotes: it was probably cut off; send the whole again, in smaller parts if it is long; the parameters are: path, limit (optional)"},
		{"read_file", `[]`, "INVALID_ARGS", `Error: invalid arguments: "arguments" must be an object (got an array)`},
		{"echo", `[]`, "INVALID_ARGS", `Error: invalid arguments: "arguments" must be an object (got an array)`},
		{"echo", "", "", "{}"},
		{"echo", "null", "", "{}"},
		{"echo", " \n", "", "{}"},
		{"echo", `{"a": 1}`, "", `{"a": 1}`},
		{"spec_echo", `{"path":"x","PATH":"y"}`, "", `{"path":"x"}`},
		{"reed_file", `{}`, "UNKNOWN_TOOL", `Error: unknown tool "reed_file"; did you mean read_file?`},
		{"x\ny", `{}`, "UNKNOWN_TOOL", `Error: unknown tool "x\ny"`},
		{"fail", "", "TOOL_ERROR", "Error: no such table"},
		{"panic", "", "PANIC", "Error: internal error: boom"},
		{"goexit", "", "PANIC", "Error: internal error: runtime.Goexit called"},
		{"hostile", "", "PANIC", "Error: internal error: %!v(PANIC=String method: again)"},
		{"nothing", "", "", ""},
		{"latin1", "", "", "caf\uFFFD"},
		{"denied", "", "DENIED", "Error: rm: denied"},
	} {
		r := reg.Execute(t.Context(), call(c.name, c.arguments))
		if toolfall.Code(r) != c.code || r.Text() != c.text {
			t.Errorf("Execute(%s, %s) = %s %q\nwant %s %q", c.name, c.arguments, toolfall.Code(r), r.Text(), c.code, c.text)
		}
		if r.CallID != "1" || r.Content == nil || r.IsError != (c.code != "") || r.IsError != (r.Err != nil) {
			t.Errorf("Execute(%s) = %+v", c.name, r)
		}
	}
	if r := reg.Execute(t.Context(), call("nilpanic", "")); toolfall.Code(r) != toolfall.Panicked {
		t.Errorf("panic(nil) = %s", toolfall.Code(r))
	}
}

// hostile is a panic value whose own text panics.
type hostile struct{}

func (hostile) String() string { panic("again") }

func TestPanicKeepsItsStackFromTheModel(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, tool("panic", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { panic("boom") }))
	r := reg.Execute(t.Context(), call("panic", ""))
	var p *toolfall.PanicError
	if !errors.As(r.Err, &p) || !strings.Contains(string(p.Stack), "execute_test.go") {
		t.Errorf("Err = %v, want a PanicError with its stack", r.Err)
	}
	if strings.Contains(r.Text(), ".go") {
		t.Errorf("the model reads %q", r.Text())
	}
}

func TestUnknownToolPassesTheWaterfall(t *testing.T) {
	reg := toolfall.New()
	var log trace
	reg.Use(t, with(toolfall.Decide, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		log.add("policy saw %s", c.Name)
		return next(ctx, c)
	}))
	reg.Execute(t.Context(), call("ghost", `{}`))
	if log.String() != "policy saw ghost" {
		t.Error("policy did not see the unknown name")
	}
	long := reg.Execute(t.Context(), call(strings.Repeat("ä", 1<<20), `{}`))
	if len(long.Text()) > 300 || !utf8.ValidString(long.Text()) {
		t.Errorf("an endless name gave %d bytes of error", len(long.Text()))
	}
}

func TestNotCallingNextIsAVeto(t *testing.T) {
	reg := toolfall.New()
	ran := false
	reg.Register(t, tool("t", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { ran = true; return nil, nil }))
	reg.Use(t, with(toolfall.Decide, func(context.Context, toolfall.Call, toolfall.Handler) toolfall.Result {
		return toolfall.Fail(fmt.Errorf("%w: not today", toolfall.ErrDenied))
	}))
	r := reg.Execute(t.Context(), call("t", `{}`))
	if ran || !errors.Is(r.Err, toolfall.ErrDenied) || toolfall.Code(r) != toolfall.Denied || r.Text() != "Error: denied: not today" {
		t.Errorf("ran = %v, result = %q %v", ran, r.Text(), r.Err)
	}
}

func TestFaultyMiddlewareNeverPasses(t *testing.T) {
	for name, wrap := range map[string]func(context.Context, toolfall.Call, toolfall.Handler) toolfall.Result{
		"panic": func(context.Context, toolfall.Call, toolfall.Handler) toolfall.Result { panic("boom") },
		"zero":  func(context.Context, toolfall.Call, toolfall.Handler) toolfall.Result { return toolfall.Result{} },
		"swallow": func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			next(ctx, c)
			return toolfall.Result{}
		},
		"nil": nil,
	} {
		for _, stage := range []toolfall.Stage{toolfall.Observe, toolfall.Repair, toolfall.Rewrite, toolfall.Decide, toolfall.Contain} {
			reg := toolfall.New()
			var outer toolfall.Result
			reg.Use(t, with(toolfall.Observe, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
				outer = next(ctx, c)
				return outer
			}))
			reg.Use(t, toolfall.Middleware{Name: "faulty", Stage: stage, Wrap: wrap})
			reg.Register(t, echo)
			r := reg.Execute(t.Context(), call("echo", `{}`))
			if toolfall.Code(r) != toolfall.MiddlewareError || !strings.Contains(r.Text(), `middleware "faulty"`) {
				t.Errorf("%s in %s: %s %q", name, stage, toolfall.Code(r), r.Text())
			}
			if toolfall.Code(outer) != toolfall.MiddlewareError {
				t.Errorf("%s in %s: the observer outside saw %+v", name, stage, outer)
			}
		}
	}
}

func TestCallIDIsTheCalls(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, echo)
	reg.Use(t, with(toolfall.Observe, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		r := next(ctx, c)
		r.CallID = "other"
		return r
	}))
	if r := reg.Execute(t.Context(), toolfall.Call{ID: "mine", Name: "echo"}); r.CallID != "mine" {
		t.Errorf("CallID = %q, want mine", r.CallID)
	}
}

func TestRunningCallKeepsItsChainAndTool(t *testing.T) {
	reg := toolfall.New()
	var log trace
	removeTool, _ := reg.Register(t, echo)
	var removeLate func()
	reg.Use(t, with(toolfall.Observe, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		removeLate()
		removeTool()
		reg.Use(t, log.around("new", toolfall.Decide))
		return next(ctx, c)
	}))
	removeLate = reg.Use(t, log.around("late", toolfall.Contain))
	if r := reg.Execute(t.Context(), call("echo", `{}`)); r.Err != nil || log.String() != ">late <late" {
		t.Errorf("err = %v, chain = %s, want the chain and the tool of the start", r.Err, &log)
	}
}

func TestRewriteIsCheckedAgain(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, readFile, echo)
	rewrite := `{"path":7}`
	name := "read_file"
	reg.Use(t, with(toolfall.Rewrite, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		c.Name, c.Arguments = name, []byte(rewrite)
		return next(ctx, c)
	}))
	var decided string
	reg.Use(t, with(toolfall.Decide, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		decided = c.Name + string(c.Arguments)
		return next(ctx, c)
	}))
	r := reg.Execute(t.Context(), call("read_file", `{"path":"a"}`))
	if decided != "" || toolfall.Code(r) != toolfall.InvalidArgs {
		t.Errorf("a bad rewrite was decided on: %q, %s", decided, toolfall.Code(r))
	}
	rewrite = `{"path":"b","more":1}`
	r = reg.Execute(t.Context(), call("read_file", `{"path":"a"}`))
	if decided != `read_file{"path":"b"}` || r.Text() != "contents of b" {
		t.Errorf("decided on %s, ran %q", decided, r.Text())
	}
	if r.Record.Name != "read_file" || string(r.Record.Arguments) != `{"path":"b"}` {
		t.Errorf("Record = %+v, want what was decided on", r.Record)
	}
	name = "echo"
	if r = reg.Execute(t.Context(), call("read_file", `{"path":"a"}`)); r.Text() != rewrite {
		t.Errorf("a call that was sent to another tool gave %q", r.Text())
	}
}

func TestChangeBehindTheDecisionIsRefused(t *testing.T) {
	for _, change := range []func(*toolfall.Call){
		func(c *toolfall.Call) { c.Arguments = []byte(`{"path":"evil"}`) },
		func(c *toolfall.Call) { c.Name = "echo" },
		func(c *toolfall.Call) { *c = toolfall.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments} },
	} {
		for _, stage := range []toolfall.Stage{toolfall.Decide, toolfall.Contain} {
			reg := toolfall.New()
			reg.Register(t, readFile, echo)
			reg.Use(t, with(stage, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
				change(&c)
				return next(ctx, c)
			}))
			if r := reg.Execute(t.Context(), call("read_file", `{"path":"a"}`)); toolfall.Code(r) != toolfall.MiddlewareError {
				t.Errorf("a change in %s ran: %q", stage, r.Text())
			}
		}
	}
}

func TestEqualCopyBehindTheDecisionRuns(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, readFile)
	reg.Use(t, with(toolfall.Contain, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		c.Arguments = slices.Clone(c.Arguments)
		return next(ctx, c)
	}))
	if r := reg.Execute(t.Context(), call("read_file", `{"path":"a"}`)); r.Text() != "contents of a" {
		t.Errorf("result = %q", r.Text())
	}
}

func TestNextAgainRunsEverythingInside(t *testing.T) {
	reg := toolfall.New()
	var log trace
	type args struct {
		Names []string `json:"names"`
	}
	reg.Register(t, toolfall.Define("sort", "", func(_ context.Context, a args, _ toolfall.Call) ([]toolfall.Content, error) {
		log.add("%v", a.Names)
		a.Names[0] = "spoilt" // a second run must not see this
		return nil, nil
	}))
	reg.Use(t, with(toolfall.Observe, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		next(ctx, c)
		return next(ctx, c)
	}))
	reg.Use(t, log.around("gate", toolfall.Decide))
	reg.Use(t, with(toolfall.Contain, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		next(ctx, c)
		return next(ctx, c)
	}))
	reg.Execute(t.Context(), call("sort", `{"names":["a"]}`))
	if got := log.String(); got != ">gate [a] [a] <gate >gate [a] [a] <gate" {
		t.Errorf("ran %s", got)
	}
}

func TestObserverSeesTheOriginalAndTheEffective(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, readFile)
	var original, effective string
	reg.Use(t, with(toolfall.Observe, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		original = string(c.Arguments)
		r := next(ctx, c)
		effective = string(r.Record.Arguments)
		return r
	}))
	reg.Use(t, with(toolfall.Rewrite, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		c.Arguments = []byte(`{"path":"b"}`)
		return next(ctx, c)
	}))
	reg.Execute(t.Context(), call("read_file", `{"path":"a"}`))
	if original != `{"path":"a"}` || effective != `{"path":"b"}` {
		t.Errorf("original %s, effective %s", original, effective)
	}
}

func TestRequiredMiddlewareThatIsAbsentRefusesAll(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, echo)
	reg.Require("test", "other")
	remove := reg.Use(t, with(toolfall.Decide, pass))
	r := reg.Execute(t.Context(), call("echo", `{}`))
	if toolfall.Code(r) != toolfall.Denied || !strings.Contains(r.Text(), `"other"`) {
		t.Errorf("result = %s %q", toolfall.Code(r), r.Text())
	}
	reg.Use(t, toolfall.Middleware{Name: "other", Wrap: pass})
	if r := reg.Execute(t.Context(), call("echo", `{}`)); r.Err != nil {
		t.Errorf("with both attached: %v", r.Err)
	}
	remove()
	if r := reg.Execute(t.Context(), call("echo", `{}`)); toolfall.Code(r) != toolfall.Denied {
		t.Errorf("after the removal: %s", toolfall.Code(r))
	}
}

func TestAbortedBeforeDispatch(t *testing.T) {
	reg := toolfall.New()
	ran := false
	reg.Register(t, tool("t", func(context.Context, toolfall.Call) ([]toolfall.Content, error) { ran = true; return nil, nil }))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := reg.Execute(ctx, call("t", `{}`)); ran || toolfall.Code(r) != toolfall.AbortedBeforeDispatch {
		t.Errorf("ran = %v, code = %s", ran, toolfall.Code(r))
	}
	ctx, cancel = context.WithCancel(t.Context())
	reg.Use(t, with(toolfall.Contain, func(inner context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		cancel()
		return next(context.WithoutCancel(inner), c)
	}))
	if r := reg.Execute(ctx, call("t", `{}`)); ran || toolfall.Code(r) != toolfall.AbortedBeforeDispatch {
		t.Errorf("cancelled on the way: ran = %v, code = %s", ran, toolfall.Code(r))
	}
}

func TestCancellationReplacesOnlyASuccess(t *testing.T) {
	for _, c := range []struct {
		name string
		err  func(context.Context) error
		code string
	}{
		{"success", func(context.Context) error { return nil }, toolfall.Aborted},
		{"context error", func(ctx context.Context) error { return fmt.Errorf("fetch: %w", ctx.Err()) }, toolfall.Aborted},
		{"cause", context.Cause, toolfall.Aborted},
		{"own error", func(context.Context) error { return errors.New("disk full") }, toolfall.ToolError},
	} {
		reg := toolfall.New()
		ctx, cancel := context.WithCancelCause(t.Context())
		reg.Register(t, tool("t", func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
			cancel(errors.New("Ctrl-C"))
			<-ctx.Done()
			return toolfall.Text("done"), c.err(ctx)
		}))
		if r := reg.Execute(ctx, call("t", `{}`)); toolfall.Code(r) != c.code {
			t.Errorf("%s: code = %s, want %s", c.name, toolfall.Code(r), c.code)
		}
	}
}

func TestToolIsAlwaysAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := toolfall.New()
		reg.Register(t, tool("stubborn", func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
			time.Sleep(time.Minute) // ignores its context
			return nil, nil
		}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		r := reg.Execute(ctx, call("stubborn", `{}`))
		if d := time.Since(start); d != time.Minute || toolfall.Code(r) != toolfall.Timeout {
			t.Errorf("returned after %v with %s", d, toolfall.Code(r))
		}
	})
}

func TestCauseWithACodeKeepsIt(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, tool("t", func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
		<-ctx.Done()
		return nil, nil
	}))
	reg.Use(t, with(toolfall.Contain, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(nil)
		ctx, cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		go cancel(toolfall.NewError(toolfall.Timeout, errors.New("the tool's own 5s are over")))
		return next(ctx, c)
	}))
	r := reg.Execute(t.Context(), call("t", `{}`))
	if toolfall.Code(r) != toolfall.Timeout || r.Text() != "Error: the tool's own 5s are over" {
		t.Errorf("result = %s %q", toolfall.Code(r), r.Text())
	}
}

func TestWrapperCannotDetachTheToolFromItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := toolfall.New()
		reg.Register(t, tool("t", func(ctx context.Context, _ toolfall.Call) ([]toolfall.Content, error) {
			<-ctx.Done()
			return nil, nil
		}))
		for _, stage := range []toolfall.Stage{toolfall.Observe, toolfall.Contain} {
			remove := reg.Use(t, with(stage, func(_ context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
				return next(context.Background(), c)
			}))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if r := reg.Execute(ctx, call("t", `{}`)); toolfall.Code(r) != toolfall.Timeout {
				t.Errorf("%s: code = %s, want TIMEOUT", stage, toolfall.Code(r))
			}
			cancel()
			remove()
		}
	})
}

func TestArgumentsOverTheLimitAreRefused(t *testing.T) {
	reg := toolfall.NewWith(toolfall.Config{MaxArguments: 20})
	reg.Register(t, echo)
	r := reg.Execute(t.Context(), call("echo", `{"a":"`+strings.Repeat("x", 20)+`"}`))
	if toolfall.Code(r) != toolfall.InvalidJSON || !strings.Contains(r.Text(), "28 bytes long, and 20 are allowed") {
		t.Errorf("result = %s %q", toolfall.Code(r), r.Text())
	}
}

func TestBrokenJSONOfARawToolNamesItsParameters(t *testing.T) {
	reg := toolfall.New()
	d := tool("raw", echo.Execute)
	d.Parameters = `{"type":"object","properties":{"url":{"type":"string"},"depth":{}}}`
	reg.Register(t, d)
	if r := reg.Execute(t.Context(), call("raw", `{"url":`)); !strings.HasSuffix(r.Text(), "the parameters are: url, depth") {
		t.Errorf("result = %q", r.Text())
	}
	if r := reg.Execute(t.Context(), call("raw", `{"url":1,"extra":true}`)); r.Text() != `{"url":1,"extra":true}` {
		t.Errorf("a raw tool's arguments were checked: %q", r.Text())
	}
}

func TestJSONContentIsStructured(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, tool("data", func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
		return toolfall.JSON(map[string]int{"n": 1})
	}), tool("bad", func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
		return []toolfall.Content{{Type: toolfall.TypeJSON, Text: "{"}}, nil
	}))
	r := reg.Execute(t.Context(), call("data", ""))
	raw, _ := json.Marshal(r)
	if want := `{"callId":"1","content":[{"type":"text","text":"{\"n\":1}"}],"structured":{"n":1},"isError":false}`; string(raw) != want {
		t.Errorf("result = %s\nwant     %s", raw, want)
	}
	reg.Register(t, tool("both", func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
		return toolfall.JSON(map[string]int{"n": 1}, toolfall.Text("one")...)
	}))
	if r := reg.Execute(t.Context(), call("both", "")); r.Text() != "one" || string(r.Structured) != `{"n":1}` || len(r.Content) != 1 {
		t.Errorf("text beside JSON: %q, %s", r.Text(), r.Structured)
	}
	if r := reg.Execute(t.Context(), call("bad", "")); toolfall.Code(r) != toolfall.OutputInvalid || r.Text() != "Error: the tool returned a JSON block that is not JSON" {
		t.Errorf("a JSON block that is not JSON: %s", toolfall.Code(r))
	}
}

func TestLiteralSpecIsCheckedLikeAType(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, specEcho)
	r := reg.Execute(t.Context(), call("spec_echo", `{"path":1}`))
	var args *schema.ArgsError
	if !errors.As(r.Err, &args) || len(args.Violations) != 1 || toolfall.Code(r) != toolfall.InvalidArgs {
		t.Errorf("Err = %v", r.Err)
	}
}

func TestDefinitionsCheckAlsoOutsideARegistry(t *testing.T) {
	for _, d := range []toolfall.Definition{readFile, specEcho} {
		if _, err := d.Execute(t.Context(), call(d.Name, `{"path":1}`)); err == nil {
			t.Errorf("%s ran with bad arguments", d.Name)
		}
		if _, err := d.Execute(t.Context(), call(d.Name, `{"path":"x","y":1}`)); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
}

func TestDefinePanicsOnATypeWithoutJSONForm(t *testing.T) {
	defer func() {
		if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), `define "bad"`) {
			t.Errorf("recovered %v", v)
		}
	}()
	type args struct {
		C chan int `json:"c"`
	}
	toolfall.Define("bad", "", func(context.Context, args, toolfall.Call) ([]toolfall.Content, error) { return nil, nil })
}

func TestAMiddlewareAllocatesNothing(t *testing.T) {
	reg := toolfall.New()
	content := toolfall.Text("ok")
	d := toolfall.Define("t", "", func(context.Context, readArgs, toolfall.Call) ([]toolfall.Content, error) { return content, nil })
	d.Inline = true
	reg.Register(t, d)
	ctx, c := t.Context(), call("t", `{"path":"/tmp/x","limit":10}`)
	run := func() { reg.Execute(ctx, c) }
	bare := testing.AllocsPerRun(100, run)
	for _, stage := range []toolfall.Stage{toolfall.Observe, toolfall.Rewrite, toolfall.Decide, toolfall.Decide, toolfall.Contain} {
		reg.Use(t, with(stage, pass))
	}
	if got := testing.AllocsPerRun(100, run); got != bare || bare > 3 {
		t.Errorf("allocations: %v bare, %v through five middlewares; want at most 3, and the same", bare, got)
	}
}
