package journal

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// How much of a record is kept, in bytes, and of its lists in items.
const (
	maxArguments = 64 << 10
	maxContent   = 8 << 10
	maxText      = 2 << 10
	maxItems     = 64

	// slack is how much more waits until its secrets are masked: a secret that the cut
	// goes through would not be known as one.
	slack = 4 << 10
)

// bounded returns the record in bounded memory of its own, except for the arguments,
// which nobody changes.
func (r Record) bounded() Record {
	if r.Bytes == 0 {
		r.Bytes = len(r.Content)
	}
	r.Content = headAndTail(r.Content, maxContent+2*slack)
	for _, s := range []*string{&r.Tool, &r.Agent, &r.Model, &r.Parent, &r.By, &r.Text, &r.Rule, &r.Code, &r.Spill} {
		if len(*s) > maxText+slack {
			*s = clip(*s, maxText+slack)
		}
	}
	r.Stages = slices.Clone(r.Stages[:min(len(r.Stages), maxItems)])
	r.Edits = slices.Clone(r.Edits[:min(len(r.Edits), maxItems)])
	for i, e := range r.Edits {
		r.Edits[i] = clip(e, maxText)
	}
	return r
}

// clip returns the start of s, as far as it is valid and in most bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.Clone(s[:end]) + "…"
}

// headAndTail returns the start and the end of a text that is longer than most bytes,
// and says between them that there was more.
func headAndTail(s string, most int) string {
	if len(s) <= most {
		return s
	}
	room := most - 64 // for the line between them
	head, tail := room/2, len(s)-room/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + "\n[… the middle is left out …]\n" + s[tail:]
}
