package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// tagged takes in what the tags of a struct field say.
func (p *Prop) tagged(tag reflect.StructTag) error {
	if text, ok := tag.Lookup("description"); ok {
		p.Description = text
	}
	if text, ok := tag.Lookup("default"); ok {
		value, err := valueOf(p.Type, text)
		if err != nil {
			return fmt.Errorf("default: %w", err)
		}
		p.Default = value
	}
	for _, k := range []struct {
		name string
		to   **int
	}{{"minItems", &p.MinItems}, {"maxItems", &p.MaxItems}} {
		if err := tagCount(tag, k.name, k.to); err != nil {
			return err
		}
	}
	return p.leaf().taggedValue(tag)
}

// leaf is where the tags about single values belong: in a slice, at its items.
func (p *Prop) leaf() *Prop {
	for p.Type == Array && p.Items != nil {
		p = p.Items
	}
	return p
}

func (p *Prop) taggedValue(tag reflect.StructTag) error {
	if text, ok := tag.Lookup("enum"); ok {
		for one := range strings.SplitSeq(text, ",") {
			value, err := valueOf(p.Type, strings.TrimSpace(one))
			if err != nil {
				return fmt.Errorf("enum: %w", err)
			}
			p.Enum = append(p.Enum, value)
		}
	}
	if text, ok := tag.Lookup("pattern"); ok {
		p.Pattern = text
	}
	if text, ok := tag.Lookup("format"); ok {
		p.Format = text
	}
	for _, k := range []struct {
		name string
		to   **float64
	}{{"minimum", &p.Minimum}, {"maximum", &p.Maximum}} {
		if err := tagNumber(tag, k.name, k.to); err != nil {
			return err
		}
	}
	if err := tagCount(tag, "minLength", &p.MinLength); err != nil {
		return err
	}
	return tagCount(tag, "maxLength", &p.MaxLength)
}

func tagCount(tag reflect.StructTag, name string, to **int) error {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%s: %q is not a count", name, text)
	}
	*to = &n
	return nil
}

func tagNumber(tag reflect.StructTag, name string, to **float64) error {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%s: %q is not a number", name, text)
	}
	*to = &n
	return nil
}

// valueOf reads a value of a type from a tag.
func valueOf(t Type, text string) (any, error) {
	if t == String {
		return text, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, fmt.Errorf("%q is not JSON", text)
	}
	kind := kindAt(strings.TrimLeft(text, " ")[0])
	switch {
	case kind == kindNumber && (t == Integer || t == Number):
		return json.Number(strings.TrimSpace(text)), nil
	case kind == kindBoolean && t == Boolean:
		return strings.TrimSpace(text) == "true", nil
	case t == Integer || t == Number || t == Boolean:
		return nil, fmt.Errorf("%s does not fit the type %s", text, t)
	}
	return json.RawMessage(text), nil
}
