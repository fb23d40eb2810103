package command

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraces is how many words braces are expanded to.
const maxBraces = 64

// words makes of words what the shell would, as far as it can be known.
func (s *scanner) words(list []*syntax.Word, at Place) []Word {
	var out []Word
	for _, w := range list {
		for _, one := range s.braces(w) {
			out = append(out, s.word(one, at))
		}
	}
	return out
}

// braces expands a{b,c}. What would be too many words is left as it is, and opaque.
func (s *scanner) braces(w *syntax.Word) []*syntax.Word {
	split := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	syntax.SplitBraces(split)
	n := count(split)
	switch {
	case n == 1:
		return []*syntax.Word{w}
	case n > maxBraces:
		s.opaque("it has braces that become very many words")
		return []*syntax.Word{w}
	}
	var out []*syntax.Word
	for one, err := range expand.BracesSeq(nil, split) {
		if err != nil {
			s.opaque("it has braces that cannot be expanded")
			return []*syntax.Word{w}
		}
		out = append(out, one)
	}
	return out
}

// count is how many words a word's braces make, or too many.
func count(w *syntax.Word) int {
	n := 1
	for _, part := range w.Parts {
		b, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		sum := 0
		if b.Sequence {
			sum = maxBraces + 1
		}
		for _, elem := range b.Elems {
			sum += count(elem)
		}
		if n *= sum; n > maxBraces {
			return maxBraces + 1
		}
	}
	return n
}

// word makes one word.
func (s *scanner) word(w *syntax.Word, at Place) Word {
	var out Word
	var b strings.Builder
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text, glob := literal(p.Value)
			out.Glob = out.Glob || glob
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				text = tilde(text, len(w.Parts) > 1)
			}
			b.WriteString(text)
		case *syntax.SglQuoted:
			if p.Dollar {
				b.WriteString(ansi(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			b.WriteString(s.quoted(p, at))
		case *syntax.ParamExp:
			b.WriteString(s.variable(p, at))
		default:
			b.WriteString(Unknown)
		}
	}
	out.Text = b.String()
	out.Glob = out.Glob && out.Text != "[" // which is a program
	return out
}

// literal removes the backslashes of unquoted text, and reports whether it has
// wildcards.
func literal(text string) (plain string, glob bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			if i++; text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case c == '*', c == '?', c == '[':
			glob = true
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), glob
}

// tilde makes ~ and ~/x start with Home; another user's home is unknown.
func tilde(text string, more bool) string {
	if text == "~" && !more || strings.HasPrefix(text, "~/") {
		return Home + text[1:]
	}
	return Unknown + text
}

// quoted makes text of what stands in double quotes.
func (s *scanner) quoted(q *syntax.DblQuoted, at Place) string {
	if q.Dollar {
		return Unknown // a translation
	}
	var b strings.Builder
	for _, part := range q.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.ParamExp:
			b.WriteString(s.variable(p, at))
		default:
			b.WriteString(Unknown)
		}
	}
	return b.String()
}

// unescape removes the backslashes that count inside double quotes.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// variable is the value of an expansion where it can be known: the home directory.
func (s *scanner) variable(p *syntax.ParamExp, at Place) string {
	plain := p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil && !p.Excl && !p.Length && !p.Width
	if plain && p.Param != nil && p.Param.Value == "HOME" && !s.set["HOME"] {
		return Home
	}
	return Unknown
}

// ansi decodes $'…'.
func ansi(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			i++
			continue
		}
		i += 1 + escape(&b, text[i+1:])
	}
	return b.String()
}

var controls = map[byte]byte{
	'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11,
	'\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// escape decodes what follows a backslash and returns how long it was.
func escape(b *strings.Builder, text string) int {
	c := text[0]
	switch {
	case controls[c] != 0:
		b.WriteByte(controls[c])
		return 1
	case '0' <= c && c <= '7':
		digits := leading(text, 3, "01234567")
		n, _ := strconv.ParseUint(digits, 8, 16)
		put(b, byte(n))
		return len(digits)
	case c == 'x' || c == 'u' || c == 'U':
		digits := leading(text[1:], map[byte]int{'x': 2, 'u': 4, 'U': 8}[c], "0123456789abcdefABCDEF")
		n, err := strconv.ParseUint(digits, 16, 32)
		switch {
		case err != nil:
			b.WriteString("\\" + text[:1])
		case c == 'x':
			put(b, byte(n))
		default:
			b.Write(utf8.AppendRune(nil, rune(n)))
		}
		return 1 + len(digits)
	case c == 'c' && len(text) > 1:
		put(b, text[1]&0x1f)
		return 2
	}
	b.WriteString("\\" + text[:1])
	return 1
}

// put writes a byte that can stand in a word. A zero ends it in bash, which nobody
// should rely on.
func put(b *strings.Builder, c byte) {
	if c <= Home[0] {
		b.WriteString(Unknown)
		return
	}
	b.WriteByte(c)
}

func leading(text string, most int, set string) string {
	n := 0
	for n < len(text) && n < most && strings.IndexByte(set, text[n]) >= 0 {
		n++
	}
	return text[:n]
}
