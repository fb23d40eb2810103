package spill

import (
	"strings"
	"unicode/utf8"
)

// Clean returns a text without what a terminal acts on, and what no reader sees: escape
// sequences, control characters but for tabs and ends of lines, and the characters of
// Unicode that only tag others. It is valid UTF-8.
func Clean(text string) string {
	if tame(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		if text[i] == 0x1b {
			i += sequence(text[i:])
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if shown(r) {
			b.WriteRune(r) // a byte that is not UTF-8 comes as U+FFFD
		}
		i += size
	}
	return b.String()
}

// tame reports whether a text is clean as it is.
func tame(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return tameRunes(text[i:])
		}
	}
	return true
}

func tameRunes(text string) bool {
	for i, r := range text {
		if !shown(r) {
			return false
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return false
			}
		}
	}
	return true
}

// shown reports whether a character is for readers. Those from U+E0000 on are tags, with
// which a text can be hidden in another.
func shown(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return true
	case r < ' ', r >= 0x7f && r <= 0x9f, r >= 0xe0000 && r <= 0xe007f:
		return false
	}
	return true
}

// sequence returns the length of the escape sequence that a text begins with, after
// ECMA-48: CSI with its parameters, a string such as OSC up to its end, or two or three
// characters.
func sequence(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	switch text[1] {
	case '[':
		if i := strings.IndexFunc(text[2:], func(r rune) bool { return r >= 0x40 && r <= 0x7e }); i >= 0 {
			return 2 + i + 1
		}
		return len(text)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(text); i++ {
			switch {
			case text[i] == 0x07:
				return i + 1
			case text[i] == 0x1b && i+1 < len(text) && text[i+1] == '\\':
				return i + 2
			}
		}
		return len(text)
	case '(', ')', '*', '+', '#', '%', ' ':
		return min(3, len(text))
	}
	return 2
}
