package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/toolfall/toolfall/internal/escape"
)

// isTerminal reports whether a person reads what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colours reports whether w may be given colours.
func colours(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// width returns how many columns w has, or what is usual.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 80
}

// paint puts text in a colour of the terminal.
func paint(on bool, code, text string) string {
	if !on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// visible returns text that no one vouches for. On a terminal its control and
// format characters, which could move the cursor or turn the direction of the
// text, are shown and do nothing; elsewhere it stays as it is.
func visible(text string, terminal bool) string {
	if !terminal {
		return text
	}
	return escape.Text(text)
}
