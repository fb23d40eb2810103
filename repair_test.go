package toolfall_test

import (
	"context"
	"strings"
	"testing"

	"github.com/toolfall/toolfall"
)

func TestRepairIsOffByDefault(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, readFile)
	if r := reg.Execute(t.Context(), call("read_file", `{"path":"a","limit":"3"}`)); toolfall.Code(r) != toolfall.InvalidArgs {
		t.Errorf("code = %s, want INVALID_ARGS", toolfall.Code(r))
	}
}

func TestRepairIsTold(t *testing.T) {
	reg := toolfall.New()
	strict := readFile
	strict.Name, strict.NoRepair = "strict", true
	reg.Register(t, readFile, strict, echo)
	var original, edits string
	reg.Use(t, toolfall.RepairArguments(reg))
	reg.Use(t, with(toolfall.Observe, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		original = string(c.Arguments)
		r := next(ctx, c)
		if r.Record != nil {
			edits = strings.Join(r.Record.Edits, "; ")
		}
		return r
	}))
	var decided string
	reg.Use(t, with(toolfall.Decide, func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		decided = string(c.Arguments)
		return next(ctx, c)
	}))
	sent := `{"path":"a","limit":"3",}`
	r := reg.Execute(t.Context(), call("read_file", sent))
	told := `"arguments" had a trailing comma; dropped it; "limit" was a text; took the number in it`
	if r.IsError || r.Text() != "contents of a\nnote: the arguments were repaired: "+told {
		t.Errorf("the model reads %q", r.Text())
	}
	if original != sent || edits != told || decided != `{"path":"a","limit":3}` {
		t.Errorf("observed %s with %q, decided on %s", original, edits, decided)
	}
	for _, c := range []toolfall.Call{call("strict", sent), call("read_file", `{"path":`), call("echo", `{"a":1,}`)} {
		if r := reg.Execute(t.Context(), c); !r.IsError {
			t.Errorf("%s %s was repaired: %q", c.Name, c.Arguments, r.Text())
		}
	}
	if r := reg.Execute(t.Context(), call("read_file", `{"path":"a"}`)); r.Text() != "contents of a" || r.Record.Edits != nil {
		t.Errorf("a good call was touched: %q", r.Text())
	}
}
