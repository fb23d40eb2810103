package shell

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/toolfall/toolfall/spill"
)

// output keeps the beginning and the end of what a command prints, in a fixed
// amount of memory, and counts the rest.
type output struct {
	head  []byte // until it is full
	tail  []byte // a ring, once head is full
	next  int    // where the ring goes on
	total int64  // bytes
	lines int64  // newlines among them
	whole string // the name under which all of it was kept, if it was
}

// newOutput keeps up to n bytes.
func newOutput(n int) *output {
	return &output{head: make([]byte, 0, n/2), tail: make([]byte, 0, n-n/2)}
}

// Write takes p in. It never fails.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	o.total += int64(n)
	o.lines += int64(bytes.Count(p, newline))
	room := min(cap(o.head)-len(o.head), n)
	o.head = append(o.head, p[:room]...)
	o.ring(p[room:])
	return n, nil
}

var newline = []byte{'\n'}

// ring appends to the tail, over the oldest of it.
func (o *output) ring(p []byte) {
	size := cap(o.tail)
	if len(p) >= size {
		o.tail = append(o.tail[:0], p[len(p)-size:]...)
		o.next = 0
		return
	}
	room := min(size-len(o.tail), len(p))
	o.tail = append(o.tail, p[:room]...)
	p = p[room:]
	for len(p) > 0 {
		n := copy(o.tail[o.next:], p)
		o.next = (o.next + n) % size
		p = p[n:]
	}
}

// ends returns what was kept: all in head when nothing was lost.
func (o *output) ends() (head, tail []byte, lost int64) {
	tail = append(append([]byte(nil), o.tail[o.next:]...), o.tail[:o.next]...)
	lost = o.total - int64(len(o.head)) - int64(len(tail))
	if lost == 0 {
		return append(o.head[:len(o.head):len(o.head)], tail...), nil, 0
	}
	return o.head, tail, lost
}

// text returns what the model gets: the output, or its two ends with a line
// between them that says how much is missing.
func (o *output) text() (text string, cut bool) {
	head, tail, lost := o.ends()
	if lost == 0 {
		return clean(head), false
	}
	head, tail = wholeLines(head, tail)
	missing := o.total - int64(len(head)) - int64(len(tail))
	lines := o.lines - int64(bytes.Count(head, newline)) - int64(bytes.Count(tail, newline))
	first := strings.TrimSuffix(clean(head), "\n")
	return first + "\n" + spill.Note(missing, lines, o.whole, 1+bytes.Count(head, newline)) + "\n" + clean(tail), true
}

// keepWhole ends w, which has all that was printed, if there is more than is shown.
func (o *output) keepWhole(w *spill.Writer) {
	if _, _, lost := o.ends(); lost > 0 {
		o.whole = w.Keep()
	} else {
		w.Drop()
	}
}

// wholeLines cuts the two ends back to whole lines, or where a line is longer
// than half an end, to whole characters.
func wholeLines(head, tail []byte) ([]byte, []byte) {
	if i := bytes.LastIndexByte(head, '\n'); i >= len(head)/2 {
		head = head[:i+1]
	} else {
		head = head[:len(head)-partial(head)]
	}
	if i := bytes.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		return head, tail[i+1:]
	}
	for n := 0; n < utf8.UTFMax-1 && len(tail) > 0 && !utf8.RuneStart(tail[0]); n++ {
		tail = tail[1:]
	}
	return head, tail
}

// partial returns how many bytes of an unfinished character b ends with.
func partial(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
