package shell

import (
	"bytes"
	"strings"
	"unicode/utf8"
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
		cleanLine(&s, overdrawn(line))
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

func cleanLine(s *strings.Builder, line []byte) {
	for i := 0; i < len(line); {
		c := line[i]
		if c == 0x1b {
			i += escape(line[i:])
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		i += size
		if r == '\t' || r >= ' ' && r != 0x7f && (r < 0x80 || r > 0x9f) {
			s.WriteRune(r) // a byte that is not UTF-8 comes as U+FFFD
		}
	}
}

// escape returns the length of the escape sequence that b begins with, after
// ECMA-48: CSI with its parameters, a string such as OSC up to its end, or two
// characters.
func escape(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
		}
		return len(b)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1
			}
			if b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2
			}
		}
		return len(b)
	case '(', ')', '*', '+', '#', '%', ' ':
		return min(3, len(b))
	}
	return 2
}
