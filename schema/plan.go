package schema

import (
	"fmt"
	"reflect"
)

// A Plan is a compiled schema: it checks raw arguments and, when it was made
// from a Go type, decodes them, in one pass over the bytes. Plans never change.
//
// Arguments that are absent, empty or null stand for {}. Every failure is an
// [*ArgsError], which has all violations, or a [*SyntaxError].
type Plan struct {
	node     *node
	schema   JSON
	goType   reflect.Type // what Decode fills, or nil
	fallible bool         // whether checking takes decoding
}

// Compile makes a Plan of a Spec. It fails, naming the path, if what the Spec
// says cannot be enforced.
func Compile(s Spec) (*Plan, error) {
	if s == nil {
		s = Spec{}
	}
	p, err := newPlan(Prop{Type: Object, Properties: s})
	if err != nil {
		return nil, err
	}
	p.node.hasten()
	return p, nil
}

// For makes a Plan of a Go type, as [Of] describes it. T may also be a map, or a
// type that reads any JSON by itself.
func For[T any]() (*Plan, error) {
	t := reflect.TypeFor[T]()
	prop, err := propOf(t, nil)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if prop.Type == Any {
		prop.Type = Object
	}
	if prop.Type != Object || t.Kind() == reflect.Pointer {
		return nil, fmt.Errorf("schema: %s is not an object", t)
	}
	p, err := newPlan(prop)
	if err != nil {
		return nil, err
	}
	p.goType = t
	if p.fallible, err = p.node.bind(t); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	p.node.hasten()
	return p, nil
}

func newPlan(p Prop) (*Plan, error) {
	n, err := compile(p, 0)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if p.Properties == nil && p.Values == nil {
		p.Properties = Spec{} // providers refuse a root without properties
	}
	raw, err := p.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Plan{node: n, schema: JSON(raw)}, nil
}

// Schema returns the JSON Schema that the model is told.
func (p *Plan) Schema() JSON { return p.schema }

// Check reports what is wrong with raw.
func (p *Plan) Check(raw []byte) error {
	var v reflect.Value
	if p.fallible {
		v = reflect.New(p.goType).Elem()
	}
	_, err := p.walk(raw, v)
	return err
}

// Decode checks raw and stores it in the T that v points to. What is stored is
// what was checked: members that the schema does not name never reach v, not
// even under another spelling of a field's name. Members that are absent leave
// their fields alone; after an error v is zero. v must be a *T of [For].
func (p *Plan) Decode(raw []byte, v any) error {
	to, err := p.target(v)
	if err == nil {
		_, err = p.walk(raw, to)
	}
	return err
}

// Admit is Check, or Decode when v is not nil. It returns the arguments that
// count: raw itself, {} when there are none, or a copy without the members that
// the schema does not name.
func (p *Plan) Admit(raw []byte, v any) (effective []byte, err error) {
	var to reflect.Value
	switch {
	case v != nil:
		if to, err = p.target(v); err != nil {
			return nil, err
		}
	case p.fallible:
		to = reflect.New(p.goType).Elem()
	}
	undeclared, err := p.walk(raw, to)
	switch {
	case err != nil:
		return nil, err
	case undeclared:
		return p.node.canonical(raw), nil
	case blank(raw):
		return []byte("{}"), nil
	}
	return raw, nil
}

// Canonical returns raw without white space and without the members that the
// schema does not name, and with integers written as such.
func (p *Plan) Canonical(raw []byte) ([]byte, error) {
	if err := p.Check(raw); err != nil {
		return nil, err
	}
	if blank(raw) {
		return []byte("{}"), nil
	}
	return p.node.canonical(raw), nil
}

func (p *Plan) target(v any) (reflect.Value, error) {
	to := reflect.ValueOf(v)
	if p.goType == nil || to.Kind() != reflect.Pointer || to.IsNil() || to.Type().Elem() != p.goType {
		return reflect.Value{}, fmt.Errorf("schema: cannot decode into %T: the plan is for %v", v, p.goType)
	}
	return to.Elem(), nil
}

func (p *Plan) walk(raw []byte, v reflect.Value) (undeclared bool, err error) {
	s := begin(raw)
	defer s.end()
	err = s.arguments(p.node, v)
	if err != nil && v.IsValid() {
		v.SetZero()
	}
	return s.undeclared, err
}

// Validate reports how raw differs from the Spec, or that the Spec cannot be
// enforced. To check more than once, [Compile] the Spec.
func (s Spec) Validate(raw []byte) error {
	p, err := Compile(s)
	if err != nil {
		return err
	}
	return p.Check(raw)
}

// noValue is given where a pass only checks.
var noValue reflect.Value

// anyObject accepts every object.
var anyObject = &node{kinds: kindObject, wanted: "an object"}

// Arguments checks that raw is a JSON object, strictly, and returns it, or {} when
// it is absent: what a tool gets that checks its arguments itself.
func Arguments(raw []byte) ([]byte, error) {
	s := begin(raw)
	defer s.end()
	if err := s.arguments(anyObject, noValue); err != nil {
		return nil, err
	}
	if blank(raw) {
		return []byte("{}"), nil
	}
	return raw, nil
}

// blank reports whether raw, which is valid, stands for {}.
func blank(raw []byte) bool {
	for _, c := range raw {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c == 'n'
		}
	}
	return true
}

// parameters lists the properties for an error message.
func (n *node) parameters() []string {
	names := make([]string, len(n.props))
	for i, f := range n.props {
		names[i] = f.name
		if n.needed[i/64]&(1<<(i%64)) == 0 {
			names[i] += " (optional)"
		}
	}
	return names
}
