package schema

import (
	"bytes"
	"fmt"
)

// text mends the text of arguments that are not strict JSON. What it cannot mend
// it leaves, for the parser to refuse; ok is false where it must not go on.
func (m *mender) text(raw []byte) (fixed []byte, ok bool) {
	b := m.unfence(bytes.TrimSpace(raw))
	s := &textMender{in: b, out: make([]byte, 0, len(b)+8)}
	for s.i < len(s.in) && !s.stopped {
		s.token()
	}
	if s.stopped || len(s.open) > 0 { // what was cut off stays so
		return nil, false
	}
	for _, what := range s.done {
		m.edit("%s", what)
	}
	return s.out, true
}

// unfence takes off a Markdown fence, if there is exactly one and nothing beside it.
func (m *mender) unfence(b []byte) []byte {
	fence := []byte("```")
	inner, ok := bytes.CutPrefix(b, fence)
	if !ok || bytes.Count(b, fence) != 2 {
		return b
	}
	inner, ok = bytes.CutSuffix(inner, fence)
	line, rest, found := bytes.Cut(inner, []byte("\n"))
	if !ok || !found || bytes.ContainsAny(line, "{[\"") {
		return b
	}
	m.edit("stood in a code fence; took it off")
	return bytes.TrimSpace(rest)
}

// textMender copies JSON tokens and mends them on the way.
type textMender struct {
	in, out []byte
	i       int
	open    []byte // the closing brackets that are to come
	rooted  bool   // whether the first value is complete
	stopped bool
	done    []string
}

// note records an edit, once for each kind.
func (s *textMender) note(what string) {
	for _, d := range s.done {
		if d == what {
			return
		}
	}
	s.done = append(s.done, what)
}

// copy takes over n bytes.
func (s *textMender) copy(n int) {
	s.out = append(s.out, s.in[s.i:s.i+n]...)
	s.i += n
}

func (s *textMender) token() {
	c := s.in[s.i]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.copy(1)
	case s.rooted: // only surplus brackets may follow
		if s.stopped = c != '}' && c != ']'; !s.stopped {
			s.note("had surplus closing brackets; dropped them")
			s.i++
		}
	case c == '{' || c == '[':
		s.open = append(s.open, c+2) // { and }, [ and ] are two apart
		s.copy(1)
	case c == '}' || c == ']':
		s.close(c)
	case c == ',':
		s.comma()
	case c == '"' || c == '\'':
		s.quoted(c)
	case wordy(c):
		s.word()
	default:
		s.copy(1)
	}
}

func (s *textMender) close(c byte) {
	if s.stopped = len(s.open) == 0 || s.open[len(s.open)-1] != c; s.stopped {
		return
	}
	s.open = s.open[:len(s.open)-1]
	s.rooted = len(s.open) == 0
	s.copy(1)
}

// comma drops a comma that a closing bracket follows.
func (s *textMender) comma() {
	rest := bytes.TrimLeft(s.in[s.i+1:], " \t\r\n")
	if len(rest) > 0 && (rest[0] == '}' || rest[0] == ']') {
		s.note("had a trailing comma; dropped it")
		s.i++
		return
	}
	s.copy(1)
}

// quoted takes over a string in quotes of either kind, as one in double quotes.
func (s *textMender) quoted(quote byte) {
	if quote == '\'' {
		s.note("had single quotes; made them double")
	}
	s.out = append(s.out, '"')
	for s.i++; s.i < len(s.in); {
		c := s.in[s.i]
		switch {
		case c == quote:
			s.i++
			s.out = append(s.out, '"')
			return
		case c == '\\' && s.i+1 < len(s.in):
			s.escaped(quote)
		case c == '"':
			s.out = append(s.out, '\\', '"')
			s.i++
		case c < 0x20:
			s.note("had raw control characters in a text; escaped them")
			s.out = append(s.out, controlEscape(c)...)
			s.i++
		default:
			s.copy(1)
		}
	}
	s.stopped = true // cut off inside
}

func (s *textMender) escaped(quote byte) {
	if quote == '\'' && s.in[s.i+1] == '\'' {
		s.out = append(s.out, '\'')
		s.i += 2
		return
	}
	s.copy(2)
}

func controlEscape(c byte) string {
	switch c {
	case '\n':
		return `\n`
	case '\t':
		return `\t`
	case '\r':
		return `\r`
	}
	return fmt.Sprintf(`\u%04x`, c)
}

// word takes over a bare word, and those of Python as those of JSON.
func (s *textMender) word() {
	n := 0
	for s.i+n < len(s.in) && (wordy(s.in[s.i+n]) || bytes.IndexByte([]byte("+-."), s.in[s.i+n]) >= 0) {
		n++
	}
	word := string(s.in[s.i : s.i+n])
	python, ok := map[string]string{"True": "true", "False": "false", "None": "null"}[word]
	if !ok {
		s.copy(n)
		return
	}
	s.note("had Python's " + word + "; made it " + python)
	s.out = append(s.out, python...)
	s.i += n
}
