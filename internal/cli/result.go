package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/internal/escape"
)

// report is a Result as programs read it.
type report struct {
	toolfall.Result
	Code      string          `json:"code,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // what was decided on
	Edits     []string        `json:"edits,omitempty"`
}

func reportOf(r toolfall.Result) report {
	out := report{Result: r, Code: toolfall.Code(r)}
	if r.Record != nil {
		out.Arguments, out.Edits = r.Record.Arguments, r.Record.Edits
	}
	return out
}

// writeJSON writes v on one line, with <, > and & as they are. On a terminal, what
// could move the cursor or turn the text is written as the escape that it has in
// JSON anyway.
func writeJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	text := b.String()
	if isTerminal(w) {
		text = escapeJSON(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// escapeJSON returns the same JSON without the characters that a terminal obeys.
func escapeJSON(text string) string {
	if !strings.ContainsFunc(text, escape.Hostile) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !escape.Hostile(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}

// writeContent writes what a person reads of a Result.
func writeContent(w io.Writer, r toolfall.Result) error {
	terminal := isTerminal(w)
	for _, c := range r.Content {
		text := c.Text
		switch c.Type {
		case toolfall.TypeImage, toolfall.TypeAudio:
			text = fmt.Sprintf("[%s, %s, %d bytes; --json has it]", c.Type, c.MIMEType, len(c.Data))
		case toolfall.TypeResource:
			text = fmt.Sprintf("[%s %s]\n%s", c.Type, c.URI, c.Text)
		}
		text = visible(text, terminal)
		if text != "" && text[len(text)-1] != '\n' {
			text += "\n"
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}

// statusOf is the exit status that a Result stands for.
func statusOf(r toolfall.Result) int {
	switch toolfall.Code(r) {
	case "":
		return exitOK
	case toolfall.UnknownTool:
		return exitUsage
	case toolfall.Denied, toolfall.PlanMode, toolfall.HookBlocked, toolfall.SandboxUnavailable:
		return exitRefused
	}
	return exitTool
}

// exitWith is the error of a command whose worst Result had that status.
func exitWith(status int) error {
	if status == exitOK {
		return nil
	}
	return exit(status)
}
