// Command audit writes down every call and what became of it.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// audit observes: it stands outside everything that could change or refuse a
// call, so it sees what the model sent and what the model gets.
func audit(w io.Writer) toolfall.Middleware {
	return toolfall.Middleware{Name: "audit", Stage: toolfall.Observe, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		r := next(ctx, c)
		outcome := toolfall.Code(r)
		if outcome == "" {
			outcome = "OK"
		}
		fmt.Fprintf(w, "%s asked for %s %s: %s\n", c.Agent, c.Name, c.Arguments, outcome)
		return r
	}}
}

func main() {
	root := scope.New(context.Background(), "audit")
	defer root.Close()
	reg := toolfall.New()
	reg.Use(root, audit(os.Stdout))
	type arguments struct {
		Name string `json:"name"`
	}
	greet := toolfall.Define("greet", "Greet somebody.", func(_ context.Context, a arguments, _ toolfall.Call) ([]toolfall.Content, error) {
		return toolfall.Text("Hello, " + a.Name), nil
	})
	if _, err := reg.Register(root, greet); err != nil {
		log.Fatal(err)
	}
	for _, c := range []toolfall.Call{
		{Agent: "main", Name: "greet", Arguments: []byte(`{"name":"Ada"}`)},
		{Agent: "helper", Name: "greet", Arguments: []byte(`{"nme":"Ada"}`)},
		{Agent: "helper", Name: "gret"},
	} {
		reg.Execute(context.Background(), c)
	}
}
