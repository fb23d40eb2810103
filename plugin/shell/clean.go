package shell

import (
	"bytes"
	"strings"

	"github.com/toolfall/toolfall/spill"
)

// clean makes text of what a command prints for a terminal: without escape
// sequences and control characters, in valid UTF-8, and with a line that was
// drawn over again and again as it stood in the end.
func clean(b []byte) string {
	if tame(b) {
		return string(b)
	}
	var s strings.Builder
	s.Grow(len(b))
	for len(b) > 0 {
		line, rest, found := bytes.Cut(b, newline)
		s.WriteString(spill.Clean(string(overdrawn(line))))
		if found {
			s.WriteByte('\n')
		}
		b = rest
	}
	return s.String()
}

// tame reports whether b has nothing to clean.
func tame(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c >= 0x80 {
			return false
		}
	}
	return true
}

// overdrawn returns what is seen of a line whose parts begin at its left edge.
func overdrawn(line []byte) []byte {
	line = bytes.TrimRight(line, "\r")
	return line[bytes.LastIndexByte(line, '\r')+1:]
}
