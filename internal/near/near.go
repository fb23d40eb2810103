// Package near finds what somebody may have meant by a name that nobody knows.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// maxLength is how much of a name is compared, in bytes.
const maxLength = 128

// Names returns up to three of the names that are close to want, the closest
// first: equal but for case and separators, or a few letters off.
func Names(want string, names func(yield func(string) bool)) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	var a, b folded
	a.fold(want)
	limit := 1 + a.n/4
	for name := range names {
		b.fold(name)
		if d := distance(&a, &b, limit); d <= limit {
			found = append(found, candidate{name, d})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	var near []string
	for _, c := range found[:min(3, len(found))] {
		near = append(near, c.name)
	}
	return near
}

// Is reports whether sent is close to name.
func Is(sent, name string) bool {
	if len(sent) > 2*len(name)+4 {
		return false
	}
	var a, b folded
	a.fold(sent)
	b.fold(name)
	limit := b.n / 3
	return distance(&a, &b, limit) <= limit
}

// folded is a name without what models mix up: case and separators.
type folded struct {
	buf [maxLength]byte
	n   int
}

// fold takes in a name, of which it leaves out what is beyond maxLength.
func (f *folded) fold(name string) {
	f.n = 0
	for i := 0; i < len(name) && f.n < maxLength; i++ {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c == ' ':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		f.buf[f.n] = c
		f.n++
	}
}

// distance is the number of single-byte edits between a and b, or more than
// limit when it is more than that.
func distance(a, b *folded, limit int) int {
	if a.n-b.n > limit || b.n-a.n > limit {
		return limit + 1
	}
	var buffer [maxLength + 1]int
	row := buffer[:b.n+1]
	for j := range row {
		row[j] = j
	}
	for i, c := range a.buf[:a.n] {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j, d := range b.buf[:b.n] {
			edit := diagonal
			if c != d {
				edit = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], edit
			least = min(least, edit)
		}
		if least > limit {
			return limit + 1
		}
	}
	return row[b.n]
}
