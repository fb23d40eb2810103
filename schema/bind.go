package schema

import (
	"fmt"
	"reflect"
)

// bind tells a node where its values go in a Go type, and reports whether
// storing one may fail in a way that checking cannot foresee.
func (n *node) bind(t reflect.Type) (fallible bool, err error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
		n.pointers++
	}
	n.goType = t
	if _, n.store, err = shape(t); err != nil {
		return false, err
	}
	n.indirect = n.pointers > 0 || n.store >= storeWhole
	switch n.store {
	case storeInt, storeUint, storeFloat:
		n.bits = t.Bits()
	case storeStruct:
		return n.bindFields(t)
	case storeSlice, storeFixed:
		return n.items.bind(t.Elem())
	case storeMap:
		return n.values.bind(t.Elem())
	}
	fallible = n.store == storeBytes || n.store == storeText && t != timeType || n.store == storeAny || n.store == storeJSON ||
		t.Kind() == reflect.Float32
	return fallible, nil
}

func (n *node) bindFields(t reflect.Type) (fallible bool, err error) {
	members, err := membersOf(t, nil)
	if err != nil {
		return false, err
	}
	if len(members) != len(n.props) {
		return false, fmt.Errorf("%s has %d fields for %d properties", t, len(members), len(n.props))
	}
	for i, m := range members {
		n.props[i].path = m.path
		may, err := n.props[i].node.bind(m.field.Type)
		if err != nil {
			return false, inside(m.name, err)
		}
		fallible = fallible || may
	}
	return fallible, nil
}
