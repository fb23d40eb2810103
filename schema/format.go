package schema

import (
	"bytes"
	"time"
)

// format is a format that strings are checked for.
type format struct {
	name   string
	wanted string // for violations
	fits   func([]byte) bool
}

// formatOf returns the format of that name, or nil when we do not check it.
func formatOf(name string) *format {
	switch name {
	case "date-time":
		return &format{name, "a date-time such as 2026-01-31T12:00:00Z", isDateTime}
	case "uri":
		return &format{name, "a URI with its scheme, such as https://example.com/a", isURI}
	case "email":
		return &format{name, "an email address such as ada@example.com", isEmail}
	case "uuid":
		return &format{name, "a UUID such as 123e4567-e89b-12d3-a456-426614174000", isUUID}
	}
	return nil
}

// isDateTime checks for RFC 3339 as time.Time reads it.
func isDateTime(s []byte) bool {
	var t time.Time
	return t.UnmarshalText(s) == nil
}

// isURI checks for a scheme, something behind it, and the characters of RFC 3986.
func isURI(s []byte) bool {
	scheme, rest, ok := bytes.Cut(s, []byte(":"))
	if !ok || len(scheme) == 0 || len(rest) == 0 || !letter(scheme[0]) {
		return false
	}
	for _, c := range scheme {
		if !letter(c) && !digit(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '%' && hex2(rest[i+1:]):
			i += 2
		case letter(c) || digit(c) || bytes.IndexByte([]byte("-._~:/?#[]@!$&'()*+,;="), c) >= 0:
		default:
			return false
		}
	}
	return true
}

// isEmail checks for one @ between a local part and a domain of labels.
func isEmail(s []byte) bool {
	local, domain, ok := bytes.Cut(s, []byte("@"))
	if !ok || len(local) == 0 || len(local) > 64 || len(domain) > 253 || !dotted(local, "!#$%&'*+-/=?^_`{|}~") {
		return false
	}
	for _, label := range bytes.Split(domain, []byte(".")) {
		if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return dotted(domain, "-")
}

// dotted reports whether s is words of letters, digits and extra, with single
// dots between them.
func dotted(s []byte, extra string) bool {
	for _, word := range bytes.Split(s, []byte(".")) {
		if len(word) == 0 {
			return false
		}
		for _, c := range word {
			if !letter(c) && !digit(c) && bytes.IndexByte([]byte(extra), c) < 0 {
				return false
			}
		}
	}
	return true
}

// isUUID checks for 8-4-4-4-12 hexadecimal digits.
func isUUID(s []byte) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range s {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !digit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

func hex2(s []byte) bool {
	return len(s) >= 2 && hex4([]byte{'0', '0', s[0], s[1]}, 0) >= 0
}
