package cli

import (
	"bytes"
	"testing"

	"github.com/toolfall/toolfall"
)

func TestWhyACallTakesLongIsToldWithoutCommandingTheTerminal(t *testing.T) {
	var told bytes.Buffer
	ctx := (&app{stderr: &told}).hearing(t.Context())
	toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedProgress, Text: "not this"})
	toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedStuck, By: "fetch", Text: "still running 5s after it was told to end", Why: "the user left"})
	toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedAttempt, Text: "fetch", Done: 2, Total: 3, Why: "\x1b[2Jgone\n"})
	want := "toolfall: fetch is still running 5s after it was told to end (the user left)\n" +
		`toolfall: fetch is tried again, attempt 2 of 3 (\u{1b}[2Jgone\n)` + "\n"
	if told.String() != want {
		t.Errorf("told\n%s", told.String())
	}
}
