package hook

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/toolfall/toolfall"
)

// folded is what several hooks said, together.
type folded struct {
	answer
	context  []string
	messages []string
}

// fold takes the strictest of what was said, in the order of the hooks.
func fold(hooks []hook, all []said) (f folded) {
	for i, s := range all {
		h := hooks[i]
		if s.err != nil {
			s = failed(h, s)
		}
		if ranks[s.verdict] > ranks[f.verdict] {
			f.verdict, f.reason = s.verdict, s.reason
		}
		f.halt = f.halt || s.halt
		if s.answer.context != "" {
			f.context = append(f.context, s.answer.context)
		}
		if s.message != "" {
			f.messages = append(f.messages, s.message)
		}
		if s.output != "" {
			f.output = s.output
		}
		switch {
		case s.input == nil:
		case f.input != nil && !bytes.Equal(f.input, s.input):
			f.verdict, f.reason = Denied, "two hooks rewrote the input in different ways"
		default:
			f.input = s.input
		}
	}
	return f
}

// failed is what a hook that gave no verdict stands for.
func failed(h hook, s said) said {
	why := fmt.Sprintf("the hook %s gave no verdict (%s: %v)", h.Source, s.failed, s.err)
	switch {
	case !h.Event.guards() || h.OnFailure == Pass:
		return said{}
	case h.OnFailure == Ask:
		return said{answer: answer{verdict: Asked, reason: why}}
	}
	return said{answer: answer{verdict: Denied, reason: why}}
}

// maxNote is the longest text of a hook that a result takes, in bytes.
const maxNote = 10_000

// add appends what hooks have to say to a result.
func (f folded) add(r toolfall.Result) toolfall.Result {
	for _, notes := range [][]string{f.context, f.messages} {
		for _, text := range notes {
			r.Content = append(r.Content[:len(r.Content):len(r.Content)], toolfall.Text(clean(text))...)
		}
	}
	return r
}

// clean bounds a text and drops what is no text in it.
func clean(text string) string {
	if len(text) > maxNote {
		text = strings.ToValidUTF8(text[:maxNote], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.Is(unicode.C, r) {
			return -1
		}
		return r
	}, text)
}
