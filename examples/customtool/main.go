// Command customtool defines a typed tool and calls it twice, the second time
// with arguments that do not fit.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// arguments are what the model sends. The schema that it is told, and what is
// checked, come from this type.
type arguments struct {
	From time.Time `json:"from" description:"The first day"`
	Days int       `json:"days" minimum:"1" maximum:"366"`
	Unit string    `json:"unit,omitempty" enum:"days,weeks"`
}

func later(_ context.Context, a arguments, _ toolfall.Call) ([]toolfall.Content, error) {
	n := a.Days
	if a.Unit == "weeks" {
		n *= 7
	}
	return toolfall.Text(a.From.AddDate(0, 0, n).Format(time.DateOnly)), nil
}

func main() {
	root := scope.New(context.Background(), "customtool")
	defer root.Close()
	reg := toolfall.New()
	if _, err := reg.Register(root, toolfall.Define("later", "Tell the date some days later.", later)); err != nil {
		log.Fatal(err)
	}
	for _, raw := range []string{
		`{"from":"2026-12-01T00:00:00Z","days":2,"unit":"weeks"}`,
		`{"from":"tomorrow","days":0,"unit":"years"}`,
	} {
		r := reg.Execute(context.Background(), toolfall.Call{ID: "1", Name: "later", Arguments: []byte(raw)})
		fmt.Println(r.Text())
	}
}
