package toolfall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/toolfall/toolfall"
)

// BenchmarkExecute calls a typed tool from raw JSON through some middlewares.
// The bench module runs the same beside other libraries.
func BenchmarkExecute(b *testing.B) {
	type args struct {
		Path   string `json:"path"`
		Offset int    `json:"offset,omitempty"`
		Limit  int    `json:"limit,omitempty"`
	}
	raw := json.RawMessage(`{"path":"/tmp/x","offset":1,"limit":10}`)
	content := toolfall.Text("ok")
	for _, inline := range []bool{true, false} {
		for _, layers := range []int{0, 5, 10} {
			b.Run(fmt.Sprintf("inline=%v/layers=%d", inline, layers), func(b *testing.B) {
				reg := toolfall.New()
				d := toolfall.Define("t", "", func(context.Context, args, toolfall.Call) ([]toolfall.Content, error) { return content, nil })
				d.Inline = inline
				reg.Register(b, d)
				for range layers {
					reg.Use(b, with(toolfall.Decide, pass))
				}
				b.ReportAllocs()
				for b.Loop() {
					reg.Execute(b.Context(), toolfall.Call{ID: "1", Name: "t", Arguments: raw})
				}
			})
		}
	}
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var a args
			json.Unmarshal(raw, &a)
		}
	})
}
