package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An ArgsError lists everything that is wrong with a set of arguments. Its text
// is written for the model, which reads it and tries again.
type ArgsError struct {
	Violations []Violation // depth-first, in the order of the declaration
	More       int         // how many there are beyond those
}

// A Violation is one fault.
type Violation struct {
	Path    string `json:"path"`           // such as servers[1].host; empty at the top
	Problem string `json:"problem"`        // a whole sentence, with the path in quotes
	Hint    string `json:"hint,omitempty"` // what may have been meant
}

// maxText is the longest text of an error, in bytes; maxKept is how many
// violations are kept, and maxFound how many are sorted to choose them.
const (
	maxText  = 2048
	maxKept  = 20
	maxFound = 256
)

// Code returns INVALID_ARGS.
func (e *ArgsError) Code() string { return "INVALID_ARGS" }

// Error tells the violations, in at most 2 KB.
func (e *ArgsError) Error() string {
	var b strings.Builder
	b.WriteString("invalid arguments: ")
	told := 0
	for i, v := range e.Violations {
		text := v.String()
		if i > 0 && b.Len()+len(text) > maxText-40 {
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(clip(text, maxText-40))
		told++
	}
	if rest := len(e.Violations) - told + e.More; rest > 0 {
		fmt.Fprintf(&b, "; and %d more", rest)
	}
	return b.String()
}

// String returns the sentence, with the hint in parentheses.
func (v Violation) String() string {
	if v.Hint == "" {
		return v.Problem
	}
	return v.Problem + " (" + v.Hint + ")"
}

// fault is a violation and its place in the declaration.
type fault struct {
	Violation
	order []int
}

// violation records that the value at the present path "must be" something.
func (p *pass) violation(predicate, hint string) {
	path := p.render(p.path)
	subject := path
	if path == "" {
		subject = "arguments"
	}
	p.record(Violation{Path: path, Problem: quote(subject) + " " + predicate, Hint: hint})
}

// record keeps a violation at the present path.
func (p *pass) record(v Violation) {
	p.storing = false
	p.total++
	if len(p.faults) >= maxFound {
		return
	}
	order := make([]int, len(p.path))
	for i, s := range p.path {
		order[i] = s.order
	}
	p.faults = append(p.faults, fault{v, order})
}

// argsError returns what was found, in the order of the declaration.
func (p *pass) argsError() *ArgsError {
	slices.SortStableFunc(p.faults, func(a, b fault) int { return slices.Compare(a.order, b.order) })
	kept := p.faults[:min(len(p.faults), maxKept)]
	e := &ArgsError{Violations: make([]Violation, len(kept)), More: p.total - len(kept)}
	for i, f := range kept {
		e.Violations[i] = f.Violation
	}
	return e
}

// violate records that n wants another kind of value than a number.
func (p *pass) violate(n *node, text []byte) {
	p.violation("must be "+n.wanted, "got the number "+clip(string(text), 40))
}

// mismatch records that n wants another kind of value, and reads over this one.
func (p *pass) mismatch(n *node, kind kinds) bool {
	start := p.i
	if !p.skip() {
		return false
	}
	p.violation("must be "+n.wanted, p.mismatchHint(n, kind, p.b[start:p.i]))
	return true
}

// outside records that a value is not in the enum of n.
func (p *pass) outside(n *node, got string) bool {
	hint := "got " + quote(clip(got, 40))
	if meant := n.nearest(got); meant != "" {
		hint = "did you mean " + quote(meant) + "?"
	}
	p.violation("must be one of "+n.listed, hint)
	return true
}

// absent records the required properties that an object lacks.
func (p *pass) absent(n *node, m members, start int) {
	for w, needed := range n.needed {
		missing := needed &^ p.bits[m.bits+w]
		for i := w * 64; missing != 0; i, missing = i+1, missing>>1 {
			if missing&1 != 0 {
				p.missing(n, i, m, p.b[start:p.i])
			}
		}
	}
}

func (p *pass) missing(n *node, i int, m members, object []byte) {
	f := n.props[i]
	p.path = append(p.path, step{order: i, field: &n.props[i]})
	path := p.render(p.path)
	hint := p.missingHint(f.name, p.keys[m.keys:], object)
	p.record(Violation{Path: path, Problem: "missing required property " + quote(path), Hint: hint})
	p.path = p.path[:len(p.path)-1]
}

// render writes a path: a.b, servers[1].host, m[0][1].
func (p *pass) render(path []step) string {
	if len(path) == 1 && path[0].field != nil {
		return path[0].field.name
	}
	var b strings.Builder
	for i, s := range path {
		switch {
		case s.field != nil:
			dot(&b, i)
			b.WriteString(s.field.name)
		case s.key > 0:
			dot(&b, i)
			b.WriteString(clip(p.nameAt(s.key), 80))
		default:
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.order))
			b.WriteByte(']')
		}
	}
	return b.String()
}

func dot(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteByte('.')
	}
}

// nameAt reads again the member name at i.
func (p *pass) nameAt(i int) string {
	again := pass{b: p.b, i: i}
	raw, _, _ := again.text()
	return string(unescape(nil, raw))
}
