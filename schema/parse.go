package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A Foreign is a JSON Schema that somebody else wrote: draft 2020-12 or draft-07.
// It is kept byte for byte. Where it stays inside the keywords that a [Spec] has,
// it can be enforced too.
type Foreign struct {
	raw        JSON
	node       *node
	unenforced []string
}

// Parse reads a foreign JSON Schema. It fails with a [*SyntaxError] if raw is not
// strict JSON, and if it is neither an object nor a boolean.
func Parse(raw []byte) (*Foreign, error) {
	t, syntax := whole(raw)
	if syntax != nil {
		return nil, syntax
	}
	if t.kind != kindObject && t.kind != kindBoolean {
		return nil, fmt.Errorf("schema: a JSON Schema is an object or a boolean")
	}
	f := &Foreign{raw: JSON(raw)}
	f.node = f.compile(t, "")
	f.node.hasten()
	return f, nil
}

// JSON returns the schema byte for byte.
func (f *Foreign) JSON() JSON { return f.raw }

// Unenforced returns where the schema says what we cannot enforce, as JSON
// Pointers.
func (f *Foreign) Unenforced() []string { return f.unenforced }

// Plan returns a Plan that enforces all of the schema for the arguments of a
// tool, which are an object. ok is false when there is something that it could
// not enforce.
func (f *Foreign) Plan() (p *Plan, ok bool) {
	if len(f.unenforced) > 0 {
		return nil, false
	}
	n := *f.node
	if n.kinds &= kindObject; n.kinds == 0 {
		return nil, false
	}
	n.wanted = "an object"
	return &Plan{node: &n, schema: f.raw}, true
}

// Check reports how any JSON value differs from what we can enforce of the
// schema. A nil answer means that the value is valid only if Unenforced is empty.
func (f *Foreign) Check(raw []byte) error {
	p := begin(raw)
	defer p.end()
	n := *f.node
	ok := p.value(&n, noValue) && p.after()
	switch {
	case !ok:
		return p.syntax
	case p.total > 0:
		return p.argsError()
	}
	return nil
}

// keep records a keyword that is not enforced.
func (f *Foreign) keep(at, keyword string) {
	f.unenforced = append(f.unenforced, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(keyword))
}

// compile makes a node of a schema. What it cannot enforce it leaves out and
// records.
func (f *Foreign) compile(t *tree, at string) *node {
	n := &node{kinds: kindAny}
	if t.kind != kindObject {
		if string(t.raw) != "true" {
			f.keep(at, "false")
		}
		n.wanted = wantedOf(n.kinds)
		return n
	}
	l := new(limits)
	for _, b := range t.members {
		if !f.keyword(n, l, t, b, at) {
			f.keep(at, b.name)
		}
	}
	f.complete(n, t)
	if *l != (limits{}) {
		n.limits = l
	}
	n.wanted = wantedOf(n.kinds)
	return n
}

// keyword takes one keyword into n and reports whether it will be enforced, or
// says nothing about which values are valid.
func (f *Foreign) keyword(n *node, l *limits, parent *tree, b branch, at string) bool {
	t := b.tree
	switch b.name {
	case "title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly",
		"$schema", "$id", "$comment", "$anchor", "$defs", "definitions", "contentEncoding", "contentMediaType":
		return true // in 2020-12 a format is a note, unless a vocabulary says otherwise
	case "type":
		return n.takeTypes(t)
	case "enum":
		return n.takeEnum(t.items, t)
	case "const":
		return n.takeEnum([]*tree{t}, t)
	case "properties":
		return f.takeProperties(n, t, at)
	case "required":
		return t.kind == kindArray
	case "items":
		if t.kind == kindArray || parent.get("prefixItems") != nil {
			return false
		}
		n.items = f.compile(t, at+"/items")
		return true
	case "additionalProperties":
		return string(t.raw) == "true" || t.kind == kindObject && len(t.members) == 0
	case "minimum":
		return takeNumber(&l.minimum, t)
	case "maximum":
		return takeNumber(&l.maximum, t)
	case "minLength":
		return takeCount(&l.minLength, t)
	case "maxLength":
		return takeCount(&l.maxLength, t)
	case "minItems":
		return takeCount(&l.minItems, t)
	case "maxItems":
		return takeCount(&l.maxItems, t)
	case "pattern":
		return l.takePattern(t)
	}
	return false
}

