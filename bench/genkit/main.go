// Command genkit measures a tool of genkit, in a module of its own since genkit
// does not compile beside the other peers. It prints CPU nanoseconds a call: its
// own floor first, then genkit, medians over interleaved passes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
)

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

var raw = []byte(`{"path":"/tmp/x","offset":1,"limit":10}`)

func main() {
	ctx := context.Background()
	g := genkit.Init(ctx)
	tool := genkit.DefineTool(g, "read", "Read.", func(*ai.ToolContext, readArgs) (string, error) { return "ok", nil })
	var input map[string]any
	if err := json.Unmarshal(raw, &input); err != nil {
		fail(err)
	}
	if _, err := tool.RunRaw(ctx, input); err != nil {
		fail(err)
	}
	var floors, calls []float64
	for range 7 {
		floors = append(floors, per(200_000, func() {
			var a readArgs
			json.Unmarshal(raw, &a)
		}))
		calls = append(calls, per(1000, func() {
			var input map[string]any
			json.Unmarshal(raw, &input)
			tool.RunRaw(ctx, input)
		}))
	}
	slices.Sort(floors)
	slices.Sort(calls)
	fmt.Printf("%.0f %.0f\n", floors[3], calls[3])
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "genkit:", err)
	os.Exit(1)
}

// per returns the CPU time of one run of work.
func per(n int, work func()) float64 {
	before := cpu()
	for range n {
		work()
	}
	return float64(cpu()-before) / float64(n)
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
