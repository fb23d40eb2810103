package cli

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressTicksWhileACallRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w strings.Builder
		p := &progress{w: &w, on: true, since: time.Now()}
		hide := p.show(3, "slow\x1b[2J")
		time.Sleep(2500 * time.Millisecond)
		hide()
		if got := w.String(); strings.Count(got, "2 done, running slow") != 3 || !strings.Contains(got, "2s") || strings.Contains(got, "\x1b[2J") {
			t.Errorf("drew %q", got)
		}
		if !strings.HasSuffix(w.String(), "\r\x1b[K") {
			t.Errorf("%q leaves the line", w.String())
		}
	})
}
