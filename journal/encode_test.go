package journal

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func BenchmarkEncode(b *testing.B) {
	in := &intake{now: time.Now}
	for name, r := range map[string]Record{
		"asked":   {Call: 1, Kind: Asked, Tool: "bash", Agent: "main", Model: "toolu_01", Arguments: json.RawMessage(`{"command":"go test ./..."}`)},
		"start":   {Call: 1, Kind: Start},
		"outcome": {Call: 1, Kind: Outcome, Content: strings.Repeat("ok  	github.com/toolfall/toolfall/journal	0.412s\n", 20)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				in.take([]Record{r}, true)
			}
		})
	}
}
