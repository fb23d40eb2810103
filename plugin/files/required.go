package files

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// required returns a text that is in everything that the pattern matches: the
// longest that is easy to see, or none. Lines without it need no closer look.
func required(pattern string) []byte {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	return []byte(literalIn(re.Simplify()))
}

// literalIn walks a tree whose depth the regexp package has limited.
func literalIn(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		broken := slices.Contains(re.Rune, utf8.RuneError) // also stands for a byte that is not UTF-8
		if re.Flags&syntax.FoldCase == 0 && !broken {
			return string(re.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literalIn(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literalIn(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if s := literalIn(sub); len(s) > len(best) {
				best = s
			}
		}
		return best
	}
	return ""
}
