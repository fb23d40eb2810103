// Package near finds what somebody may have meant by a name that nobody knows.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// maxLength is the longest name, in bytes, that is compared.
const maxLength = 128

// Names returns up to three of the names that are close to want, the closest
// first: equal but for case and separators, or a few letters off.
func Names(want string, names func(yield func(string) bool)) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	folded := fold(want)
	limit := 1 + len(folded)/4
	for name := range names {
		if d := distance(folded, fold(name), limit); d <= limit {
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
	a, b := fold(sent), fold(name)
	limit := len(b) / 3
	return distance(a, b, limit) <= limit
}

var separators = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

// fold removes what models mix up: case and separators.
func fold(name string) string {
	if len(name) > maxLength {
		return name
	}
	return separators.Replace(strings.ToLower(name))
}

// distance is the number of single-byte edits between a and b, or more than
// limit when it is more than that.
func distance(a, b string, limit int) int {
	if len(a) > maxLength || len(b) > maxLength || len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var buffer [maxLength + 1]int
	row := buffer[:len(b)+1]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			edit := diagonal
			if a[i] != b[j] {
				edit = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], edit
		}
	}
	return row[len(b)]
}
