package secret

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON returns the JSON value raw with a mask for the value of each member whose name
// [Name] knows, and with each other string as text returns it. True, false and null
// stay, as no secret is one of them. What is not JSON is returned as text returns it,
// in a JSON string.
func JSON(raw []byte, text func(string) string) []byte {
	if !json.Valid(raw) {
		return quote(text(string(raw)))
	}
	e := editor{in: raw}
	for e.at < len(raw) {
		if raw[e.at] == '"' {
			e.stringAt(text)
		} else {
			e.flagged = e.flagged && strings.IndexByte(" \t\r\n,", raw[e.at]) >= 0
			e.at++
		}
	}
	return e.result()
}

// editor goes through JSON that is known to be valid, from string to string: there is
// nothing to recurse into.
type editor struct {
	in      []byte
	at      int
	out     []byte
	done    int  // how much of in has gone to out
	flagged bool // the string before was a flag whose value is a secret
}

// stringAt takes the string that begins where e is, and its value where it is the name
// of a secret.
func (e *editor) stringAt(text func(string) string) {
	start, end := e.at, stringEnd(e.in, e.at)
	s := unquote(e.in[start:end])
	e.at = end
	value, isName := valueStart(e.in, end)
	switch {
	case isName && Name(s):
		e.at = valueEndJSON(e.in, value)
		if c := e.in[value]; c != 't' && c != 'f' && c != 'n' {
			e.replace(value, e.at, Mask)
		}
	case e.flagged && !isName:
		e.replace(start, end, Mask)
		e.flagged = false
		return
	default:
		if t := text(s); t != s {
			e.replace(start, end, t)
		}
	}
	e.flagged = !isName && strings.HasPrefix(s, "-") && !strings.ContainsAny(s, "= ") && Name(s)
}

func (e *editor) replace(from, to int, s string) {
	e.out = append(append(e.out, e.in[e.done:from]...), quote(s)...)
	e.done = to
}

func (e *editor) result() []byte {
	if e.done == 0 {
		return e.in
	}
	return append(e.out, e.in[e.done:]...)
}

// stringEnd returns where the string ends that begins at i.
func stringEnd(in []byte, i int) int {
	for i++; in[i] != '"'; i++ {
		if in[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// valueStart returns where the value of the member stands whose name ends at i, if it
// is a name.
func valueStart(in []byte, i int) (value int, isName bool) {
	i = skipSpace(in, i)
	if i == len(in) || in[i] != ':' {
		return 0, false
	}
	return skipSpace(in, i+1), true
}

func skipSpace(in []byte, i int) int {
	return i + len(in[i:]) - len(bytes.TrimLeft(in[i:], " \t\r\n"))
}

// valueEndJSON returns where the value ends that begins at i.
func valueEndJSON(in []byte, i int) int {
	depth := 0
	for i < len(in) {
		switch in[i] {
		case '"':
			i = stringEnd(in, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		default:
			i += max(1, bytes.IndexAny(in[i:], "\",{}[] \t\r\n"))
		}
		if depth == 0 {
			return i
		}
	}
	return i
}

func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return string(raw)
	}
	return s
}

// quote returns s as a JSON string that keeps <, > and & as they are.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return []byte(`"` + Mask + `"`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
