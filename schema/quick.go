package schema

import "reflect"

// Most values that models send are plain strings and small integers about which
// the schema says no more than the type. They are read on a short path of their
// own; whatever is not as expected there goes the long one, from the same place.

// quick is which short path a node may take.
type quick uint8

const (
	quickNone quick = iota
	quickString
	quickInteger
)

// hasten decides for n and all below it.
func (n *node) hasten() {
	plain := n.enum == nil && n.limits == nil && !n.indirect
	switch {
	case plain && n.kinds&kindString != 0 && (n.store == storeNone || n.store == storeString):
		n.quick = quickString
	case plain && n.kinds&kindInteger != 0 && (n.store == storeNone || n.store == storeInt && n.bits == 64):
		n.quick = quickInteger
	}
	for _, f := range n.props {
		f.node.hasten()
	}
	for _, inner := range []*node{n.values, n.items} {
		if inner != nil {
			inner.hasten()
		}
	}
}

// short reads a value on the short path, or reads nothing.
func (p *pass) short(n *node, v reflect.Value) bool {
	switch n.quick {
	case quickString:
		return p.shortString(n, v)
	case quickInteger:
		return p.shortInteger(n, v)
	}
	return false
}

// shortString reads a string of ASCII without escapes.
func (p *pass) shortString(n *node, v reflect.Value) bool {
	if p.i >= len(p.b) || p.b[p.i] != '"' {
		return false
	}
	start := p.i + 1
	end, wide := plain(p.b, start, 0)
	if wide != 0 || end >= len(p.b) || p.b[end] != '"' {
		return false
	}
	p.i = end + 1
	if p.storing && n.store == storeString {
		v.SetString(string(p.b[start:end]))
	}
	return true
}

// shortInteger reads up to 18 digits that a comma or a bracket follows.
func (p *pass) shortInteger(n *node, v reflect.Value) bool {
	b, i := p.b, p.i
	value := int64(0)
	for i < len(b) && b[i]-'0' <= 9 {
		value = value*10 + int64(b[i]-'0')
		i++
	}
	digits := i - p.i
	if digits == 0 || digits > 18 || digits > 1 && b[p.i] == '0' || i == len(b) || b[i] != ',' && b[i]|0x20 != '}' {
		return false // ] and } differ in that bit alone
	}
	p.i = i
	if p.storing && n.store == storeInt {
		v.SetInt(value)
	}
	return true
}
