package spill

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// waterLevel returns the size to which blocks of these sizes must be cut so that
// together they have no more than the budget, or -1 if they have no more as they are.
func waterLevel(sizes []int, budget int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		left := len(sorted) - i
		if size*left > budget {
			return budget / left
		}
		budget -= size
	}
	return -1
}

// cut returns the beginning and the end of a text, within the size, and between them a
// line that says what is missing, and how to read it if the whole was kept under a name.
// The text begins at a line of the whole.
func cut(text string, size int, id string, line int) string {
	room := size - noteRoom
	if room < 0 {
		room = size
	}
	head, tail := Ends(text, room/2, room-room/2)
	left := len(text) - len(head) - len(tail)
	gap := line + strings.Count(head, "\n")
	lines := strings.Count(text, "\n") - strings.Count(head, "\n") - strings.Count(tail, "\n")
	return strings.TrimSuffix(head, "\n") + "\n" + Note(int64(left), int64(lines), id, gap) + "\n" + tail
}

// noteRoom is what a note takes at the most.
const noteRoom = 160

// Note is the line that stands for what was left out. The name is that under which the
// whole was kept, and line the first that is missing; without a name it cannot be read.
func Note(bytes, lines int64, id string, line int) string {
	if id == "" {
		return fmt.Sprintf("[… %d bytes, %d lines left out …]", bytes, lines)
	}
	return fmt.Sprintf(`[… %d bytes, %d lines left out; read_output {"id":"%s","offset":%d} reads on …]`, bytes, lines, id, line)
}

// Ends returns the beginning and the end of a text, of so many bytes at the most. They
// end and begin with whole lines, or where a line is longer than half of an end, with
// whole characters.
func Ends(text string, head, tail int) (first, last string) {
	if len(text) <= head+tail {
		return text, ""
	}
	first, last = text[:head], text[len(text)-tail:]
	if i := strings.LastIndexByte(first, '\n'); i >= head/2 {
		first = first[:i+1]
	} else {
		first = wholeEnd(first)
	}
	if i := strings.IndexByte(last, '\n'); i >= 0 && i < tail/2 {
		return first, last[i+1:]
	}
	for n := 0; n < utf8.UTFMax-1 && len(last) > 0 && !utf8.RuneStart(last[0]); n++ {
		last = last[1:]
	}
	return first, last
}

// wholeEnd takes the beginning of a character off the end of a text.
func wholeEnd(text string) string {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		rest := text[len(text)-n:]
		if utf8.RuneStart(rest[0]) {
			if !utf8.FullRuneInString(rest) {
				return text[:len(text)-n]
			}
			return text
		}
	}
	return text
}
