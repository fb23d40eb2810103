package journal_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolfall/toolfall/journal"
)

// floor is what a durable write costs at the least: 4 KiB in place, and fdatasync.
type floor struct {
	f     *os.File
	block []byte
	at    int64
}

const floorBlocks = 1024

func newFloor(b *testing.B, dir string) *floor {
	f, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	p := &floor{f: f, block: make([]byte, 4096)}
	for range floorBlocks {
		f.Write(p.block)
	}
	f.Sync()
	return p
}

func (p *floor) write(b *testing.B) {
	p.at = (p.at + 1) % floorBlocks
	if _, err := p.f.WriteAt(p.block, p.at*4096); err != nil {
		b.Fatal(err)
	}
	if err := datasync(p.f); err != nil {
		b.Fatal(err)
	}
}

// intent and outcome are the two durable steps of a call, with a kilobyte of content.
func intent(b testing.TB, j journal.Journal, d journal.Durability) journal.ID {
	id := j.Next()
	err := j.Append(context.Background(), d,
		journal.Record{Call: id, Kind: journal.Asked, Tool: "bash", Agent: "main", Model: "toolu_01", Arguments: json.RawMessage(`{"command":"go test ./..."}`)},
		journal.Record{Call: id, Kind: journal.Decision, By: "permission", Text: "allow", Rule: "Bash(go test *)"},
		journal.Record{Call: id, Kind: journal.Start})
	if err != nil {
		b.Fatal(err)
	}
	return id
}

var content = strings.Repeat("ok  	github.com/toolfall/toolfall/journal	0.412s\n", 20)

func outcome(b testing.TB, j journal.Journal, d journal.Durability, id journal.ID) {
	if err := j.Append(context.Background(), d, journal.Record{Call: id, Kind: journal.Outcome, Content: content}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkDurableAppend measures a durable Append of one writer beside the floor, in
// turns. A call has two: the intent of three records, and the outcome.
func BenchmarkDurableAppend(b *testing.B) {
	dir := b.TempDir()
	j, p := open(b, filepath.Join(dir, "journal.db"), journal.Config{}), newFloor(b, dir)
	var ours, floors []time.Duration
	timed := func(to *[]time.Duration, f func()) {
		start := time.Now()
		f()
		*to = append(*to, time.Since(start))
	}
	for b.Loop() {
		for range 32 {
			timed(&floors, func() { p.write(b) })
		}
		for range 16 {
			var id journal.ID
			timed(&ours, func() { id = intent(b, j, journal.Durable) })
			timed(&ours, func() { outcome(b, j, journal.Durable, id) })
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(micros(median(ours)), "us/append(p50)")
	b.ReportMetric(micros(median(floors)), "us/floor(p50)")
	b.ReportMetric(float64(median(ours))/float64(median(floors)), "x(p50)")
	b.ReportMetric(float64(sum(ours))/float64(sum(floors)), "x(mean)")
}

func micros(d time.Duration) float64 { return float64(d) / 1e3 }

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}

func sum(ds []time.Duration) (all time.Duration) {
	for _, d := range ds {
		all += d
	}
	return all
}

// BenchmarkDurableAppend64 measures 64 writers at once beside one that writes to the
// floor, in turns.
func BenchmarkDurableAppend64(b *testing.B) {
	const writers, calls = 64, 20
	dir := b.TempDir()
	j, p := open(b, filepath.Join(dir, "journal.db"), journal.Config{}), newFloor(b, dir)
	var ours, floors time.Duration
	n, m := 0, 0
	for b.Loop() {
		start := time.Now()
		for range 200 {
			p.write(b)
		}
		floors += time.Since(start)
		m += 200
		start = time.Now()
		var wg sync.WaitGroup
		for range writers {
			wg.Go(func() {
				for range calls {
					outcome(b, j, journal.Durable, intent(b, j, journal.Durable))
				}
			})
		}
		wg.Wait()
		ours += time.Since(start)
		n += writers * calls * 2
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n)/ours.Seconds(), "appends/s")
	b.ReportMetric(float64(2*n)/ours.Seconds(), "records/s")
	b.ReportMetric(float64(m)/floors.Seconds(), "floor/s")
	b.ReportMetric(float64(n)/ours.Seconds()/(float64(m)/floors.Seconds()), "x")
}

// BenchmarkFastCall measures what recording adds to a call that only reads: two Appends
// that wait for nothing. The queue is written beside it.
func BenchmarkFastCall(b *testing.B) {
	j := open(b, filepath.Join(b.TempDir(), "journal.db"), journal.Config{})
	var all []time.Duration
	for b.Loop() {
		for range 8 {
			start := time.Now()
			outcome(b, j, journal.Fast, intent(b, j, journal.Fast))
			all = append(all, time.Since(start))
		}
		time.Sleep(5 * time.Millisecond) // a model thinks meanwhile
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(micros(sum(all))/float64(len(all)), "us/call(mean)")
	b.ReportMetric(micros(median(all)), "us/call(p50)")
}

// BenchmarkOneCallOfAProcess measures what a program pays that opens the journal for one
// call and closes it.
func BenchmarkOneCallOfAProcess(b *testing.B) {
	path := filepath.Join(b.TempDir(), "journal.db")
	open(b, path, journal.Config{}).Close()
	for b.Loop() {
		j, err := journal.Open(path, journal.Config{})
		if err != nil {
			b.Fatal(err)
		}
		outcome(b, j, journal.Durable, intent(b, j, journal.Durable))
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
