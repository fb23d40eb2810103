package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/journal"
	"github.com/toolfall/toolfall/plugin/record"
	"github.com/toolfall/toolfall/plugin/shell"
	"github.com/toolfall/toolfall/scope"
)

const (
	oneWriter   = "a durable record, one writer"
	manyWriters = "a durable record, 64 writers"
	aCall       = "a call that reads, recorded"
	lookBack    = "the last 20 of one tool in 100,000 records"
	gigabyte    = "1 GB of output"
	staying     = "echo hi, again and again"
)

// recording measures what it costs to have it in writing.
func recording() []contender {
	return []contender{
		{group: oneWriter, name: "floor: fdatasync of 4 KiB in place", setup: floorSync(1)},
		{group: oneWriter, name: "toolfall, journal", ours: true, setup: durableAppend(1)},
		{group: manyWriters, name: "floor: fdatasync of 4 KiB in place", setup: floorSync(1)},
		{group: manyWriters, name: "toolfall, journal", ours: true, setup: durableAppend(64)},
		{group: aCall, name: "toolfall, not recorded", ours: true, setup: readCall(false)},
		{group: aCall, name: "toolfall, recorded", ours: true, setup: readCall(true)},
		{group: lookBack, name: "toolfall, journal", ours: true, setup: lastTwenty},
		{group: gigabyte, name: "floor: cat > /dev/null", setup: catGigabyte},
		{group: gigabyte, name: "toolfall: bash", ours: true, setup: throughTheTool("head -c 1000000000 /dev/zero")},
		{group: staying, name: "toolfall: bash", ours: true, setup: throughTheTool("echo hi")},
		{group: staying, name: "toolfall: shell", ours: true, setup: throughTheShell},
	}
}

// floorSync is what a durable write costs at the least.
func floorSync(int) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		dir, err := os.MkdirTemp("/var/tmp", "bench")
		if err != nil {
			return nil, nil, err
		}
		const blocks = 1024
		f, err := os.Create(filepath.Join(dir, "floor"))
		if err != nil {
			return nil, nil, err
		}
		block := make([]byte, 4096)
		for range blocks {
			f.Write(block)
		}
		err = f.Sync()
		at := int64(0)
		return func(n int) {
			for range n {
				at = (at + 1) % blocks
				f.WriteAt(block, at*4096)
				if err := unix.Fdatasync(int(f.Fd())); err != nil {
					panic(err)
				}
			}
		}, func() { f.Close(); os.RemoveAll(dir) }, err
	}
}

func openJournal() (*journal.SQLite, func(), error) {
	dir, err := os.MkdirTemp("/var/tmp", "bench")
	if err != nil {
		return nil, nil, err
	}
	j, err := journal.Open(filepath.Join(dir, "journal.db"), journal.Config{})
	return j, func() { j.Close(); os.RemoveAll(dir) }, err
}

func durableAppend(writers int) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		j, done, err := openJournal()
		if err != nil {
			return nil, nil, err
		}
		one := func() {
			err := j.Append(context.Background(), journal.Durable, journal.Record{Call: j.Next(), Kind: journal.Asked, Tool: "bash", Arguments: json.RawMessage(`{"command":"go test ./..."}`)})
			if err != nil {
				panic(err)
			}
		}
		return func(n int) {
			if writers == 1 {
				for range n {
					one()
				}
				return
			}
			var wg sync.WaitGroup
			work := make(chan struct{}, n)
			for range n {
				work <- struct{}{}
			}
			close(work)
			for range writers {
				wg.Go(func() {
					for range work {
						one()
					}
				})
			}
			wg.Wait()
		}, done, nil
	}
}

func readCall(recorded bool) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		j, done, err := openJournal()
		if err != nil {
			return nil, nil, err
		}
		s := scope.New(context.Background(), "bench")
		reg := toolfall.New()
		d := toolfall.Define("read", "Read.", func(context.Context, readArgs, toolfall.Call) ([]toolfall.Content, error) { return readOK, nil })
		d.Hints.ReadOnly, d.Inline = toolfall.Yes, true
		_, err = reg.Register(s, d)
		if recorded {
			_, attached := reg.Attach(s, record.New(record.Config{Journal: func() (journal.Journal, error) { return j, nil }}))
			err = errors.Join(err, attached)
		}
		call := toolfall.Call{ID: "1", Name: "read", Arguments: readRaw}
		return func(n int) {
			for range n {
				reg.Execute(context.Background(), call)
			}
		}, func() { s.Close(); done() }, err
	}
}

