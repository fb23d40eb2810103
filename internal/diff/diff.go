// Package diff tells what changed between two texts.
package diff

import (
	"slices"
	"strings"
)

// maxDepth is how often a stretch is split at its unique lines.
const maxDepth = 12

// Unified returns what changed from a to b, in the unified format, cut when it is
// long. Lines that are unique on both sides are matched first, in the longest
// order they have in common, and then what lies between them in the same way. So
// the work grows with the length of the texts and its logarithm, whatever they
// hold; the diff is right, but in repetitive texts not always the shortest.
func Unified(name, a, b string) string {
	d := differ{a: splitLines(a), b: splitLines(b)}
	d.match(stretch{0, len(d.a), 0, len(d.b)}, maxDepth)
	return unified(name, d.a, d.b, d.changes())
}

// splitLines splits s after every newline.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// pair says that line a of the old text is line b of the new one.
type pair struct{ a, b int }

// stretch is a range of lines in the old text beside one in the new.
type stretch struct{ a0, a1, b0, b1 int }

// differ finds the lines that two texts have in common.
type differ struct {
	a, b    []string
	matched []pair // in order
}

// match appends the matches of a stretch. It splits the stretch at most depth
// times, so the recursion is bounded.
func (d *differ) match(s stretch, depth int) {
	for s.a0 < s.a1 && s.b0 < s.b1 && d.a[s.a0] == d.b[s.b0] {
		d.matched = append(d.matched, pair{s.a0, s.b0})
		s.a0++
		s.b0++
	}
	end := s
	for s.a0 < s.a1 && s.b0 < s.b1 && d.a[s.a1-1] == d.b[s.b1-1] {
		s.a1--
		s.b1--
	}
	if depth > 0 && s.a0 < s.a1 && s.b0 < s.b1 {
		d.split(s, depth)
	}
	for i := range end.a1 - s.a1 {
		d.matched = append(d.matched, pair{s.a1 + i, s.b1 + i})
	}
}

// split matches what lies between the anchors of a stretch, and the anchors.
func (d *differ) split(s stretch, depth int) {
	anchors := increasing(d.unique(s))
	for _, p := range anchors {
		d.match(stretch{s.a0, p.a, s.b0, p.b}, depth-1)
		d.matched = append(d.matched, p)
		s.a0, s.b0 = p.a+1, p.b+1
	}
	if len(anchors) > 0 {
		d.match(s, depth-1)
	}
}

// unique returns the lines that are once in either side of a stretch, in the
// order of the old text.
func (d *differ) unique(s stretch) []pair {
	type seen struct{ inA, inB, a, b int }
	lines := make(map[string]seen)
	for i := s.a0; i < s.a1; i++ {
		n := lines[d.a[i]]
		lines[d.a[i]] = seen{inA: n.inA + 1, a: i}
	}
	for i := s.b0; i < s.b1; i++ {
		if n, ok := lines[d.b[i]]; ok {
			n.inB, n.b = n.inB+1, i
			lines[d.b[i]] = n
		}
	}
	var pairs []pair
	for i := s.a0; i < s.a1; i++ {
		if n := lines[d.a[i]]; n.inA == 1 && n.inB == 1 {
			pairs = append(pairs, pair{n.a, n.b})
		}
	}
	return pairs
}

// increasing returns the longest part of pairs, which are in the order of the old
// text, that is in the order of the new text too.
func increasing(pairs []pair) []pair {
	var ends []int // ends[k] is the pair with the smallest b that ends k+1 pairs in order
	before := make([]int, len(pairs))
	for i, p := range pairs {
		k, _ := slices.BinarySearchFunc(ends, p.b, func(end, b int) int { return pairs[end].b - b })
		before[i] = -1
		if k > 0 {
			before[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		}
		ends[k] = i
	}
	out := make([]pair, len(ends))
	if len(ends) > 0 {
		for k, i := len(ends)-1, ends[len(ends)-1]; k >= 0; k, i = k-1, before[i] {
			out[k] = pairs[i]
		}
	}
	return out
}

// changes returns what lies between the matches.
func (d *differ) changes() []stretch {
	var cs []stretch
	at := pair{}
	for _, p := range append(d.matched, pair{len(d.a), len(d.b)}) {
		if at != p {
			cs = append(cs, stretch{at.a, p.a, at.b, p.b})
		}
		at = pair{p.a + 1, p.b + 1}
	}
	return cs
}
