package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// MarshalJSON writes the Spec as the JSON Schema of an object. The same Spec
// gives the same bytes always.
func (s Spec) MarshalJSON() ([]byte, error) {
	if s == nil {
		s = Spec{} // providers refuse a root without properties
	}
	return appendObject(nil, Prop{Type: Object, Properties: s})
}

// MarshalJSON writes the Prop as a JSON Schema, without its name.
func (p Prop) MarshalJSON() ([]byte, error) { return appendObject(nil, p) }

// appendObject appends the schema of p, its keywords in a fixed order.
func appendObject(b []byte, p Prop) ([]byte, error) {
	w := writer{b: append(b, '{')}
	if p.Type != Any {
		w.text("type", string(p.Type))
	}
	if p.Description != "" {
		w.text("description", p.Description)
	}
	if p.Enum != nil {
		w.value("enum", p.Enum)
	}
	if p.Default != nil {
		w.value("default", p.Default)
	}
	w.limits(p)
	w.children(p)
	return append(w.b, '}'), w.err
}

// writer appends the members of an object. It keeps the first error.
type writer struct {
	b   []byte
	err error
}

func (w *writer) key(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(appendQuoted(w.b, name), ':')
}

func (w *writer) text(name, value string) {
	w.key(name)
	w.b = appendQuoted(w.b, value)
}

func (w *writer) number(name string, n *float64) {
	if n != nil {
		w.key(name)
		w.b = appendNumber(w.b, *n)
	}
}

func (w *writer) count(name string, n *int) {
	if n != nil {
		w.key(name)
		w.b = strconv.AppendInt(w.b, int64(*n), 10)
	}
}

// value writes what encoding/json makes of v, but leaves <, > and & as they are.
func (w *writer) value(name string, v any) {
	w.key(name)
	raw, err := marshal(v)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("schema: %s: %w", name, err)
	}
	w.b = append(w.b, raw...)
}

func (w *writer) limits(p Prop) {
	w.number("minimum", p.Minimum)
	w.number("maximum", p.Maximum)
	w.count("minLength", p.MinLength)
	w.count("maxLength", p.MaxLength)
	if p.Pattern != "" {
		w.text("pattern", p.Pattern)
	}
	if p.Format != "" {
		w.text("format", p.Format)
	}
	w.count("minItems", p.MinItems)
	w.count("maxItems", p.MaxItems)
}

func (w *writer) children(p Prop) {
	switch {
	case p.Properties != nil:
		w.key("properties")
		w.properties(p.Properties)
		w.required(p.Properties)
	case p.Values != nil && p.Values.Type != Any:
		w.key("additionalProperties")
		w.child(*p.Values)
	case p.Items != nil:
		w.key("items")
		w.child(*p.Items)
	}
}

func (w *writer) properties(s Spec) {
	w.b = append(w.b, '{')
	for _, p := range s {
		w.key(p.Name)
		w.child(p)
	}
	w.b = append(w.b, '}')
}

func (w *writer) child(p Prop) {
	b, err := appendObject(w.b, p)
	w.b = b
	if err != nil && w.err == nil {
		w.err = err
	}
}

func (w *writer) required(s Spec) {
	open := false
	for _, p := range s {
		if !p.Required {
			continue
		}
		if !open {
			w.key("required")
			w.b, open = append(w.b, '['), true
		} else {
			w.b = append(w.b, ',')
		}
		w.b = appendQuoted(w.b, p.Name)
	}
	if open {
		w.b = append(w.b, ']')
	}
}

// appendNumber writes n the way JSON Schema authors do: 10, not 1e+01.
func appendNumber(b []byte, n float64) []byte {
	if n == float64(int64(n)) && n < 1e15 && n > -1e15 {
		return strconv.AppendInt(b, int64(n), 10)
	}
	return strconv.AppendFloat(b, n, 'g', -1, 64)
}

// marshal is json.Marshal for the values that a Prop may hold.
func marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return appendQuoted(nil, v), nil
	case []any:
		b := []byte{'['}
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			raw, err := marshal(e)
			if err != nil {
				return nil, err
			}
			b = append(b, raw...)
		}
		return append(b, ']'), nil
	}
	return json.Marshal(v)
}