// complete adds the required names, with a property of any kind for each that
// has none.
func (f *Foreign) complete(n *node, t *tree) {
	need := make(map[string]bool)
	if required := t.get("required"); required != nil {
		for _, name := range required.items {
			need[name.text] = true
			if n.find([]byte(name.text), 0) < 0 {
				n.props = append(n.props, field{name: name.text, node: &node{kinds: kindAny, wanted: wantedOf(kindAny)}})
			}
		}
	}
	n.seal(func(i int) bool { return need[n.props[i].name] })
}

func (f *Foreign) takeProperties(n *node, t *tree, at string) bool {
	if t.kind != kindObject {
		return false
	}
	n.props = make([]field, 0, len(t.members))
	for _, b := range t.members {
		child := f.compile(b.tree, at+"/properties/"+b.name)
		n.props = append(n.props, field{name: b.name, node: child})
	}
	return true
}

func (n *node) takeTypes(t *tree) bool {
	names := t.items
	if t.kind == kindString {
		names = []*tree{t}
	}
	n.kinds = 0
	for _, name := range names {
		switch k, _, ok := kindsOf(Type(name.text)); {
		case name.text == "null":
			n.kinds |= kindNull
		case !ok || name.kind != kindString || name.text == "":
			n.kinds = kindAny
			return false
		default:
			n.kinds |= k
		}
	}
	return len(names) > 0
}

// takeEnum takes the constants of an enum, if all are scalars.
func (n *node) takeEnum(values []*tree, told *tree) bool {
	if n.enum != nil || len(values) == 0 {
		return false // beside a const
	}
	for _, v := range values {
		c, ok := v.constant()
		if !ok {
			n.enum = nil
			return false
		}
		n.enum = append(n.enum, c)
	}
	n.listed = clip(compact(values), 400)
	return true
}

// compact lists values as violations tell an enum.
func compact(values []*tree) string {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v.raw...)
	}
	return string(append(b, ']'))
}

func (t *tree) constant() (constant, bool) {
	switch t.kind {
	case kindString:
		return constant{kind: kindString, text: t.text}, true
	case kindNumber:
		return numberConstant(t.raw)
	case kindBoolean:
		return constant{kind: kindBoolean, boolean: t.raw[0] == 't'}, true
	case kindNull:
		return constant{kind: kindNull}, true
	}
	return constant{}, false
}

func takeNumber(to **float64, t *tree) bool {
	var f float64
	if t.kind != kindNumber || json.Unmarshal(t.raw, &f) != nil {
		return false
	}
	*to = &f
	return true
}

func takeCount(to **int, t *tree) bool {
	f, err := strconv.ParseFloat(string(t.raw), 64)
	if t.kind != kindNumber || err != nil || f < 0 || f > math.MaxInt32 || f != math.Trunc(f) {
		return false
	}
	n := int(f)
	*to = &n
	return true
}

// takePattern takes a pattern that means the same to Go as to ECMAScript, as far
// as that is known: look-around and back references do not compile, and \d, \w
// and \s are narrower or wider there in ways that only odd characters show.
func (l *limits) takePattern(t *tree) bool {
	if t.kind != kindString || t.text == "" {
		return t.kind == kindString
	}
	re, err := regexp.Compile(t.text)
	if err != nil {
		return false
	}
	l.pattern = re
	return true
}

// wantedOf names a set of kinds for violations.
func wantedOf(k kinds) string {
	if k == kindAny {
		return "any value"
	}
	var names []string
	for _, t := range []Type{String, Number, Integer, Boolean, Object, Array} {
		kind, wanted, _ := kindsOf(t)
		if k&kind == kind && !(t == Integer && k&kindNumber != 0) {
			names = append(names, wanted)
		}
	}
	if k&kindNull != 0 {
		names = append(names, "null")
	}
	return strings.Join(names, " or ")
}
