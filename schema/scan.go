package schema

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// The scanner reads JSON tokens strictly: RFC 8259, valid UTF-8, and no lone
// surrogates. Its methods report a syntax error by false, with p.syntax set.

// low and high have one bit in each byte: for looking at eight bytes at once.
const (
	low  = 0x0101010101010101
	high = 0x8080808080808080
)

// peek returns the next byte that is not white space, or 0 at the end.
func (p *pass) peek() byte {
	for p.i < len(p.b) {
		c := p.b[p.i]
		if c > ' ' {
			return c
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		p.i++
	}
	return 0
}

// text reads the string at p.i and returns its bytes between the quotes, as they
// stand, and whether there are escapes among them.
func (p *pass) text() (raw []byte, escaped, ok bool) {
	b, i := p.b, p.i+1
	start := i
	var wide uint64 // gathers the high bits of what is passed over
	for {
		i, wide = plain(b, i, wide)
		if i >= len(b) {
			p.i = len(b)
			return nil, false, p.cut("inside a string")
		}
		switch c := b[i]; {
		case c == '"':
			p.i = i + 1
			raw = b[start:i]
			if wide != 0 && !utf8.Valid(raw) {
				p.i = start
				return nil, false, p.fault("the string is not valid UTF-8")
			}
			return raw, escaped, true
		case c == '\\' && i+1 < len(b) && single[b[i+1]] != 0: // most are: spare the call
			i, escaped = i+2, true
		case c == '\\':
			n := p.escape(i)
			if n == 0 {
				return nil, false, false
			}
			i, escaped = i+n, true
		default:
			p.i = i
			return nil, false, p.control(c)
		}
	}
}

// plain passes over the bytes of a string that mean themselves.
func plain(b []byte, i int, wide uint64) (int, uint64) {
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, slash := x^(low*'"'), x^(low*'\\')
		stop := ((quote-low)&^quote | (slash-low)&^slash | (x-low*0x20)&^x) & high
		if stop != 0 {
			n := bits.TrailingZeros64(stop) &^ 7
			return i + n/8, wide | x&high&(1<<n-1)
		}
		wide |= x & high
		i += 8
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 {
		wide |= uint64(b[i]) & 0x80
		i++
	}
	return i, wide
}

// escape returns the length of the escape at i, or 0 after a syntax error.
func (p *pass) escape(i int) int {
	p.i = i
	if i+1 >= len(p.b) {
		p.i = len(p.b)
		p.cut("inside a string")
		return 0
	}
	switch {
	case single[p.b[i+1]] != 0:
		return 2
	case p.b[i+1] == 'u':
		return p.unicode(i)
	}
	p.fault("a backslash in a string must be written twice, or begin one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
	return 0
}

// unicode returns the length of the escape or pair of escapes at i.
func (p *pass) unicode(i int) int {
	r := hex4(p.b, i+2)
	switch {
	case r < 0 && i+6 > len(p.b):
		p.i = len(p.b)
		p.cut("inside a string")
		return 0
	case r < 0:
		p.fault("\\u must be followed by four hexadecimal digits")
		return 0
	case !utf16.IsSurrogate(r):
		return 6
	}
	if i+7 < len(p.b) && p.b[i+6] == '\\' && p.b[i+7] == 'u' &&
		utf16.DecodeRune(r, hex4(p.b, i+8)) != utf8.RuneError {
		return 12
	}
	p.fault("half of a surrogate pair; write the character itself")
	return 0
}

// hex4 reads four hexadecimal digits at i, or returns -1.
func hex4(b []byte, i int) rune {
	if i+4 > len(b) {
		return -1
	}
	r := rune(0)
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return r
}

// unescape appends the meaning of a string that text has read. It copies eight
// bytes at a time while it looks for the next backslash; what is copied too much
// is written over, and the meaning is never longer than the text.
func unescape(dst, raw []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, len(raw))[:start+len(raw)]
	to := dst[start:]
	i, j := 0, 0
	for i < len(raw) {
		if i+8 <= len(raw) {
			x := binary.LittleEndian.Uint64(raw[i:])
			binary.LittleEndian.PutUint64(to[j:], x)
			n := slash(x)
			i, j = i+n, j+n
			if n == 8 {
				continue
			}
		} else if raw[i] != '\\' {
			to[j] = raw[i]
			i, j = i+1, j+1
			continue
		}
		if c := single[raw[i+1]]; c != 0 {
			to[j] = c
			i, j = i+2, j+1
			continue
		}
		n, r := meaning(raw[i:])
		i += n
		j += utf8.EncodeRune(to[j:], r)
	}
	return dst[:start+j]
}

// slash returns the place of the first backslash among eight bytes, or 8.
func slash(x uint64) int {
	x ^= low * '\\'
	return bits.TrailingZeros64((x-low)&^x&high) / 8
}

// meaning returns the length of the \u escapes that b begins with, and what they
// mean.
func meaning(b []byte) (int, rune) {
	r := hex4(b, 2)
	if utf16.IsSurrogate(r) {
		return 12, utf16.DecodeRune(r, hex4(b, 8))
	}
	return 6, r
}

// single is what a backslash and one letter mean.
var single = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// number reads the number at p.i and returns its text. value is what it is when
// simple says that it is an integer of at most 18 digits.
func (p *pass) number() (text []byte, value int64, simple, ok bool) {
	b, i := p.b, p.i
	start := i
	if b[i] == '-' {
		i++
	}
	first := i
	for i < len(b) && b[i]-'0' <= 9 {
		value = value*10 + int64(b[i]-'0')
		i++
	}
	n := i - first
	p.i = i
	switch {
	case n == 0:
		return nil, 0, false, p.unfinished("a digit")
	case n > 1 && b[first] == '0':
		return nil, 0, false, p.fault("a number must not begin with 0")
	}
	simple = n <= 18
	if i < len(b) && b[i] == '.' {
		simple = false
		if !p.digits(i + 1) {
			return nil, 0, false, false
		}
	}
	if i = p.i; i < len(b) && b[i]|0x20 == 'e' {
		simple = false
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !p.digits(i) {
			return nil, 0, false, false
		}
	}
	if b[start] == '-' {
		value = -value
	}
	return b[start:p.i], value, simple, true
}

// digits reads one digit or more.
func (p *pass) digits(i int) bool {
	start := i
	for i < len(p.b) && p.b[i]-'0' <= 9 {
		i++
	}
	p.i = i
	return i > start || p.unfinished("a digit")
}

// literal reads true, false or null.
func (p *pass) literal() bool {
	for _, word := range [...]string{"true", "false", "null"} {
		if end := p.i + len(word); end <= len(p.b) && string(p.b[p.i:end]) == word {
			p.i = end
			return end == len(p.b) || !wordy(p.b[end]) || p.word()
		}
	}
	return p.word()
}
