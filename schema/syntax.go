package schema

import (
	"bytes"
	"fmt"
	"strings"
)

// A SyntaxError says that arguments are not strict JSON. Its text is written for
// the model, which reads it and tries again.
type SyntaxError struct {
	Offset     int      // of the first byte that cannot be read
	Path       string   // of the value that it is in; empty at the top
	Problem    string   // what is wrong, or was expected
	Parameters []string // what the tool takes, as far as known
}

// Code returns INVALID_JSON.
func (e *SyntaxError) Code() string { return "INVALID_JSON" }

// Error tells the place, the problem, and the names of the parameters.
func (e *SyntaxError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "invalid JSON at byte %d", e.Offset)
	if e.Path != "" {
		fmt.Fprintf(&b, " in %s", quote(e.Path))
	}
	b.WriteString(": " + e.Problem)
	if len(e.Parameters) > 0 {
		b.WriteString("; the parameters are: " + clip(strings.Join(e.Parameters, ", "), 400))
	}
	return clip(b.String(), maxText)
}

// fault records a syntax error at p.i. It returns false, for its callers to.
func (p *pass) fault(problem string) bool {
	if p.syntax == nil {
		p.syntax = &SyntaxError{Offset: p.i, Path: p.render(p.path), Problem: problem}
	}
	return false
}

// cut records that the text ends too early. Models are cut off by their limit on
// output far more often than they forget a brace.
func (p *pass) cut(where string) bool {
	return p.fault("the text ends " + where + ": it was probably cut off; send the whole again, in smaller parts if it is long")
}

// unfinished records that want does not follow.
func (p *pass) unfinished(want string) bool {
	c := p.peek()
	switch {
	case p.i >= len(p.b):
		return p.cut("before " + want)
	case c == '/' && p.i+1 < len(p.b) && (p.b[p.i+1] == '/' || p.b[p.i+1] == '*'), c == '#':
		return p.fault("JSON has no comments; leave it out")
	case c == '\'':
		return p.fault("expected " + want + "; strings take double quotes, not single ones")
	case bytes.HasPrefix(p.b[p.i:], []byte("```")):
		return p.fault("remove the code fence and send the object alone")
	}
	return p.fault(fmt.Sprintf("expected %s, found %s", want, p.found()))
}

// closer records that neither a comma nor the end follows a member or an item.
func (p *pass) closer(end byte) bool {
	return p.unfinished(fmt.Sprintf("a comma or %c", end))
}

// comma records a comma that nothing follows, if that is what p.i stands behind.
func (p *pass) trailing() bool { return p.fault("remove the trailing comma") }

// control records a control character inside a string.
func (p *pass) control(c byte) bool {
	name, escape := fmt.Sprintf("control character %#02x", c), fmt.Sprintf("\\u%04x", c)
	switch c {
	case '\n':
		name, escape = "newline", "\\n"
	case '\r':
		name, escape = "carriage return", "\\r"
	case '\t':
		name, escape = "tab", "\\t"
	}
	return p.fault(fmt.Sprintf("a raw %s in a string; write %s", name, escape))
}

// word records a bare word where a value should be.
func (p *pass) word() bool {
	end := p.i
	for end < len(p.b) && end-p.i < 32 && wordy(p.b[end]) {
		end++
	}
	word := string(p.b[p.i:end])
	switch strings.ToLower(word) {
	case "true", "false", "null":
		return p.fault(fmt.Sprintf("write %s, not %s", strings.ToLower(word), word))
	case "none", "undefined", "nil":
		return p.fault("write null, not " + word)
	case "nan", "infinity", "inf":
		return p.fault(word + " is not a JSON number")
	case "":
		return p.unfinished("a value")
	}
	if end == len(p.b) && (strings.HasPrefix("true", word) || strings.HasPrefix("false", word) || strings.HasPrefix("null", word)) {
		p.i = end
		return p.cut("inside a word")
	}
	return p.unfinished("a value")
}

func wordy(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// found shows what stands at p.i.
func (p *pass) found() string {
	end := min(p.i+16, len(p.b))
	return quote(strings.ToValidUTF8(string(p.b[p.i:end]), "\uFFFD"))
}

// after checks what follows the arguments.
func (p *pass) after() bool {
	c := p.peek()
	if p.i >= len(p.b) {
		return true
	}
	at := p.i
	if c == '{' {
		if n := p.objects(); n > 1 {
			p.i = at
			return p.fault(fmt.Sprintf("%d JSON objects in one call; send %d calls", n, n))
		}
		p.i, p.syntax = at, nil
	}
	if bytes.HasPrefix(p.b[at:], []byte("```")) {
		return p.fault("remove the code fence and send the object alone")
	}
	return p.fault("there is text after the arguments object, from " + p.found())
}

// objects counts the objects that stand one after the other, the first of which
// has been read.
func (p *pass) objects() int {
	n := 1
	for p.peek() == '{' && p.skip() {
		n++
	}
	return n
}
