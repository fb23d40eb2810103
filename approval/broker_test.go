package approval

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func request() Request {
	return Request{Tool: "bash", Arguments: json.RawMessage(`{"command":"make"}`), Text: "make", Grants: []string{"allow bash(make)"}}
}

// ask asks in the background and returns the question once it is open.
func ask(b *Broker, ctx context.Context, r Request) (Request, <-chan Answer) {
	before := len(b.Pending())
	got := make(chan Answer, 1)
	go func() { got <- b.Ask(ctx, r) }()
	synctest.Wait()
	return b.Pending()[before], got
}

func TestTheFirstValidAnswerWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Config{})
		b.Serve(t)
		q, got := ask(b, t.Context(), request())
		if err := b.Answer(Answer{ID: q.ID, Hash: "other", Outcome: Once}); !errors.Is(err, ErrMismatch) {
			t.Errorf("a wrong hash: %v", err)
		}
		if err := b.Answer(Answer{ID: q.ID, Hash: q.Hash, Outcome: "yes"}); !errors.Is(err, ErrInvalid) {
			t.Errorf("a wrong outcome: %v", err)
		}
		if err := b.Answer(Answer{ID: q.ID, Hash: q.Hash, Outcome: Rejected, Note: "no"}); err != nil {
			t.Fatal(err)
		}
		if err := b.Answer(Answer{ID: q.ID, Hash: q.Hash, Outcome: Always}); !errors.Is(err, ErrSettled) {
			t.Errorf("a second answer: %v", err)
		}
		if a := <-got; a.Outcome != Rejected || a.Note != "no" {
			t.Errorf("got %+v", a)
		}
		if err := b.Answer(Answer{ID: "none"}); !errors.Is(err, ErrUnknown) {
			t.Errorf("no such question: %v", err)
		}
	})
}

func TestManyAnswerAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Config{})
		b.Serve(t)
		q, got := ask(b, t.Context(), request())
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for range 50 {
			wg.Go(func() {
				if b.Answer(Answer{ID: q.ID, Hash: q.Hash, Outcome: Once}) == nil {
					mu.Lock()
					won++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if a := <-got; won != 1 || a.Outcome != Once {
			t.Errorf("%d answers won, %+v", won, a)
		}
	})
}

func TestEndings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Config{Expiry: time.Minute, Most: 2})
		if a := b.Ask(t.Context(), request()); a.Outcome != Unavailable {
			t.Errorf("with nobody there: %s", a.Outcome)
		}
		var owner owner
		b.Serve(&owner)
		ctx, cancel := context.WithCancel(t.Context())
		q, got := ask(b, ctx, request())
		_, second := ask(b, t.Context(), request())
		if a := b.Ask(t.Context(), request()); a.Outcome != Unavailable {
			t.Errorf("one too many: %s", a.Outcome)
		}
		cancel()
		if a := <-got; a.Outcome != Cancelled {
			t.Errorf("cancelled: %s", a.Outcome)
		}
		if err := b.Answer(Answer{ID: q.ID, Hash: q.Hash, Outcome: Once}); !errors.Is(err, ErrSettled) {
			t.Errorf("an answer after that: %v", err)
		}
		if a := <-second; a.Outcome != Expired { // the clock stands still until all wait
			t.Errorf("after a minute: %s", a.Outcome)
		}
		_, third := ask(b, t.Context(), request())
		owner.end()
		if a := <-third; a.Outcome != Unavailable || len(b.Pending()) != 0 {
			t.Errorf("when the last one left: %s", a.Outcome)
		}
	})
}

// owner is cleaned up when it is told to.
type owner struct{ cleanups []func() }

func (o *owner) Cleanup(f func()) { o.cleanups = append(o.cleanups, f) }

func (o *owner) end() {
	for _, f := range o.cleanups {
		f()
	}
}

func TestOnlyOnceWithoutGrants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Config{})
		b.Serve(t)
		r := request()
		r.Grants = nil
		q, got := ask(b, t.Context(), r)
		if err := b.Answer(Answer{ID: q.ID, Hash: q.Hash, Outcome: Always}); !errors.Is(err, ErrInvalid) {
			t.Errorf("always: %v", err)
		}
		if err := b.Answer(Answer{ID: q.ID, Hash: q.Hash, Outcome: Once}); err != nil || (<-got).Outcome != Once {
			t.Errorf("once: %v", err)
		}
	})
}

func TestTheHashCoversWhatIsShown(t *testing.T) {
	base := request().hash()
	for name, change := range map[string]func(*Request){
		"tool":      func(r *Request) { r.Tool = "other" },
		"arguments": func(r *Request) { r.Arguments = json.RawMessage(`{"command":"make "}`) },
		"text":      func(r *Request) { r.Text = "x" },
		"grants":    func(r *Request) { r.Grants = []string{"allow bash(*)"} },
		"bound":     func(r *Request) { r.Bound = []string{"x"} },
		"why":       func(r *Request) { r.Why = "x" },
		"agent":     func(r *Request) { r.Agent = "x" },
	} {
		r := request()
		if change(&r); r.hash() == base {
			t.Errorf("%s is not in the hash", name)
		}
	}
}
