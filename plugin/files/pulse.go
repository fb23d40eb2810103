package files

import (
	"context"
	"time"

	"github.com/toolfall/toolfall"
)

// pulse tells whoever listens how far a long search is, a few times a second.
type pulse struct {
	ctx  context.Context
	tool string
	next time.Time // when to tell again; zero when nobody listens
}

// everyPulse is how long it says nothing: most searches are over before.
const everyPulse = 250 * time.Millisecond

func newPulse(ctx context.Context, tool string) *pulse {
	p := &pulse{ctx: ctx, tool: tool}
	if toolfall.Heard(ctx) {
		p.next = time.Now().Add(everyPulse)
	}
	return p
}

// beat says how many of them have been looked at. How many there are nobody knows.
func (p *pulse) beat(done int, what string) {
	if p.next.IsZero() {
		return
	}
	if now := time.Now(); now.After(p.next) {
		p.next = now.Add(everyPulse)
		toolfall.Tell(p.ctx, toolfall.Report{Kind: toolfall.ReportedProgress, By: p.tool, Text: what, Done: float64(done)})
	}
}
