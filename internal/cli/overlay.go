package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/internal/diff"
	"github.com/toolfall/toolfall/internal/escape"
)

// maxDiffed is the longest file of which a difference is shown, in bytes.
const maxDiffed = 1 << 20

// settle shows what the commands of a call have changed in the overlay, and keeps or
// drops it: as told, as a person says, or else it is dropped.
func (a *app) settle(keep bool) (err error) {
	o := a.overlay
	if o == nil {
		return nil
	}
	defer func() { err = errors.Join(err, o.Drop()) }()
	changes, err := o.Changes()
	if err != nil {
		return err
	}
	for _, c := range changes {
		fmt.Fprintf(a.stderr, "%s %s\n", c.Kind, escape.Line(c.Path))
		if text := difference(o, c); text != "" {
			fmt.Fprint(a.stderr, escape.Text(text))
		}
	}
	switch {
	case len(changes) == 0:
		fmt.Fprintln(a.stderr, "nothing was changed")
		return nil
	case !keep && !a.confirm("keep these changes? [y/n] "):
		fmt.Fprintln(a.stderr, "dropped; --keep keeps them")
		return nil
	}
	if err := o.Keep(); err != nil {
		return err
	}
	fmt.Fprintln(a.stderr, "kept")
	return nil
}

// difference is that of a text which was changed, or nothing.
func difference(o *confine.Overlay, c confine.Change) string {
	if c.Kind != confine.Changed {
		return ""
	}
	after, err := o.Open(c)
	if err != nil {
		return ""
	}
	defer after.Close()
	before, err := os.OpenInRoot(c.Root, filepath.FromSlash(c.Path))
	if err != nil {
		return ""
	}
	defer before.Close()
	old, ok := shortTextOf(before)
	now, ok2 := shortTextOf(after)
	if !ok || !ok2 {
		return ""
	}
	return diff.Unified(c.Path, old, now)
}

// shortTextOf reads a file, if it is text and short.
func shortTextOf(f *os.File) (string, bool) {
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxDiffed+1))
	return string(raw), err == nil && len(raw) <= maxDiffed && utf8.Valid(raw)
}

// confirm asks the person at the terminal. Where there is none, the answer is no.
func (a *app) confirm(question string) bool {
	if !isTerminal(a.stderr) {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	fmt.Fprint(tty, question)
	var word string
	fmt.Fscanln(tty, &word)
	return word == "y" || word == "yes"
}
