package toolfall_test

import (
	"context"
	"errors"
	"testing"

	"github.com/toolfall/toolfall"
)

func TestEveryListenerHearsAReport(t *testing.T) {
	var inner, outer []toolfall.Report
	ctx := toolfall.Listen(t.Context(), func(r toolfall.Report) { outer = append(outer, r) })
	toolfall.Tell(ctx, toolfall.Report{Text: "one"})
	ctx = toolfall.Listen(ctx, func(r toolfall.Report) { inner = append(inner, r) })
	toolfall.Tell(ctx, toolfall.Report{Text: "two"})

	if len(outer) != 2 || len(inner) != 1 || inner[0].Text != "two" {
		t.Errorf("outer heard %v and inner %v", outer, inner)
	}
}

func TestTellingNobodyCostsNothing(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "value")
	if n := testing.AllocsPerRun(100, func() { toolfall.Tell(ctx, toolfall.Report{Done: 1}) }); n != 0 {
		t.Errorf("Tell allocates %v times where nobody listens", n)
	}
	if toolfall.Heard(ctx) {
		t.Error("Heard says that somebody listens")
	}
}

func TestACallThatComesAbortedBothersNobody(t *testing.T) {
	r := toolfall.New()
	asked := false
	r.Use(t, toolfall.Middleware{Name: "gate", Stage: toolfall.Decide, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		asked = true
		return next(ctx, c)
	}})
	saw := ""
	r.Use(t, toolfall.Middleware{Name: "watch", Stage: toolfall.Observe, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		res := next(ctx, c)
		saw = toolfall.Code(res)
		return res
	}})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))

	got := toolfall.Code(r.Execute(ctx, toolfall.Call{Name: "any"}))
	if got != toolfall.AbortedBeforeDispatch || saw != got || asked {
		t.Errorf("code %q, observed %q, the gate asked: %v", got, saw, asked)
	}
}
