package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall/approval"
)

// typed asks a question at a terminal at which a person types keys, one each second,
// and returns the outcome and what the terminal showed.
func typed(t *testing.T, q approval.Request, keys string) (outcome approval.Outcome, shown string) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.New(approval.Config{Expiry: time.Hour})
		b.Serve(t)
		got := make(chan approval.Answer, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { got <- b.Ask(ctx, q) }()
		synctest.Wait()
		in := make(chan byte)
		go func() {
			for i := range len(keys) {
				if keys[i] == '!' { // at once, without a pause
					continue
				}
				if i == 0 || keys[i-1] != '!' {
					pause(ctx)
				}
				select {
				case in <- keys[i]:
				case <-ctx.Done():
					return
				}
			}
			pause(ctx)
			cancel()
		}()
		var out strings.Builder
		term := &terminal{broker: b, out: &out, keys: in, now: time.Now}
		term.ask(ctx, b.Pending()[0])
		outcome = (<-got).Outcome
		cancel()
		shown = out.String()
	})
	return outcome, shown
}

func pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

func TestKeys(t *testing.T) {
	short := approval.Request{Tool: "bash", Text: "make", Why: "no rule", Arguments: json.RawMessage(`{}`), Grants: []string{"allow bash(make)"}}
	long := short
	long.Text = strings.Repeat("line\n", 40)
	once := short
	once.Grants = nil
	for _, c := range []struct {
		q    approval.Request
		keys string
		want approval.Outcome
	}{
		{short, "y", approval.Once},
		{short, "s", approval.Session},
		{short, "p", approval.Project},
		{short, "a", approval.Always},
		{short, "n", approval.Rejected},
		{short, "\x03", approval.Rejected},
		{short, "\r\n \x1bYqN", approval.Cancelled}, // U4: nothing else is an answer
		{short, "!y", approval.Cancelled},           // U4: within 400 ms of the question
		{long, "ya", approval.Cancelled},            // U9: not before it was shown in full
		{long, "vy", approval.Once},
		{long, "n", approval.Rejected},
		{once, "as", approval.Cancelled},
	} {
		if got, shown := typed(t, c.q, c.keys); got != c.want {
			t.Errorf("%q is %s, want %s\n%s", c.keys, got, c.want, shown)
		}
	}
}

// U3 and U6: another surface may answer; the terminal then says so.
func TestAnAnswerFromElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := approval.New(approval.Config{})
		b.Serve(t)
		go b.Ask(t.Context(), approval.Request{Tool: "bash", Text: "make"})
		synctest.Wait()
		q := b.Pending()[0]
		var out strings.Builder
		done := make(chan struct{})
		go func() {
			defer close(done)
			(&terminal{broker: b, out: &out, keys: make(chan byte), now: time.Now}).ask(t.Context(), q)
		}()
		synctest.Wait()
		b.Answer(approval.Answer{ID: q.ID, Hash: q.Hash, Outcome: approval.Once})
		<-done
		if !strings.Contains(out.String(), "no longer asked") {
			t.Errorf("showed %q", out.String())
		}
	})
}
