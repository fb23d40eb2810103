package cli

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
)

func TestProgressTicksWhileCallsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w strings.Builder
		p := &progress{w: &w, on: true}
		stop := p.start()
		ctx, end := p.begin(t.Context(), "slow\x1b[2J")
		time.Sleep(1500 * time.Millisecond)
		_, other := p.begin(t.Context(), "other")
		toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedProgress, Done: 5, Total: 10, Text: "files\x1b[2J"})
		time.Sleep(time.Second)
		other()
		toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedOutput, Text: "one\ntwo\n"})
		time.Sleep(time.Second)
		end()
		stop()
		got := w.String()
		for _, want := range []string{"running slow", "other, 2s: [##########----------] 5 of 10 files", "1 done, running slow", ": two"} {
			if !strings.Contains(got, want) {
				t.Errorf("drew %q, without %q", got, want)
			}
		}
		if strings.Contains(got, "\x1b[2J") || !strings.HasSuffix(got, "\r\x1b[K") {
			t.Errorf("%q writes a stranger's escapes, or leaves the line", got)
		}
	})
}

func TestProgressStaysOnItsLine(t *testing.T) {
	var w strings.Builder
	p := &progress{w: &w, on: true}
	ctx, end := p.begin(t.Context(), "bash")
	defer end()
	toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedOutput, Text: strings.Repeat("é", 500)})
	p.draw()
	if line := strings.TrimPrefix(w.String(), "\r\x1b[K"); len([]rune(line)) > 79 || !strings.HasSuffix(line, "…") {
		t.Errorf("a line of %d characters: %q", len([]rune(line)), line)
	}
}

func TestProgressThatIsNoNumberDrawsAnEmptyBar(t *testing.T) {
	want := bar(0)
	if got := bar(math.NaN()); got != want {
		t.Errorf("bar(NaN) = %q, want %q", got, want)
	}
}
