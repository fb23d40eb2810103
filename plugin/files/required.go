package files

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// required returns a text that is in everything that the pattern matches: the
// longest that is easy to see, or none. Lines without it need no closer look. A
// folded one is in lower case, and is there in any mixture of cases.
func required(pattern string) (literal string, folded bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	re = re.Simplify()
	literal, other := literalIn(re, false), literalIn(re, true)
	if len(other) > len(literal) {
		return other, true
	}
	return literal, false
}

// literalIn looks for literals, folded or not. It walks a tree whose depth the
// regexp package has limited.
func literalIn(re *syntax.Regexp, folded bool) string {
	switch re.Op {
	case syntax.OpLiteral:
		if folded == (re.Flags&syntax.FoldCase != 0) {
			return certain(re.Rune, folded)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literalIn(re.Sub[0], folded)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literalIn(re.Sub[0], folded)
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if s := literalIn(sub, folded); len(s) > len(best) {
				best = s
			}
		}
		return best
	}
	return ""
}

// certain returns the part of a literal that can only be spelled in one way, or,
// when folded, in ASCII letters of either case. The letters k and s have a third
// case outside ASCII, and U+FFFD also stands for a byte that is not UTF-8.
func certain(literal []rune, folded bool) string {
	if !folded {
		if slices.Contains(literal, utf8.RuneError) {
			return ""
		}
		return string(literal)
	}
	parts := strings.FieldsFunc(strings.ToLower(string(literal)), func(r rune) bool {
		return r == 'k' || r == 's' || r >= utf8.RuneSelf
	})
	best := ""
	for _, part := range parts {
		if len(part) > len(best) {
			best = part
		}
	}
	return best
}
