package schema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Of derives the Spec of a struct type. A field is named by its json tag and is
// required unless the tag says omitempty or omitzero, or the field is a pointer.
// Embedded structs are inlined. These tags describe a field, and those of a
// slice's items stand on the slice: description, enum (values between commas),
// default, minimum, maximum, minLength, maxLength, pattern, format, minItems and
// maxItems.
//
// Integers are "integer", floats "number", time.Time a date-time string, []byte
// a base64 string, and maps objects. Types with an UnmarshalText are strings;
// those with an UnmarshalJSON, json.RawMessage and any are any value. Of fails,
// naming the path, for a type without JSON form, one that contains itself, and
// tags that cannot be enforced.
func Of[T any]() (Spec, error) {
	p, err := propOf(reflect.TypeFor[T](), nil)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if p.Type != Object {
		return nil, fmt.Errorf("schema: %s is not an object", reflect.TypeFor[T]())
	}
	return p.Properties, nil
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	rawType    = reflect.TypeFor[json.RawMessage]()
	numberType = reflect.TypeFor[json.Number]()
	readsJSON  = reflect.TypeFor[json.Unmarshaler]()
	readsText  = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// shape is what a Go type is in JSON: its type and how it is stored.
func shape(t reflect.Type) (Type, store, error) {
	to := reflect.PointerTo(t)
	switch {
	case t == timeType:
		return String, storeText, nil
	case t == rawType:
		return Any, storeRaw, nil
	case t == numberType:
		return Number, storeDigits, nil
	case to.Implements(readsJSON):
		return Any, storeJSON, nil
	case to.Implements(readsText):
		return String, storeText, nil
	}
	switch t.Kind() {
	case reflect.String:
		return String, storeString, nil
	case reflect.Bool:
		return Boolean, storeBool, nil
	case reflect.Float32, reflect.Float64:
		return Number, storeFloat, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Integer, storeInt, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Integer, storeUint, nil
	case reflect.Struct:
		return Object, storeStruct, nil
	case reflect.Array:
		return Array, storeFixed, nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return String, storeBytes, nil
		}
		return Array, storeSlice, nil
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return Object, storeMap, nil
		}
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return Any, storeAny, nil
		}
	}
	return "", storeNone, fmt.Errorf("%s has no JSON form", t)
}

// propOf describes a type. Within are the struct types that it stands in.
func propOf(t reflect.Type, within []reflect.Type) (Prop, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	typ, store, err := shape(t)
	p := Prop{Type: typ}
	if err != nil {
		return p, err
	}
	switch store {
	case storeText:
		if t == timeType {
			p.Format = "date-time"
		}
	case storeStruct:
		return p, p.ofStruct(t, within)
	case storeSlice, storeFixed:
		return p, p.ofItems(t, within)
	case storeMap:
		values, err := propOf(t.Elem(), within)
		p.Values = &values
		return p, inside("[]", err)
	}
	return p, nil
}

func (p *Prop) ofItems(t reflect.Type, within []reflect.Type) error {
	items, err := propOf(t.Elem(), within)
	p.Items = &items
	if t.Kind() == reflect.Array {
		p.MinItems, p.MaxItems = new(t.Len()), new(t.Len())
	}
	return inside("[]", err)
}

func (p *Prop) ofStruct(t reflect.Type, within []reflect.Type) error {
	for _, outer := range within {
		if outer == t {
			return fmt.Errorf("%s contains itself", t)
		}
	}
	within = append(within[:len(within):len(within)], t)
	members, err := membersOf(t, nil)
	if err != nil {
		return err
	}
	p.Properties = make(Spec, len(members))
	for i, m := range members {
		child, err := propOf(m.field.Type, within)
		if err == nil {
			err = child.tagged(m.field.Tag)
		}
		if err != nil {
			return inside(m.name, err)
		}
		child.Name, child.Required = m.name, m.required
		p.Properties[i] = child
	}
	return nil
}

// inside says where err is: a.b[]: what is wrong.
func inside(name string, err error) error {
	if err == nil {
		return nil
	}
	var at *placedError
	if p, ok := err.(*placedError); ok {
		at = p
	} else {
		at = &placedError{err: err}
	}
	switch {
	case at.path == "" || strings.HasPrefix(at.path, "["):
		return &placedError{name + at.path, at.err}
	default:
		return &placedError{name + "." + at.path, at.err}
	}
}

// placedError is an error at a path in a type or a Spec.
type placedError struct {
	path string
	err  error
}

func (e *placedError) Error() string { return e.path + ": " + e.err.Error() }
func (e *placedError) Unwrap() error { return e.err }

// structMember is a struct field as JSON sees it.
type structMember struct {
	name     string
	required bool
	field    reflect.StructField
	path     []int // from the outermost struct
}

// membersOf lists the fields of a struct in order, those of embedded structs in
// their place.
func membersOf(t reflect.Type, path []int) ([]structMember, error) {
	var ms []structMember
	seen := make(map[string]bool)
	for i := range t.NumField() {
		some, err := fieldMembers(t.Field(i), append(path[:len(path):len(path)], i))
		if err != nil {
			return nil, err
		}
		for _, m := range some {
			if seen[m.name] {
				return nil, fmt.Errorf("two fields of %s are named %q", t, m.name)
			}
			seen[m.name] = true
		}
		ms = append(ms, some...)
	}
	return ms, nil
}

func fieldMembers(f reflect.StructField, path []int) ([]structMember, error) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "-" && options == "" && !strings.HasSuffix(f.Tag.Get("json"), ","):
		return nil, nil
	case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct && f.Type != timeType:
		return membersOf(f.Type, path)
	case f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer:
		return nil, fmt.Errorf("the embedded pointer %s cannot be inlined; embed the struct itself", f.Type)
	case !f.IsExported():
		return nil, nil
	case name == "":
		name = f.Name
	}
	m := structMember{name: name, field: f, path: path, required: f.Type.Kind() != reflect.Pointer}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty", "omitzero":
			m.required = false
		case "string":
			return nil, inside(name, fmt.Errorf("the json option \"string\" is not supported"))
		}
	}
	return []structMember{m}, nil
}
