package secret

import "strings"

// Mask stands where a secret was.
const Mask = "[redacted]"

// Text returns s with a mask for each secret that shows itself: what is assigned to a
// name that [Name] knows, what follows such a flag or the word Bearer or Basic, the
// password in a URL, a private key, and the tokens of well-known services. It reads the
// text once and takes time in proportion to its length.
func Text(s string) string {
	m := masker{in: s}
	for i := 0; i < len(s); {
		from, to := m.secretAt(i)
		if to <= from {
			i++
			continue
		}
		m.mask(from, to)
		i = to
	}
	return m.text()
}

// masker puts masks into a text. Where there is nothing to mask, it copies nothing.
type masker struct {
	in   string
	out  strings.Builder
	done int // how much of in has gone to out
}

func (m *masker) mask(from, to int) {
	m.out.WriteString(m.in[m.done:from])
	m.out.WriteString(Mask)
	m.done = to
}

func (m *masker) text() string {
	if m.done == 0 {
		return m.in
	}
	m.out.WriteString(m.in[m.done:])
	return m.out.String()
}

// secretAt returns where the secret stands that the byte at i tells of, or nothing.
func (m *masker) secretAt(i int) (from, to int) {
	s := m.in
	switch c := s[i]; {
	case c == '=' || c == ':':
		if name := nameBefore(s, i, m.done); Name(name) {
			return valueAfter(s, i)
		}
		if c == ':' && strings.HasPrefix(s[i:], "://") {
			return passwordIn(s, i+3)
		}
	case i > 0 && (wordByte(s[i-1]) || s[i-1] == '-' && c != '-'):
	case c == '-':
		return dashed(s, i)
	case wordByte(c):
		if n := knownToken(s[i:]); n > 0 {
			return i, i + n
		}
		return credentials(s, i)
	}
	return 0, 0
}

// longestName is how far a name is looked for before its sign.
const longestName = 64

// nameBefore returns the name that stands before the sign at i, and not before floor.
func nameBefore(s string, i, floor int) string {
	end := i
	for end > floor && i-end < 3 && !wordByte(s[end-1]) && strings.IndexByte(" \"'`\\", s[end-1]) >= 0 {
		end--
	}
	start := end
	for start > floor && end-start < longestName && (wordByte(s[start-1]) || s[start-1] == '-' || s[start-1] == '.') {
		start--
	}
	return s[start:end]
}

// valueAfter returns where the value stands that follows the sign at i. A reference to
// a variable is no value.
func valueAfter(s string, i int) (from, to int) {
	for i < len(s) && strings.IndexByte(":= \t\"'`\\", s[i]) >= 0 {
		i++
	}
	quote := byte(0)
	if q := s[i-1]; q == '"' || q == '\'' || q == '`' {
		quote = q
	}
	if n := scheme(s[i:]); n > 0 {
		i += n
	}
	end := valueEnd(s, i, quote)
	if end == i || s[i] == '$' || strings.HasPrefix(s[i:], Mask) {
		return 0, 0
	}
	return i, end
}

// valueEnd returns where a value ends: at its quote, or at what cannot be part of it.
func valueEnd(s string, i int, quote byte) int {
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\n' || c == '\r' || quote != 0 && c == quote:
			return i
		case quote != 0 && c == '\\' && i+1 < len(s) && s[i+1] == quote:
			if i++; i+1 < len(s) && strings.IndexByte(",}] \n\t", s[i+1]) >= 0 {
				return i - 1 // the end of a quote in a quote
			}
		case quote == 0 && strings.IndexByte(" \t\"'`&,;)}]>|", c) >= 0:
			return i
		}
	}
	return i
}

// scheme returns the length of the name of an authentication scheme and the spaces
// after it.
func scheme(s string) int {
	for _, name := range []string{"bearer", "basic", "token"} {
		if len(s) > len(name) && s[len(name)] == ' ' && strings.EqualFold(s[:len(name)], name) {
			return len(s) - len(strings.TrimLeft(s[len(name):], " "))
		}
	}
	return 0
}

// credentials returns where the token after the word Bearer or Basic stands, if it does
// not look like a word.
func credentials(s string, i int) (from, to int) {
	if s[i]|0x20 != 'b' {
		return 0, 0
	}
	from = i + scheme(s[i:])
	if from == i {
		return 0, 0
	}
	n := run(s[from:], tokenByte)
	if n < 8 || !random(s[from:from+n]) {
		return 0, 0
	}
	return from, from + n
}

// random reports whether a token has a digit, or a capital after a small letter.
func random(token string) bool {
	for i := range len(token) {
		c := token[i]
		if '0' <= c && c <= '9' || i > 0 && 'A' <= c && c <= 'Z' && 'a' <= token[i-1] && token[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// dashed returns where the private key stands that begins at i, or the value of a flag.
func dashed(s string, i int) (from, to int) {
	rest := s[i:]
	if strings.HasPrefix(rest, "-----BEGIN ") {
		return i, i + privateKey(rest)
	}
	start := i + run(rest, func(c byte) bool { return c == '-' })
	end := start + run(s[start:min(len(s), start+longestName)], func(c byte) bool { return wordByte(c) || c == '-' })
	if end == len(s) || s[end] != ' ' || !Name(s[start:end]) {
		return 0, 0
	}
	from, to = valueAfter(s, end)
	if to > from && s[from] == '-' { // the next flag
		return 0, 0
	}
	return from, to
}

// privateKey returns the length of the private key that s begins with. One whose end
// is missing goes on to the end of the text.
func privateKey(s string) int {
	head, _, ok := strings.Cut(s[len("-----BEGIN "):min(len(s), 80)], "-----")
	if !ok || !strings.HasSuffix(head, "PRIVATE KEY") && !strings.HasSuffix(head, "PRIVATE KEY BLOCK") {
		return 0
	}
	end := "-----END " + head + "-----"
	if n := strings.Index(s, end); n >= 0 {
		return n + len(end)
	}
	return len(s)
}

// passwordIn returns where the password stands in what follows the :// of a URL.
func passwordIn(s string, i int) (from, to int) {
	end := i + run(s[i:], func(c byte) bool { return strings.IndexByte(" \t\n\r\"'`/?#<>", c) < 0 })
	at := strings.LastIndexByte(s[i:end], '@')
	colon := strings.IndexByte(s[i:end], ':')
	if at < 0 || colon < 0 || colon > at || s[i+colon+1] == '$' {
		return 0, 0
	}
	return i + colon + 1, i + at
}

// run returns how many bytes at the start of s are of a kind.
func run(s string, kind func(byte) bool) int {
	for i := range len(s) {
		if !kind(s[i]) {
			return i
		}
	}
	return len(s)
}

func wordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

func tokenByte(c byte) bool { return wordByte(c) || strings.IndexByte("-._~+/=", c) >= 0 }
