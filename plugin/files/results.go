package files

import (
	"fmt"
	"strings"
)

// results gathers the lines of an answer, up to a number and a length.
type results struct {
	limit, maxBytes int
	n               int  // results so far
	more            bool // there was one that did not fit
	out             strings.Builder
}

// add adds one result, unless the answer is full.
func (r *results) add(line string) bool {
	if r.n == r.limit || r.out.Len()+len(line)+1 > r.maxBytes {
		r.more = true
		return false
	}
	r.n++
	r.out.WriteString(line)
	r.out.WriteByte('\n')
	return true
}

// text is the answer, and what one is called of which there are more.
func (r *results) text(one string) string {
	if !r.more {
		return r.out.String()
	}
	return fmt.Sprintf("%s\n[only the first %s: there are more; narrow the search]\n", r.out.String(), plural(r.n, one))
}

// aside adds a line that belongs to a result and is none of its own.
func (r *results) aside(line string) bool {
	if r.out.Len()+len(line)+1 > r.maxBytes {
		r.more = true
		return false
	}
	r.out.WriteString(line)
	r.out.WriteByte('\n')
	return true
}
