package schema

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
)

// store is how a value reaches the Go value that it belongs to.
type store uint8

const (
	storeNone store = iota // nowhere
	storeString
	storeBytes // a string of base64
	storeText  // a string, through UnmarshalText
	storeBool
	storeInt
	storeUint
	storeFloat
	storeDigits // a number, as the text that it is
	storeStruct
	storeSlice
	storeFixed // an array of Go
	storeMap

	// What stands from here on gets the range of bytes that was checked.
	storeWhole
	storeAny  // decoded as encoding/json does
	storeRaw  // copied
	storeJSON // through UnmarshalJSON
)

// settle follows the pointers to where a value of n is kept, making what they
// point to.
func (n *node) settle(v reflect.Value) reflect.Value {
	for range n.pointers {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	return v
}

func (p *pass) storeText(n *node, v reflect.Value, raw []byte) {
	switch n.store {
	case storeString:
		v.SetString(string(raw))
	case storeBytes:
		b := make([]byte, base64.StdEncoding.DecodedLen(len(raw)))
		size, err := base64.StdEncoding.Decode(b, raw)
		if err != nil {
			p.violation("must be a string of base64", "")
			return
		}
		v.SetBytes(b[:size])
	case storeText:
		if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(raw); err != nil {
			p.refused(err)
		}
	}
}

// storeWhole hands the text of a value to the type that reads it itself.
func (p *pass) storeWhole(n *node, v reflect.Value, raw []byte) {
	var err error
	switch n.store {
	case storeRaw:
		v.SetBytes(append([]byte(nil), raw...))
	case storeAny:
		var x any
		if err = json.Unmarshal(raw, &x); err == nil && x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case storeJSON:
		err = v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(raw)
	}
	if err != nil {
		p.refused(err)
	}
}

// refused records that a type's own decoder did not take the value.
func (p *pass) refused(err error) {
	p.violation("is not valid", clip(err.Error(), 200))
}

func (p *pass) storeNumber(n *node, v reflect.Value, text []byte, value int64, simple bool) {
	if n.store == storeDigits {
		v.SetString(string(text))
	}
	if n.store != storeFloat {
		return
	}
	f := float64(value)
	if !simple || len(text) > 15 {
		f, _ = strconv.ParseFloat(string(text), 64)
	}
	if v.OverflowFloat(f) {
		p.violation("must be a number in the range of a 32-bit float", "got "+clip(string(text), 40))
		return
	}
	v.SetFloat(f)
}

// storeInteger stores w, or records that the Go type cannot hold it. The second
// is done also when nothing is stored: what is checked must be what can be
// decoded.
func (p *pass) storeInteger(n *node, v reflect.Value, w wide) {
	bits := n.bits
	switch n.store {
	case storeInt:
		i := w.signed()
		if i != i<<(64-bits)>>(64-bits) {
			p.violation("must be an integer", "in the range of "+strconv.Itoa(bits)+" bits")
		} else if p.storing {
			v.SetInt(i)
		}
	case storeUint:
		switch {
		case w.negative && w.size > 0:
			p.violation("must be an integer", "not negative")
		case bits < 64 && w.size>>bits != 0:
			p.violation("must be an integer", "in the range of "+strconv.Itoa(bits)+" bits, without sign")
		case p.storing:
			v.SetUint(w.size)
		}
	}
}

// itemAt returns the place of item i, growing v as it needs.
func itemAt(n *node, v reflect.Value, i int) reflect.Value {
	switch n.store {
	case storeSlice:
		if i >= v.Cap() {
			v.Grow(max(4, i))
		}
		v.SetLen(i + 1)
		return v.Index(i)
	case storeFixed:
		if i < v.Len() {
			return v.Index(i)
		}
	}
	return reflect.Value{}
}

// finishItems makes an empty array an empty slice, which is not nil.
func finishItems(n *node, v reflect.Value, size int) {
	if n.store == storeSlice && size == 0 {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
}

// newValue makes room for a value of a map, and the map if it is the first.
func newValue(n *node, v reflect.Value) reflect.Value {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	return reflect.New(v.Type().Elem()).Elem()
}
