package schema

import (
	"bytes"

	"github.com/toolfall/toolfall/internal/near"
)

// mismatchHint says what may have been meant by a value of the wrong kind.
func (p *pass) mismatchHint(n *node, kind kinds, raw []byte) string {
	switch {
	case kind == kindNull && n.optional:
		return "got null; omit it instead"
	case kind == kindString:
		return stringHint(n, raw)
	case kind == kindObject:
		return "got an object"
	case kind == kindArray:
		return "got an array"
	}
	return "got " + clip(string(raw), 40)
}

// stringHint looks into a string that stands where something else is wanted.
func stringHint(n *node, raw []byte) string {
	inner := unescape(nil, raw[1:len(raw)-1])
	if k, whole := wholeValue(inner); whole && (n.kinds&k != 0 || k == kindNumber && n.kinds&kindInteger != 0) {
		return "you sent a JSON-encoded string; send the value itself"
	}
	return "got the string " + quote(clip(string(inner), 40))
}

// wholeValue reports whether b is one JSON value, and its kind.
func wholeValue(b []byte) (kinds, bool) {
	p := begin(b)
	defer p.end()
	kind := kindAt(p.peek())
	return kind, p.skip() && p.peek() == 0 && p.i == len(p.b)
}

// wrappers are the names under which models send the arguments once more.
var wrappers = [...]string{"arguments", "args", "input", "parameters", "params"}

// missingHint says what a model may have done instead of sending a property.
func (p *pass) missingHint(name string, extra []key, object []byte) string {
	if hint := markupHint(object); hint != "" {
		return hint
	}
	for _, k := range extra {
		sent := string(k.name())
		if len(p.path) == 1 && len(extra) == 1 && isWrapper(sent) {
			return "send the members of " + quote(sent) + " themselves, not inside it"
		}
	}
	for _, k := range extra {
		sent := string(k.name())
		if near.Is(sent, name) {
			return "you sent " + quote(clip(sent, 80)) + ", which is not known: did you mean " + quote(name) + "?"
		}
	}
	return ""
}

func isWrapper(name string) bool {
	for _, w := range wrappers {
		if name == w {
			return true
		}
	}
	return false
}

// markupHint looks for the tags of a call that ended up inside a value and took
// the next parameters with them.
func markupHint(object []byte) string {
	for _, tag := range []string{"<parameter name=", "</parameter>", "</invoke>"} {
		if bytes.Contains(object, []byte(tag)) {
			return "a value has the markup " + quote(tag) + " in it, which may have swallowed this one"
		}
	}
	return ""
}

// nearest returns the only string of the enum that got may stand for.
func (n *node) nearest(got string) (text string) {
	for _, c := range n.enum {
		if c.kind != kindString || !near.Is(got, c.text) {
			continue
		}
		if text != "" {
			return ""
		}
		text = c.text
	}
	return text
}
