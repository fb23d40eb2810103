package files

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
)

func TestALongSearchTellsHowFarItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []toolfall.Report
		p := newPulse(toolfall.Listen(t.Context(), func(r toolfall.Report) { heard = append(heard, r) }), "grep")
		for i := range 1000 {
			p.beat(i, "files searched")
			time.Sleep(time.Millisecond)
		}
		if len(heard) != 3 || heard[0].Done != 251 || heard[0].Text != "files searched" || heard[0].By != "grep" {
			t.Errorf("heard %+v", heard)
		}
		newPulse(t.Context(), "grep").beat(1, "") // nobody listens
	})
}