// typical is how long a call takes, of many that come with pauses between them.
func typical(recorded bool) (time.Duration, error) {
	run, done, err := readCall(recorded)()
	if err != nil {
		return 0, err
	}
	defer done()
	took := make([]time.Duration, 3000)
	for i := range took {
		time.Sleep(100 * time.Microsecond)
		began := time.Now()
		run(1)
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

func lastTwenty() (func(int), func(), error) {
	j, done, err := openJournal()
	if err != nil {
		return nil, nil, err
	}
	for i := range 33_334 {
		id := j.Next()
		err := j.Append(context.Background(), journal.Fast,
			journal.Record{Call: id, Kind: journal.Asked, Tool: fmt.Sprintf("tool%d", i%100), Arguments: readRaw},
			journal.Record{Call: id, Kind: journal.Start, Arguments: readRaw}, journal.Record{Call: id, Kind: journal.Outcome, Content: "ok"})
		if err != nil {
			return nil, nil, err
		}
	}
	return func(n int) {
		for range n {
			left := 20
			for _, err := range j.Calls(context.Background(), journal.Filter{Tool: "tool7"}) {
				if left--; err != nil || left == 0 {
					break
				}
			}
		}
	}, done, nil
}

func catGigabyte() (func(int), func(), error) {
	return func(n int) {
		for range n {
			runQuietly("head -c 1000000000 /dev/zero | cat > /dev/null")
		}
	}, nil, nil
}

func throughTheShell() (func(int), func(), error) {
	s := scope.New(context.Background(), "bench")
	reg := toolfall.New()
	if _, err := reg.Attach(s, shell.New(shell.Config{Persistent: true})); err != nil {
		return nil, nil, err
	}
	call := toolfall.Call{Name: "shell", Arguments: []byte(`{"command":"echo hi"}`)}
	return func(n int) {
		for range n {
			if r := reg.Execute(context.Background(), call); r.IsError {
				panic(r.Err)
			}
		}
	}, func() { s.Close() }, nil
}

func recordTargets() []target {
	slower := func(text string, atLeast float64, group, fast, slow, why string) target {
		return target{text: text, why: why, met: func(f find) (string, bool) {
			a, b := f(group, fast), f(group, slow)
			if a == nil || b == nil || a.wall == 0 {
				return "not measured", false
			}
			x := b.wall / a.wall
			return fmt.Sprintf("%.1f × (time passed)", x), x >= atLeast
		}}
	}
	return []target{
		wall("a durable record ≤ 1.5 × fdatasync, one writer", 1.5, oneWriter, "toolfall, journal", oneWriter, "floor: fdatasync of 4 KiB in place", "a commit writes two pages and their places in the log, and hashes"),
		slower("64 writers ≥ 8 × the rate of fdatasync", 8, manyWriters, "toolfall, journal", "floor: fdatasync of 4 KiB in place", "the processor: SQLite's statements, a hash and the masks for each record"),
		{text: "a recorded call that reads ≤ 5 µs more", why: "with pauses, so with cold caches and a writer to be woken; the plugin and the queue are some 3 µs of it. Call upon call it is the writer that takes its time, see below", met: func(f find) (string, bool) {
			if f(aCall, "toolfall, recorded") == nil {
				return "not measured", false
			}
			with, err := typical(true)
			without, failed := typical(false)
			more := float64(with - without)
			return nanos(more) + " (median, time passed)", errors.Join(err, failed) == nil && more <= 5000
		}},
		{text: "the last 20 of one tool ≤ 0.2 ms", met: func(f find) (string, bool) {
			a := f(lookBack, "toolfall, journal")
			if a == nil {
				return "not measured", false
			}
			return nanos(a.wall), a.wall <= 200_000
		}},
		slower("1 GB through bash ≥ 0.7 × the rate of cat > /dev/null", 0.7, gigabyte, "toolfall: bash", "floor: cat > /dev/null", ""),
		slower("a shell that stays ≥ 10 × as fast as bash", 10, staying, "toolfall: shell", "toolfall: bash", ""),
	}
}
