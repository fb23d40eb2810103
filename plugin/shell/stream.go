package shell

import (
	"context"
	"io"
	"time"

	"github.com/toolfall/toolfall"
)

// stream tells whoever listens what a command prints, a few times a second.
type stream struct {
	ctx  context.Context
	next time.Time
}

// everyTold is how often it tells, and maxTold how much each time: the last of what came.
const (
	everyTold = 200 * time.Millisecond
	maxTold   = 4 << 10
)

func newStream(ctx context.Context) io.Writer {
	if !toolfall.Heard(ctx) {
		return io.Discard
	}
	return &stream{ctx: ctx}
}

// Write tells the end of p, unless it has just told something.
func (s *stream) Write(p []byte) (int, error) {
	if now := time.Now(); now.After(s.next) && len(p) > 0 {
		s.next = now.Add(everyTold)
		toolfall.Tell(s.ctx, toolfall.Report{Kind: toolfall.ReportedOutput, By: "bash", Text: clean(p[max(0, len(p)-maxTold):])})
	}
	return len(p), nil
}
