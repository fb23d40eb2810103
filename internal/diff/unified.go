package diff

import (
	"fmt"
	"strings"
)

const (
	diffContext  = 3   // equal lines shown around a change
	maxDiffLines = 400 // lines of one diff that are shown
	maxDiffLine  = 500 // characters of one line of it
)

// unified writes changes from a to b, which are in order, in the unified format.
func unified(name string, a, b []string, changes []stretch) string {
	if len(changes) == 0 {
		return "(nothing changed)\n"
	}
	w := &diffWriter{a: a, b: b, left: maxDiffLines}
	fmt.Fprintf(&w.out, "--- %s\n+++ %s\n", name, name)
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].a0-changes[n-1].a1 <= 2*diffContext {
			n++
		}
		w.hunk(changes[:n])
		changes = changes[n:]
	}
	if w.left < 0 {
		fmt.Fprintf(&w.out, "[%d lines more in this diff]\n", -w.left)
	}
	return w.out.String()
}

// diffWriter writes the lines of a diff, up to a limit.
type diffWriter struct {
	a, b []string
	out  strings.Builder
	left int // how many lines may still be written; when negative, how many were not
}

// hunk writes changes that are close to each other.
func (w *diffWriter) hunk(cs []stretch) {
	first, last := cs[0], cs[len(cs)-1]
	before := min(diffContext, first.a0)
	after := min(diffContext, len(w.a)-last.a1)
	if w.left > 0 {
		fmt.Fprintf(&w.out, "@@ -%s +%s @@\n",
			span(first.a0-before, last.a1+after), span(first.b0-before, last.b1+after))
	}
	at := first.a0 - before
	for _, c := range cs {
		w.lines(" ", w.a[at:c.a0])
		w.lines("-", w.a[c.a0:c.a1])
		w.lines("+", w.b[c.b0:c.b1])
		at = c.a1
	}
	w.lines(" ", w.a[at:at+after])
}

// span is a range of lines as the header of a hunk tells it: an empty one is
// named by the line before it.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func (w *diffWriter) lines(mark string, lines []string) {
	for _, line := range lines {
		if w.left--; w.left < 0 {
			continue
		}
		text, ended := strings.CutSuffix(line, "\n")
		w.out.WriteString(mark)
		w.out.WriteString(cut(text))
		w.out.WriteByte('\n')
		if !ended {
			w.out.WriteString("\\ No newline at end of file\n")
		}
	}
}

// cut shortens a line.
func cut(line string) string {
	n := 0
	for i := range line {
		if n++; n > maxDiffLine {
			return line[:i] + "… [cut here]"
		}
	}
	return line
}
