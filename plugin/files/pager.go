package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// pager picks a page of numbered lines out of a text that streams by. It holds
// no more than the page and the beginning of one line.
type pager struct {
	first, limit      int // the line to begin at, and how many
	maxBytes, maxLine int

	out     bytes.Buffer
	line    []byte // the beginning of the line that is being read
	length  int    // of that line, in bytes, so far
	began   bool   // that line has begun
	lines   int    // complete lines so far
	shown   int    // lines in out
	full    bool   // no more lines fit
	byBytes bool   // because of their bytes
	ended   bool   // the text was read to its end

	fault  string // why a line of the page is not text
	faulty int    // which
}

func newPager(c Config, a readArgs) *pager {
	g := &pager{first: max(1, a.Offset), limit: c.MaxLines, maxBytes: c.MaxBytes, maxLine: c.MaxLine}
	if 0 < a.Limit && a.Limit < g.limit {
		g.limit = a.Limit
	}
	return g
}

// scan reads in until the page is full, or to its end if toEnd.
func (g *pager) scan(in *bufio.Reader, toEnd bool) error {
	for !g.full || toEnd {
		fragment, err := in.ReadSlice('\n')
		g.add(fragment)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			if g.began {
				g.endLine()
			}
			g.ended = true
			return nil
		case err != nil:
			return err
		}
		g.endLine()
	}
	return nil
}

// wanted reports whether the line that is being read belongs to the page.
func (g *pager) wanted() bool { return !g.full && g.lines+1 >= g.first }

func (g *pager) add(fragment []byte) {
	if len(fragment) == 0 {
		return
	}
	g.began = true
	if !g.wanted() {
		return
	}
	g.length += len(bytes.TrimSuffix(fragment, []byte("\n")))
	if room := g.maxLine*utf8.UTFMax - len(g.line); room > 0 {
		g.line = append(g.line, fragment[:min(room, len(fragment))]...)
	}
}

func (g *pager) endLine() {
	if g.wanted() {
		g.show()
	}
	g.lines++
	g.line, g.length, g.began = g.line[:0], 0, false
	g.full = g.full || g.shown == g.limit
}

// show puts the line on the page, if it fits.
func (g *pager) show() {
	line := bytes.TrimSuffix(g.line, []byte("\n"))
	cut, more := prefix(line, g.maxLine)
	g.judge(cut)
	entry := fmt.Appendf(nil, "%6d\t%s", g.lines+1, cut)
	if more {
		entry = fmt.Appendf(entry, "… [cut here: this line has %s]", size(int64(g.length)))
	}
	if g.shown > 0 && g.out.Len()+len(entry)+1 > g.maxBytes {
		g.full, g.byBytes = true, true
		return
	}
	g.out.Write(entry)
	g.out.WriteByte('\n')
	g.shown++
}

// judge notes a line that is not text.
func (g *pager) judge(line []byte) {
	switch {
	case g.fault != "":
		return
	case bytes.IndexByte(line, 0) >= 0:
		g.fault = "has a NUL byte"
	case !utf8.Valid(line):
		g.fault = "is not valid UTF-8"
	}
	g.faulty = g.lines + 1
}

// text is the page, and how to go on where it is not the end.
func (g *pager) text(n int64) string {
	last := g.first + g.shown - 1
	if g.ended && last == g.lines {
		return g.out.String()
	}
	total := "a file of " + size(n)
	if g.ended {
		total = strconv.Itoa(g.lines)
	}
	why := ""
	if g.byBytes {
		why = fmt.Sprintf(" (%s are returned at most)", size(int64(g.maxBytes)))
	}
	fmt.Fprintf(&g.out, "\n[lines %d-%d of %s%s; go on with offset %d]\n", g.first, last, total, why, last+1)
	return g.out.String()
}
