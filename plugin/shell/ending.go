package shell

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
)

// ending is how a command ended. Its facts do not exclude each other: a command
// can run out of time and exit with 0.
type ending struct {
	confine.Ending
	took     time.Duration
	limit    time.Duration
	timedOut bool
}

// facts is an ending for programs.
type facts struct {
	Exit       *int   `json:"exit,omitempty"`   // unless a signal ended it
	Signal     string `json:"signal,omitempty"` // such as SIGKILL
	TimedOut   bool   `json:"timedOut,omitempty"`
	Truncated  bool   `json:"truncated,omitempty"`
	Strays     int    `json:"strays,omitempty"`
	Bytes      int64  `json:"bytes"`
	DurationMS int64  `json:"durationMs"`
}

// content is what the call returns: for the model the output and, where there is
// more to say than that it went well, a line in brackets; for programs the facts.
func (e ending) content(out *output) ([]toolfall.Content, error) {
	text, cut := out.text()
	f := facts{
		Signal: signalName(e.Signal), TimedOut: e.timedOut, Truncated: cut, Strays: e.Strays,
		Bytes: out.total, DurationMS: e.took.Milliseconds(),
	}
	if f.Signal == "" {
		f.Exit = new(e.Exit)
	}
	var b strings.Builder
	b.WriteString(text)
	for _, note := range e.notes(f, text == "") {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("[" + note + "]")
	}
	return toolfall.JSON(f, toolfall.Text(b.String())...)
}

// notes are what the model is told beside the output.
func (e ending) notes(f facts, silent bool) []string {
	var notes []string
	if e.timedOut {
		notes = append(notes, fmt.Sprintf("timed out after %s and was killed", e.limit))
	}
	switch {
	case f.Signal != "" && !e.timedOut:
		notes = append(notes, "killed by "+f.Signal)
	case f.Exit != nil && *f.Exit != 0:
		notes = append(notes, fmt.Sprintf("exit status %d", *f.Exit))
	case silent && !e.timedOut:
		notes = append(notes, "no output")
	}
	if e.Strays > 0 {
		notes = append(notes, fmt.Sprintf("%d processes were still running and were killed; a command cannot leave anything in the background", e.Strays))
	}
	return notes
}
