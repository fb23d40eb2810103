package cli

import (
	"context"
	"fmt"
	"sync"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/escape"
)

// hearing returns a context in which a person is told, on standard error, why a call takes
// longer than it should: it is tried again, or its tool does not end.
func (a *app) hearing(ctx context.Context) context.Context {
	var mu sync.Mutex // keeps lines whole
	return toolfall.Listen(ctx, func(r toolfall.Report) {
		var line string
		switch r.Kind {
		case toolfall.ReportedStuck:
			line = fmt.Sprintf("%s is %s (%s)", r.By, r.Text, r.Why)
		case toolfall.ReportedAttempt:
			line = fmt.Sprintf("%s is tried again, attempt %v of %v (%s)", r.Text, r.Done, r.Total, r.Why)
		default:
			return
		}
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(a.stderr, "toolfall: %s\n", escape.Line(line))
	})
}
