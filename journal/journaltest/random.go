package journaltest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/toolfall/toolfall/journal"
)

// concurrent appends random stories from many goroutines and reads them back: every
// call has its own records, whole and in order, and nothing else is there.
func concurrent(t *testing.T, j journal.Journal) {
	const writers, each = 8, 12
	var mu sync.Mutex
	want := map[journal.ID][]journal.Record{}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for range each {
				id, told := j.Next(), random(r)
				for i := range told {
					told[i].Call = id
				}
				for rest := told; len(rest) > 0; {
					n := 1 + r.IntN(len(rest))
					if err := j.Append(t.Context(), journal.Durability(r.IntN(2)), rest[:n]...); err != nil {
						t.Error(err)
					}
					rest = rest[n:]
				}
				mu.Lock()
				want[id] = told
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	n, last := 0, int64(0)
	for r, err := range j.All(t.Context(), 0) {
		if err != nil || r.Seq != last+1 || len(want[r.Call]) == 0 {
			t.Fatalf("after record %d comes %s, %v", last, text(r), err)
		}
		n, last = n+1, r.Seq
	}
	for id, told := range want {
		n -= len(told)
		got := records(t, j, id)
		for i := range told {
			told[i].Seq = got[min(i, len(got)-1)].Seq
			told[i].Time = told[i].Time.UTC()
		}
		if !equal(got, told) {
			t.Errorf("Records(%s) = %s\nwant %s", id, text(got), text(told))
		}
	}
	if _, err := j.Verify(t.Context()); err != nil || n != 0 {
		t.Errorf("%d records too many; Verify: %v", n, err)
	}
}

// random makes up a story.
func random(r *rand.Rand) []journal.Record {
	at := time.Unix(1_700_000_000+r.Int64N(1000), r.Int64N(1e9))
	next := func(rec journal.Record) journal.Record {
		at = at.Add(time.Duration(r.Int64N(1e9)))
		rec.Time = at
		return rec
	}
	all := []journal.Record{next(journal.Record{Kind: journal.Asked, Tool: fmt.Sprint("tool", r.IntN(3)), Model: word(r), Arguments: json.RawMessage(`{"n":` + fmt.Sprint(r.IntN(9)) + `}`)})}
	for range r.IntN(3) {
		all = append(all, next(journal.Record{Kind: journal.Decision, By: word(r), Text: "allow", Rule: word(r)}))
	}
	if r.IntN(4) > 0 {
		all = append(all, next(journal.Record{Kind: journal.Start}))
		for range r.IntN(4) {
			all = append(all, next(journal.Record{Kind: journal.Mark, Text: word(r), Done: float64(r.IntN(100))}))
		}
	}
	if r.IntN(4) > 0 {
		content := word(r)
		all = append(all, next(journal.Record{Kind: journal.Outcome, Content: content, Bytes: len(content), Took: time.Duration(1 + r.Int64N(1e9))}))
	}
	return all
}

func word(r *rand.Rand) string {
	letters := []rune("abcxyz ABC 0123 äöü€𝄞 \n\t\x00 <>&")
	out := make([]rune, 1+r.IntN(12))
	for i := range out {
		out[i] = letters[r.IntN(len(letters))]
	}
	return string(out)
}
