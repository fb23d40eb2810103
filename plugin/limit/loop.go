package limit

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"strconv"
	"time"

	"github.com/toolfall/toolfall"
)

// LoopLimits say how often an agent may do the same and get the same. Both must be equal,
// the call and its result: a call that makes progress repeats nothing. What is done in turns,
// as in A-B-A-B, repeats too, up to four calls in turn; any other call ends it.
type LoopLimits struct {
	Remind int           // the repetition from which the result says so; never when zero
	Refuse int           // the one that is refused; never when zero
	Pause  time.Duration // between two calls, after which it is no loop any more; 10 min when zero
}

// loop is limit.loop. It stands outside the attempts of limit.retry, and sees what was
// admitted, so that members which a checked tool ignores make no difference.
type loop struct {
	LoopLimits
	seed  maphash.Seed
	known recent[history] // by agent, and by the call that others are part of
}

func newLoop(l LoopLimits) *loop {
	l.Pause = cmp.Or(l.Pause, 10*time.Minute)
	return &loop{LoopLimits: l, seed: maphash.MakeSeed()}
}

func (l *loop) middlewares() []toolfall.Middleware {
	return []toolfall.Middleware{
		{Name: Name + ".loop", Stage: toolfall.Rewrite, Before: true, Wrap: l.wrap},
		{Name: Name + ".loop.admission", Stage: toolfall.Observe, Wrap: l.unadmitted},
	}
}

func (l *loop) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	h := l.history(c)
	t, rep := h.begin(l.call(c), l.Refuse, l.size(), l.Pause)
	if t == nil {
		return refuse(Loop, "%.128q was refused: this would be %s, with the same result each time; use what it gave, change what you ask, or tell what you are waiting for", c.Name, nth(rep.n, rep.turns))
	}
	r := next(ctx, c)
	if ctx.Err() != nil {
		h.drop(t) // it says more about the caller than about the call
		return r
	}
	return l.remind(h, t, rep, r)
}

// unadmitted sees the calls that admission refused, which limit.loop does not: there is
// nothing to keep from running, but the same fault need not be told the same way for ever.
func (l *loop) unadmitted(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	r := next(ctx, c)
	if code := toolfall.Code(r); r.Record != nil || code != toolfall.InvalidArgs && code != toolfall.InvalidJSON {
		return r
	}
	h := l.history(c)
	t, rep := h.begin(l.call(c), 0, l.size(), l.Pause)
	return l.remind(h, t, rep, r)
}

// history is what went before a call. Those that are part of another call have one of their
// own: a program makes them, which is no sign that the agent goes round in circles.
func (l *loop) history(c toolfall.Call) *history {
	if c.Parent == "" {
		return l.known.get(c.Agent)
	}
	return l.known.get(c.Agent + "\x00" + c.Parent)
}

// remind notes what came of a call, and says so when it was one of many.
func (l *loop) remind(h *history, t *turn, rep repetition, r toolfall.Result) toolfall.Result {
	if same := h.end(t, l.result(r), rep); !same || l.Remind == 0 || rep.n < l.Remind {
		return r
	}
	last := ""
	if l.Refuse > rep.n {
		last = fmt.Sprintf("; the %s time is refused", ordinal(l.Refuse))
	}
	return noted(r, "this was %s, with the same result each time; going on like this will not help%s", nth(rep.n, rep.turns), last)
}

// size is how many calls there are to look back on.
func (l *loop) size() int { return longest * max(l.Remind, l.Refuse) }

func (l *loop) call(c toolfall.Call) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	write(&h, c.Name)
	h.Write(c.Arguments)
	return h.Sum64()
}

func (l *loop) result(r toolfall.Result) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	write(&h, strconv.FormatBool(r.IsError))
	for i := range r.Content {
		c := &r.Content[i]
		for _, s := range [...]string{c.Type, c.Text, c.MIMEType, c.URI} {
			write(&h, s)
		}
		maphash.WriteComparable(&h, len(c.Data))
		h.Write(c.Data)
	}
	h.Write(r.Structured)
	return h.Sum64()
}

// write keeps "a", "bc" apart from "ab", "c".
func write(h *maphash.Hash, s string) {
	maphash.WriteComparable(h, len(s))
	h.WriteString(s)
}

// nth says which repetition it is.
func nth(n, turns int) string {
	if turns == 1 {
		return fmt.Sprintf("the same call for the %s time in a row", ordinal(n))
	}
	return fmt.Sprintf("the %s time that the same %d calls come in turn", ordinal(n), turns)
}

func ordinal(n int) string {
	suffix := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
