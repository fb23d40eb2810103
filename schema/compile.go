package schema

import (
	"fmt"
	"math"
	"regexp"
)

// maxDepth is how deep arguments may nest, and so how deep a Spec may.
const maxDepth = 64

// compile makes a node of p, or says what in p cannot be enforced.
func compile(p Prop, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	n := &node{}
	var ok bool
	if n.kinds, n.wanted, ok = kindsOf(p.Type); !ok {
		return nil, fmt.Errorf("unknown type %q", p.Type)
	}
	if err := misfit(p); err != nil {
		return nil, err
	}
	if err := n.constants(p.Enum); err != nil {
		return nil, err
	}
	if err := n.limit(p); err != nil {
		return nil, err
	}
	return n, n.descend(p, depth)
}

func kindsOf(t Type) (k kinds, wanted string, ok bool) {
	switch t {
	case Any:
		return kindAny, "any value", true
	case String:
		return kindString, "a string", true
	case Number:
		return kindNumber | kindInteger, "a number", true
	case Integer:
		return kindInteger, "an integer", true
	case Boolean:
		return kindBoolean, "a boolean", true
	case Object:
		return kindObject, "an object", true
	case Array:
		return kindArray, "an array", true
	}
	return 0, "", false
}

// misfit reports a keyword that says nothing about the type of p. What is told to
// the model is enforced, so what could not be is refused.
func misfit(p Prop) error {
	numeric := p.Type == Number || p.Type == Integer
	for _, k := range []struct {
		name    string
		present bool
		fits    bool
	}{
		{"properties", p.Properties != nil, p.Type == Object},
		{"additionalProperties", p.Values != nil, p.Type == Object && p.Properties == nil},
		{"items", p.Items != nil, p.Type == Array},
		{"minimum", p.Minimum != nil, numeric},
		{"maximum", p.Maximum != nil, numeric},
		{"minLength", p.MinLength != nil, p.Type == String},
		{"maxLength", p.MaxLength != nil, p.Type == String},
		{"pattern", p.Pattern != "", p.Type == String},
		{"format", p.Format != "", p.Type == String},
		{"minItems", p.MinItems != nil, p.Type == Array},
		{"maxItems", p.MaxItems != nil, p.Type == Array},
	} {
		if k.present && !k.fits {
			return fmt.Errorf("%s cannot be enforced on type %q", k.name, p.Type)
		}
	}
	return nil
}

func (n *node) constants(enum []any) error {
	if enum == nil {
		return nil
	}
	if len(enum) == 0 {
		return fmt.Errorf("an enum without values allows nothing")
	}
	for _, v := range enum {
		c, ok := constantOf(v)
		if !ok || n.kinds&c.kind == 0 {
			return fmt.Errorf("enum value %v (%T) cannot be enforced on this type", v, v)
		}
		n.enum = append(n.enum, c)
	}
	listed, err := marshal(enum)
	n.listed = clip(string(listed), 400)
	return err
}

func (n *node) limit(p Prop) error {
	l := limits{minimum: p.Minimum, maximum: p.Maximum, minLength: p.MinLength, maxLength: p.MaxLength, minItems: p.MinItems, maxItems: p.MaxItems}
	for _, bound := range []*float64{l.minimum, l.maximum} {
		if bound != nil && (math.IsNaN(*bound) || math.IsInf(*bound, 0)) {
			return fmt.Errorf("a limit must be a finite number")
		}
	}
	var err error
	if p.Pattern != "" {
		if l.pattern, err = regexp.Compile(p.Pattern); err != nil {
			return err
		}
	}
	if p.Format != "" {
		if l.format = formatOf(p.Format); l.format == nil {
			return fmt.Errorf("format %q cannot be enforced; date-time, uri, email and uuid can", p.Format)
		}
	}
	if l != (limits{}) {
		n.limits = &l
	}
	return nil
}

// descend compiles what is inside p.
func (n *node) descend(p Prop, depth int) (err error) {
	switch {
	case p.Properties != nil:
		return n.object(p.Properties, depth)
	case p.Values != nil:
		n.values, err = compile(*p.Values, depth+1)
	case p.Items != nil:
		n.items, err = compile(*p.Items, depth+1)
	}
	return inside("[]", err)
}

func (n *node) object(s Spec, depth int) error {
	n.props = make([]field, len(s))
	seen := make(map[string]bool, len(s))
	for i, p := range s {
		switch {
		case p.Name == "":
			return fmt.Errorf("property %d has no name", i)
		case seen[p.Name]:
			return fmt.Errorf("property %q is there twice", p.Name)
		}
		seen[p.Name] = true
		child, err := compile(p, depth+1)
		if err != nil {
			return inside(p.Name, err)
		}
		n.props[i] = field{name: p.Name, node: child}
	}
	n.seal(func(i int) bool { return s[i].Required })
	return nil
}
