package toolfall_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

func Example() {
	type args struct {
		Text string `json:"text" description:"What to count"`
	}
	root := scope.New(context.Background(), "main")
	defer root.Close()
	reg := toolfall.New()
	reg.Register(root, toolfall.Define("count_words", "Count the words of a text.",
		func(_ context.Context, a args, _ toolfall.Call) ([]toolfall.Content, error) {
			return toolfall.Text(fmt.Sprint(len(strings.Fields(a.Text)), " words")), nil
		}))
	r := reg.Execute(context.Background(), toolfall.Call{Name: "count_words", Arguments: []byte(`{"text":"to be or not"}`)})
	fmt.Println(r.Text())
	// Output:
	// 4 words
}

func ExampleDefine() {
	type args struct {
		Text  string `json:"text" description:"What to count"`
		Upper bool   `json:"upper,omitempty"`
	}
	count := toolfall.Define("count_words", "Count the words of a text.",
		func(_ context.Context, a args, _ toolfall.Call) ([]toolfall.Content, error) {
			return toolfall.Text(fmt.Sprint(len(strings.Fields(a.Text)), " words")), nil
		})

	root := scope.New(context.Background(), "main")
	defer root.Close()
	reg := toolfall.New()
	if _, err := reg.Register(root, count); err != nil {
		log.Fatal(err)
	}

	for _, arguments := range []string{`{"text":"to be or not"}`, `{"upper":"yes"}`} {
		r := reg.Execute(context.Background(), toolfall.Call{ID: "1", Name: "count_words", Arguments: []byte(arguments)})
		fmt.Println(r.Text())
	}
	// Output:
	// 4 words
	// Error: invalid arguments: missing required property "text"; "upper" must be a boolean (got the string "yes")
}

func ExampleRegistry_Use() {
	root := scope.New(context.Background(), "main")
	defer root.Close()
	reg := toolfall.New()
	reg.Register(root, toolfall.Definition{
		Schema: toolfall.Schema{Name: "drop_table", Description: "Drop a table."},
		Execute: func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
			return toolfall.Text("dropped"), nil
		},
	})
	reg.Use(root, toolfall.Middleware{
		Name:  "careful",
		Stage: toolfall.Decide,
		Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
			if strings.HasPrefix(c.Name, "drop_") {
				return toolfall.Fail(fmt.Errorf("%w: %s needs a person's consent", toolfall.ErrDenied, c.Name))
			}
			return next(ctx, c)
		},
	})

	r := reg.Execute(context.Background(), toolfall.Call{Name: "drop_table"})
	fmt.Println(toolfall.Code(r), "–", r.Text())
	// Output:
	// DENIED – Error: denied: drop_table needs a person's consent
}

func ExampleRegistry_Watch() {
	root := scope.New(context.Background(), "main")
	defer root.Close()
	reg := toolfall.New()
	plugin := root.Child("plugin")
	reg.Register(plugin, toolfall.Define("now", "Tell the time.",
		func(context.Context, struct{}, toolfall.Call) ([]toolfall.Content, error) {
			return toolfall.Text("noon"), nil
		}))

	for s := range reg.Watch(root.Context()) {
		fmt.Println(s.Len(), "tools")
		if s.Len() == 0 {
			break
		}
		plugin.Close() // takes its tools with it
	}
	// Output:
	// 1 tools
	// 0 tools
}
