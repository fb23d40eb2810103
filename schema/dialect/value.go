package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/toolfall/toolfall/schema"
)

// value is a JSON value whose members keep their order and whose numbers keep
// their digits.
type value struct {
	kind    kind
	members []member // of an object
	items   []*value // of an array
	raw     string   // the JSON text of anything else
}

type member struct {
	name  string
	value *value
}

type kind uint8

const (
	scalar kind = iota
	array
	objectKind
)

// Bounds on a schema: what a provider takes is far below.
const (
	maxDepth = 64
	maxNodes = 10_000
	maxBytes = 1 << 20 // without references
)

var (
	errDeep = fmt.Errorf("nested deeper than %d levels", maxDepth)
	errBig  = fmt.Errorf("more than %d values or %d MiB", maxNodes, maxBytes>>20)
)

func object() *value { return &value{kind: objectKind} }

func list(items ...*value) *value { return &value{kind: array, items: items} }

// plain reports whether a string is its own JSON text.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// texts is an array of strings.
func texts(ss []string) *value {
	v := list()
	for _, s := range ss {
		v.items = append(v.items, text(s))
	}
	return v
}

func literal(raw string) *value { return &value{raw: raw} }

// verbatim is a JSON text that is written as it stands, on one line.
func verbatim(j schema.JSON) *value {
	var b bytes.Buffer
	if json.Compact(&b, []byte(j)) != nil {
		return literal("null")
	}
	return literal(b.String())
}

func text(s string) *value {
	if plain(s) {
		return literal(`"` + s + `"`)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always can be
	return literal(string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))))
}

// parse reads a JSON text of up to so many values.
func parse(raw []byte, nodes int) (*value, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := read(d, &nodes, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the JSON value")
	}
	return v, nil
}

// read reads the next value. nodes is how many there may still be.
func read(d *json.Decoder, nodes *int, depth int) (*value, error) {
	*nodes--
	switch {
	case depth > maxDepth:
		return nil, errDeep
	case *nodes < 0:
		return nil, errBig
	}
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return readObject(d, nodes, depth)
		}
		return readArray(d, nodes, depth)
	case string:
		return text(t), nil
	case json.Number:
		return literal(t.String()), nil
	case bool:
		return literal(fmt.Sprint(t)), nil
	}
	return literal("null"), nil
}

func readObject(d *json.Decoder, nodes *int, depth int) (*value, error) {
	v := object()
	seen := make(map[string]bool)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		name := token.(string)
		if seen[name] {
			return nil, fmt.Errorf("member %q is there twice", name)
		}
		seen[name] = true
		child, err := read(d, nodes, depth+1)
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, member{name, child})
	}
	_, err := d.Token()
	return v, err
}

func readArray(d *json.Decoder, nodes *int, depth int) (*value, error) {
	v := list()
	for d.More() {
		child, err := read(d, nodes, depth+1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, child)
	}
	_, err := d.Token()
	return v, err
}

// append writes the value.
func (v *value) append(b []byte) []byte {
	switch v.kind {
	case objectKind:
		b = append(b, '{')
		for i, m := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, text(m.name).raw...), ':')
			b = m.value.append(b)
		}
		return append(b, '}')
	case array:
		b = append(b, '[')
		for i, item := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.append(b)
		}
		return append(b, ']')
	}
	return append(b, v.raw...)
}

// String is the JSON text of v, or nothing of nil.
func (v *value) String() string {
	if v == nil {
		return ""
	}
	return string(v.append(nil))
}

// get returns the member of that name, or nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	for _, m := range v.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set gives the member of that name a value, behind the others if it is new.
func (v *value) set(name string, to *value) {
	for i := range v.members {
		if v.members[i].name == name {
			v.members[i].value = to
			return
		}
	}
	v.members = append(v.members, member{name, to})
}

// with sets a member and returns v.
func (v *value) with(name string, to *value) *value {
	v.set(name, to)
	return v
}

// without returns a copy of v itself, not of what is in it, that lacks members.
func (v *value) without(names ...string) *value {
	c := &value{kind: v.kind, raw: v.raw, items: v.items}
	for _, m := range v.members {
		if !slices.Contains(names, m.name) {
			c.members = append(c.members, m)
		}
	}
	return c
}

func (v *value) drop(names ...string) {
	kept := v.members[:0]
	for _, m := range v.members {
		if !slices.Contains(names, m.name) {
			kept = append(kept, m)
		}
	}
	v.members = kept
}

// str returns the string that v is, or nothing.
func (v *value) str() string {
	var s string
	switch {
	case v == nil || v.kind != scalar || len(v.raw) < 2 || v.raw[0] != '"':
	case plain(v.raw[1 : len(v.raw)-1]):
		return v.raw[1 : len(v.raw)-1]
	default:
		json.Unmarshal([]byte(v.raw), &s)
	}
	return s
}

// strs returns the strings of an array, or the one string that v is.
func (v *value) strs() []string {
	switch {
	case v == nil:
		return nil
	case v.kind == array:
		var ss []string
		for _, item := range v.items {
			ss = append(ss, item.str())
		}
		return ss
	case v.str() != "":
		return []string{v.str()}
	}
	return nil
}

func (v *value) is(raw string) bool { return v != nil && v.kind == scalar && v.raw == raw }
