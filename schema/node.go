package schema

import (
	"reflect"
	"regexp"
)

// kinds is a set of JSON kinds.
type kinds uint8

const (
	kindString kinds = 1 << iota
	kindInteger
	kindNumber // any number, integers included
	kindBoolean
	kindObject
	kindArray
	kindNull

	kindAny = kindString | kindInteger | kindNumber | kindBoolean | kindObject | kindArray | kindNull
)

// node is a compiled Prop: what one pass needs to check a value and store it.
// Nodes never change once they are compiled.
type node struct {
	kinds  kinds
	wanted string // "a string", for violations
	enum   []constant
	listed string // the enum as violations tell it
	limits *limits

	optional bool           // as a property: it may be omitted
	props    []field        // of an object; nil when only its type is checked
	byName   map[string]int // into props, when they are too many to try in turn
	words    int            // of a bit set with a bit for each of props
	needed   []uint64       // the bits of the required ones
	values   *node          // of each member of a map
	items    *node          // of an array; nil when only its type is checked

	store    store        // how a value reaches the Go value
	goType   reflect.Type // of the value, behind its pointers
	pointers int          // how many of those there are
	bits     int          // of a Go number
	indirect bool         // whether a value takes more than store to reach its place
	quick    quick
}

// field is a property of an object node.
type field struct {
	name   string
	prefix string // how its member begins when a model writes no white space: "name":
	node   *node
	path   []int // to the struct field; longer than one when it is promoted
}

// of returns the struct field in v.
func (f *field) of(v reflect.Value) reflect.Value {
	if len(f.path) == 1 {
		return v.Field(f.path[0])
	}
	for _, i := range f.path {
		v = v.Field(i)
	}
	return v
}

// limits are the rarer keywords.
type limits struct {
	minimum, maximum     *float64
	minLength, maxLength *int
	minItems, maxItems   *int
	pattern              *regexp.Regexp
	format               *format
}

// constant is a member of an enum.
type constant struct {
	kind    kinds
	text    string  // of a string
	number  float64 // of a number that is not an exact integer
	integer int64
	exact   bool // whether integer is the number
	boolean bool
}

// find returns the place of the property of that name, or -1. Models send
// members in the order of the schema, so the one after the last is tried first.
func (n *node) find(name []byte, guess int) int {
	if guess < len(n.props) && n.props[guess].name == string(name) {
		return guess
	}
	if n.byName != nil {
		if i, ok := n.byName[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range n.props {
		if n.props[i].name == string(name) {
			return i
		}
	}
	return -1
}

// many is how many properties are worth a map.
const many = 8

// seal computes what follows from the properties.
func (n *node) seal(required func(i int) bool) {
	if n.props == nil {
		return
	}
	n.words = (len(n.props) + 63) / 64
	for i := range n.props {
		f := &n.props[i]
		f.prefix = string(appendQuoted(nil, f.name)) + ":"
	}
	n.needed = make([]uint64, n.words)
	for i := range n.props {
		if required(i) {
			n.needed[i/64] |= 1 << (i % 64)
		} else {
			n.props[i].node.optional = true
		}
	}
	if len(n.props) > many {
		n.byName = make(map[string]int, len(n.props))
		for i, f := range n.props {
			n.byName[f.name] = i
		}
	}
}
