package limit

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/toolfall/toolfall"
)

// Loop notices an agent that makes the same calls again and again, with the same results:
// one call, or up to four in turn.
type Loop struct {
	Remind int // at this repetition the model is told; 0 is never
	Refuse int // from this one on calls are refused; 0 is never
}

const (
	maxPeriod  = 4  // calls in turn
	maxRepeats = 16 // of them that are remembered
)

// looper remembers what agents did.
type looper struct {
	Loop
	seed   maphash.Seed // a model cannot make two calls look alike
	agents *agents[history]
}

// history is the last calls of an agent, the oldest first.
type history struct {
	mu    sync.Mutex
	steps []*step
}

// step is a call and its result.
type step struct {
	call, result uint64
	known        bool // the result; until then it is taken to be what it was the last time
}

// like reports whether two steps are the same, as far as is known.
func (s *step) like(o *step) bool {
	return s.call == o.call && (!s.known || !o.known || s.result == o.result)
}

// repeated is a step that a pattern of calls led to.
type repeated struct {
	times  int   // that the pattern has come, with this call
	period int   // how many calls it has
	before *step // the same call in the pattern's last round
}

func newLooper(l Loop) *looper {
	return &looper{Loop: l, seed: maphash.MakeSeed(), agents: newAgents(func() *history { return new(history) })}
}

func (l *looper) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	h := l.agents.get(c.Agent)
	s := &step{call: l.hash(c.Name, string(c.Arguments))}
	rep := h.begin(s, l.Refuse)
	if l.Refuse > 0 && rep.times >= l.Refuse {
		return toolfall.Fail(toolfall.NewError(Looping, fmt.Errorf("refused: %s, with the same result each time. Do something else: other arguments, another tool, or tell the user what stands in the way", made(rep.times-1, rep.period, c.Name))))
	}
	r := next(ctx, c)
	if same := h.end(s, l.hash(toolfall.Code(r), r.Text()), rep.before); same && l.Remind > 0 && rep.times >= l.Remind {
		r.Content = append(slices.Clip(slices.Clone(r.Content)), toolfall.Text(fmt.Sprintf("[note: %s, with the same result each time; from the %s on they are refused]", made(rep.times, rep.period, c.Name), ordinal(l.Refuse)))...)
	}
	return r
}

// made says what was done.
func made(times, period int, name string) string {
	if period <= 1 {
		return fmt.Sprintf("this call of %s was made %d times in a row", name, times)
	}
	return fmt.Sprintf("the same %d calls, %s among them, were made %d times in turn", period, name, times)
}

func ordinal(n int) string {
	if n <= 0 {
		return "next"
	}
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n) + suffix
}

func (l *looper) hash(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(l.seed)
	for _, p := range parts {
		h.WriteString(p)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// begin remembers a step, unless it is the one too many, and returns what led to it. The
// next may begin before its result is known.
func (h *history) begin(s *step, refuse int) (rep repeated) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.steps)
	for p := 1; p <= maxPeriod && p <= n; p++ {
		before := h.steps[n-p]
		if before.call != s.call {
			continue
		}
		if times := (h.streak(p)+1)/p + 1; times > rep.times {
			rep = repeated{times, p, before}
		}
	}
	if refuse > 0 && rep.times >= refuse {
		return rep
	}
	if n == maxPeriod*(maxRepeats+1) {
		h.steps = slices.Delete(h.steps, 0, 1)
	}
	h.steps = append(h.steps, s)
	return rep
}

// end remembers the result of a step, and reports whether it is what it was before.
func (h *history) end(s *step, result uint64, before *step) (same bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.result, s.known = result, true
	return before != nil && s.like(before)
}

// streak is how many of the last steps are the same as those p before them.
func (h *history) streak(p int) (n int) {
	for i := len(h.steps) - 1; i >= p && h.steps[i].like(h.steps[i-p]); i-- {
		n++
	}
	return n
}
