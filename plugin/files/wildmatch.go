package files

import "strings"

// matchPart matches one part of a path with a pattern as git does: "*" is any
// bytes, "?" is one, "[a-z]" is one of a set, and a backslash takes the next
// byte as it is. Like matchParts it goes back to the latest "*" alone.
func matchPart(pattern, s string) bool {
	p, i := 0, 0
	retry, taken := -1, 0
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			p++
			retry, taken = p, i
			continue
		}
		if width, ok := matchByte(pattern[p:], s[i]); ok {
			p += width
			i++
			continue
		}
		if retry < 0 {
			return false
		}
		taken++
		p, i = retry, taken
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matchByte matches c with the first element of a pattern, and tells how long
// that element is.
func matchByte(pattern string, c byte) (width int, ok bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '[':
		return matchSet(pattern, c)
	case '\\':
		if len(pattern) < 2 {
			return 0, false
		}
		return 2, pattern[1] == c
	}
	return 1, pattern[0] == c
}

// matchSet matches c with a set in brackets: bytes, ranges, and classes such as
// [:digit:]. A set that is not closed, or names an unknown class, matches nothing.
func matchSet(pattern string, c byte) (width int, ok bool) {
	rest := pattern[1:]
	rest, negated := cutNegation(rest)
	found := false
	low := -1 // the byte before, with which a range may begin
	for first := true; ; first = false {
		switch {
		case rest == "":
			return 0, false
		case rest[0] == ']' && !first:
			return len(pattern) - len(rest) + 1, found != negated
		case rest[0] == '-' && low >= 0 && len(rest) > 1 && rest[1] != ']':
			var high byte
			if high, rest, ok = setByte(rest[1:]); !ok {
				return 0, false
			}
			found = found || low <= int(c) && c <= high
			low = -1
			continue
		}
		if name, after, isClass := cutClass(rest); isClass {
			in, known := inClass(name, c)
			if !known {
				return 0, false
			}
			found, rest, low = found || in, after, -1
			continue
		}
		var b byte
		if b, rest, ok = setByte(rest); !ok {
			return 0, false
		}
		found, low = found || b == c, int(b)
	}
}

func cutNegation(set string) (rest string, negated bool) {
	if set != "" && (set[0] == '!' || set[0] == '^') {
		return set[1:], true
	}
	return set, false
}

// setByte reads one byte of a set, which a backslash may keep from being special.
func setByte(set string) (b byte, rest string, ok bool) {
	if set[0] == '\\' {
		set = set[1:]
	}
	if set == "" {
		return 0, "", false
	}
	return set[0], set[1:], true
}

// cutClass reads a class like [:alpha:] from the front of a set.
func cutClass(set string) (name, rest string, ok bool) {
	inside, ok := strings.CutPrefix(set, "[:")
	if !ok {
		return "", set, false
	}
	inside, rest, _ = strings.Cut(inside, "]")
	name, ok = strings.CutSuffix(inside, ":")
	return name, rest, ok
}

// inClass reports whether c is in the class of that name, and whether there is one.
func inClass(name string, c byte) (in, known bool) {
	lower, upper := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z'
	digit, graph := '0' <= c && c <= '9', '!' <= c && c <= '~'
	switch name {
	case "alpha":
		return lower || upper, true
	case "lower":
		return lower, true
	case "upper":
		return upper, true
	case "digit":
		return digit, true
	case "alnum":
		return lower || upper || digit, true
	case "xdigit":
		return digit || 'a' <= c|0x20 && c|0x20 <= 'f', true
	case "blank":
		return c == ' ' || c == '\t', true
	case "space":
		return c == ' ' || '\t' <= c && c <= '\r', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "print":
		return graph || c == ' ', true
	case "graph":
		return graph, true
	case "punct":
		return graph && !lower && !upper && !digit, true
	}
	return false, false
}
