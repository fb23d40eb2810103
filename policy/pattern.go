package policy

import (
	"strings"

	"github.com/toolfall/toolfall/policy/command"
)

// A pattern is matched with the words of a command, which are joined by spaces. A
// space inside a word is another character than the one between words, so no
// argument can pass for two.
type pattern struct {
	text  string // with star for each wildcard
	open  string // the same and any further words
	exact bool   // it has no wildcard
	words bool   // it ends in any number of further words, or none
	first string // the program, where the pattern says it
}

const (
	star  = "\x03" // a wildcard of a pattern
	inner = "\x02" // a space inside a word
)

// compilePattern reads a pattern: * is any text, a last " *" or ":*" any words or
// none, quotes keep words together, and a backslash takes a * as it is.
func compilePattern(text string) *pattern {
	p := &pattern{}
	if rest, ok := strings.CutSuffix(text, ":*"); ok {
		text, p.words = rest, true
	} else if rest, ok := strings.CutSuffix(text, " *"); ok && !strings.HasSuffix(rest, `\`) {
		text, p.words = rest, true
	}
	p.text = words(text)
	p.open = p.text + " " + star
	p.exact = !p.words && !strings.Contains(p.text, star)
	if first, _, _ := strings.Cut(p.text, " "); !strings.ContainsAny(first, star+inner) {
		p.first = first
	}
	return p
}

// words joins the words of a pattern the way those of a command are.
func words(text string) string {
	var b strings.Builder
	quote := byte(0)
	if strings.Count(text, `"`)%2 == 1 || strings.Count(text, `'`)%2 == 1 {
		quote = 1 // an apostrophe, not a quote
	}
	space := true
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && quote != '\'':
			i++
			b.WriteByte(text[i])
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote > 1 && c == quote:
			quote = 0
		case c == '*':
			b.WriteString(star)
		case c == ' ' && quote > 1:
			b.WriteString(inner)
		case c == ' ' && space:
		default:
			b.WriteByte(c)
		}
		space = c == ' ' && quote <= 1
	}
	return strings.TrimSuffix(b.String(), " ")
}

// joined is the form of a command that patterns are matched with.
func joined(argv []command.Word) string {
	var b strings.Builder
	for i, w := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(encode(w))
	}
	return b.String()
}

// encode is a word in a joined command. One with wildcards may become anything.
func encode(w command.Word) string {
	text := w.Text
	switch {
	case w.Glob:
		before, _, _ := strings.Cut(text, "*")
		before, _, _ = strings.Cut(before, "?")
		before, _, _ = strings.Cut(before, "[")
		text = before + command.Unknown
	case text == "":
		return inner // an empty word is a word
	}
	text = strings.ReplaceAll(text, " ", inner)
	return strings.ReplaceAll(text, command.Home, "~")
}

// matches reports whether a joined command is certain to fit.
func (p *pattern) matches(joined string) bool {
	if !p.words {
		return fits(p.text, star, joined)
	}
	return fits(p.text, star, joined) || fits(p.open, star, joined)
}

// may reports whether a joined command fits, or could when it runs.
func (p *pattern) may(joined string) bool {
	if p.matches(joined) {
		return true
	}
	if loose := strings.ReplaceAll(joined, inner, " "); loose != joined && p.matches(loose) {
		return true
	}
	known, _, open := strings.Cut(joined, command.Unknown)
	if !open {
		return false
	}
	literal, _, _ := strings.Cut(p.text, star)
	return strings.HasPrefix(known, literal) || strings.HasPrefix(literal, known)
}
