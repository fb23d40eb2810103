package journal_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolfall/toolfall/journal"
)

// filled returns a journal with so many records, of calls of 20 tools in three weeks.
func filled(b *testing.B, records int) *journal.SQLite {
	b.Helper()
	j := open(b, filepath.Join(b.TempDir(), "journal.db"), journal.Config{MaxAge: -1, MaxBytes: -1})
	start := time.Now().Add(-21 * 24 * time.Hour)
	for i := range records / 4 {
		at := start.Add(time.Duration(i) * 21 * 24 * time.Hour / time.Duration(records/4))
		id, code := j.Next(), ""
		if i%17 == 0 {
			code = "TIMEOUT"
		}
		add(b, j, journal.Fast,
			journal.Record{Call: id, Kind: journal.Asked, Time: at, Tool: fmt.Sprint("tool", i%20), Agent: "main", Arguments: []byte(`{"command":"go test ./..."}`)},
			journal.Record{Call: id, Kind: journal.Decision, Time: at, By: "permission", Text: "allow", Rule: "Bash(go test *)"},
			journal.Record{Call: id, Kind: journal.Start, Time: at},
			journal.Record{Call: id, Kind: journal.Outcome, Time: at, Code: code, Content: content[:200], Took: time.Duration(i%997) * time.Millisecond})
	}
	list(b, j, journal.Filter{Tool: "none"})
	return j
}

func last20(b *testing.B, j journal.Journal, f journal.Filter) {
	n := 0
	for _, err := range j.Calls(b.Context(), f) {
		if err != nil {
			b.Fatal(err)
		}
		if n++; n == 20 {
			break
		}
	}
	if n != 20 {
		b.Fatalf("there are %d calls", n)
	}
}

func BenchmarkLast20OfOneToolIn100000Records(b *testing.B) {
	j := filled(b, 100_000)
	for b.Loop() {
		last20(b, j, journal.Filter{Tool: "tool7"})
	}
}

// BenchmarkAMillionRecords measures what people ask of a large journal.
func BenchmarkAMillionRecords(b *testing.B) {
	j := filled(b, 1_000_000)
	stats := func(b *testing.B, f journal.Filter) {
		for b.Loop() {
			if sums, err := j.Stats(b.Context(), f); err != nil || len(sums) == 0 {
				b.Fatal(sums, err)
			}
		}
	}
	b.Run("last 20 of one tool", func(b *testing.B) {
		for b.Loop() {
			last20(b, j, journal.Filter{Tool: "tool7"})
		}
	})
	b.Run("last 20 failures of one tool", func(b *testing.B) {
		for b.Loop() {
			last20(b, j, journal.Filter{Tool: "tool7", Code: "TIMEOUT"})
		}
	})
	b.Run("stats of all", func(b *testing.B) { stats(b, journal.Filter{}) })
	b.Run("stats of one agent", func(b *testing.B) { stats(b, journal.Filter{Agent: "main"}) })
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if _, err := j.Verify(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
