package schema

import (
	"encoding/json"
	"reflect"
	"strconv"
)

// constantOf reads a scalar that an author wrote into an enum.
func constantOf(v any) (constant, bool) {
	if n, ok := v.(json.Number); ok {
		return numberConstant([]byte(n))
	}
	r := reflect.ValueOf(v)
	switch {
	case v == nil:
		return constant{kind: kindNull}, true
	case r.Kind() == reflect.String:
		return constant{kind: kindString, text: r.String()}, true
	case r.Kind() == reflect.Bool:
		return constant{kind: kindBoolean, boolean: r.Bool()}, true
	case r.CanInt():
		return constant{kind: kindInteger, integer: r.Int(), exact: true}, true
	case r.CanUint():
		return numberConstant(strconv.AppendUint(nil, r.Uint(), 10))
	case r.CanFloat():
		return numberConstant(strconv.AppendFloat(nil, r.Float(), 'g', -1, 64))
	}
	return constant{}, false
}

// numberConstant reads a JSON number. Integers are kept exactly.
func numberConstant(text []byte) (constant, bool) {
	if i, fate := integerOf(text); fate == isInteger && i.fitsSigned() {
		return constant{kind: kindInteger, integer: i.signed(), exact: true}, true
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return constant{kind: kindNumber, number: f}, err == nil
}

// equal reports whether a number in a text is c.
func (c constant) equal(text []byte) bool {
	d, ok := numberConstant(text)
	return ok && c.kind&(kindInteger|kindNumber) != 0 && c.exact == d.exact && c.integer == d.integer && c.number == d.number
}

// contains reports whether the enum of n has the string s, and which it is.
func (n *node) contains(s []byte) (text string, ok bool) {
	for i := range n.enum {
		if c := &n.enum[i]; c.kind == kindString && c.text == string(s) {
			return c.text, true
		}
	}
	return "", false
}

func (n *node) containsNumber(text []byte) bool {
	for _, c := range n.enum {
		if c.equal(text) {
			return true
		}
	}
	return false
}

func (n *node) containsLiteral(kind kinds, value bool) bool {
	for _, c := range n.enum {
		if c.kind == kind && c.boolean == value {
			return true
		}
	}
	return false
}
