// Package escape shows text that nobody vouches for, so that it can neither command a
// terminal nor look like something else.
package escape

import (
	"fmt"
	"strings"
	"unicode"
)

// Text escapes the characters that could move a cursor, turn the direction of the
// text or stay unseen. Line ends and tabs stay.
func Text(s string) string { return escaped(s, Hostile) }

// Strict is for what a person decides on: of the characters beyond ASCII only
// letters, digits and the marks on them stay as they are, and a tab is shown too.
func Strict(s string) string { return escaped(s, doubtful) }

// Line is Strict, on one line.
func Line(s string) string {
	return escaped(s, func(r rune) bool { return r == '\n' || doubtful(r) })
}

func escaped(s string, bad func(rune) bool) string {
	if !strings.ContainsFunc(s, bad) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !bad(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// Hostile reports whether Text escapes a character.
func Hostile(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.Is(unicode.C, r) || r == '\u2028' || r == '\u2029')
}

// doubtful is decided by what is allowed: letters that are blank, or that Unicode
// says to ignore, are no letters here.
func doubtful(r rune) bool {
	switch {
	case r == '\n' || ' ' <= r && r <= '~':
		return false
	case r < 0xa0 || blank(r):
		return true
	}
	return !unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc)
}

// blank are letters and marks that print nothing (Unicode, Default_Ignorable_Code_Point).
func blank(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0:
		return true
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
