package schema

import (
	"bytes"
	"reflect"
	"strconv"
	"sync"
)

// pass is one walk over raw arguments: it reads the JSON, checks it against a
// node, and stores it in a Go value, all at once, so that what was checked is
// what is decoded. Its buffers are used again.
type pass struct {
	b     []byte
	i     int
	depth int
	path  []step

	syntax *SyntaxError // ends the walk
	faults []fault      // do not
	total  int          // faults that were found, also those not kept

	storing    bool // whether values still go anywhere: after a fault they do not
	undeclared bool // whether an object had a member that its node does not name

	bits   []uint64 // seen properties of the open objects, as a stack
	keys   []key    // other members of the open objects, as a stack
	buffer []byte   // for unescaping
}

// step is one level of a path: a property, a member that is not declared, or an
// item of an array.
type step struct {
	order int    // the place in the declaration or in the array
	field *field // of a property
	key   int    // where the name of an undeclared member stands, or 0
}

var passes = sync.Pool{New: func() any { return new(pass) }}

// begin returns a pass over raw; end gives it back.
func begin(raw []byte) *pass {
	p := passes.Get().(*pass)
	p.b = raw
	p.i, p.depth, p.total = 0, 0, 0
	p.storing, p.undeclared = false, false
	p.path, p.bits, p.keys = p.path[:0], p.bits[:0], p.keys[:0]
	return p
}

// keepBuffer is the largest buffer that is kept for the next pass.
const keepBuffer = 64 << 10

func (p *pass) end() {
	p.b, p.syntax, p.faults = nil, nil, nil
	if cap(p.buffer) > keepBuffer || cap(p.keys)*24 > keepBuffer {
		p.buffer, p.keys = nil, nil
	}
	passes.Put(p)
}

// arguments walks over the whole text, whose top must be an object.
func (p *pass) arguments(n *node, v reflect.Value) error {
	p.storing = v.IsValid()
	if n.kinds == kindObject && p.peek() != '{' && p.blank() {
		p.b, p.i = []byte("{}"), 0
	}
	ok := p.value(n, v) && p.after()
	switch {
	case !ok:
		p.syntax.Parameters = n.parameters()
		return p.syntax
	case p.total > 0:
		return p.argsError()
	}
	return nil
}

// blank reports whether the arguments are absent: models send nothing at all, or
// null, to a tool that takes nothing.
func (p *pass) blank() bool {
	if c := p.peek(); c != 0 && c != 'n' || c == 0 && p.i < len(p.b) {
		return false
	}
	at := p.i
	if p.i < len(p.b) && !p.literal() {
		p.i, p.syntax = at, nil
		return false
	}
	p.peek()
	end := p.i == len(p.b)
	p.i = at
	return end
}

// kindAt tells the kind of the value that begins with c, or 0.
func kindAt(c byte) kinds { return firsts[c] }

// firsts has the kind that each first byte of a value stands for.
var firsts = [256]kinds{
	'"': kindString, '{': kindObject, '[': kindArray, 't': kindBoolean, 'f': kindBoolean, 'n': kindNull, '-': kindNumber,
	'0': kindNumber, '1': kindNumber, '2': kindNumber, '3': kindNumber, '4': kindNumber,
	'5': kindNumber, '6': kindNumber, '7': kindNumber, '8': kindNumber, '9': kindNumber,
}

// value reads one value for n, and stores it in v while p.storing.
func (p *pass) value(n *node, v reflect.Value) bool {
	kind := kindAt(p.peek())
	if n.indirect {
		return p.through(n, kind, v)
	}
	return p.part(n, kind, v)
}

// through is value where pointers lead to the Go value, or where its type has a
// decoder of its own, which gets the range of bytes that was checked.
func (p *pass) through(n *node, kind kinds, v reflect.Value) bool {
	if p.storing {
		v = n.settle(v)
	}
	start := p.i
	if !p.part(n, kind, v) {
		return false
	}
	if p.storing && n.store >= storeWhole {
		p.storeWhole(n, v, p.b[start:p.i])
	}
	return true
}

// part reads a value of a kind.
func (p *pass) part(n *node, kind kinds, v reflect.Value) bool {
	switch {
	case kind == kindNumber:
		return p.numberFor(n, v)
	case kind == 0:
		return p.word()
	case n.kinds&kind == 0:
		return p.mismatch(n, kind)
	case kind == kindString:
		return p.textFor(n, v)
	case kind == kindObject:
		return p.objectFor(n, v)
	case kind == kindArray:
		return p.arrayFor(n, v)
	}
	return p.literalFor(n, kind, v)
}

// textFor reads a string.
func (p *pass) textFor(n *node, v reflect.Value) bool {
	raw, escaped, ok := p.text()
	if !ok {
		return false
	}
	if n.enum == nil && n.limits == nil && (!p.storing || n.store >= storeWhole) {
		return true
	}
	if escaped {
		p.buffer = unescape(p.buffer[:0], raw)
		raw = p.buffer
	}
	if n.enum != nil {
		text, ok := n.contains(raw)
		if !ok {
			return p.outside(n, string(raw))
		}
		if p.storing && n.store == storeString {
			v.SetString(text) // shared with the schema: an enum member costs no memory
			return true
		}
	}
	if n.limits != nil && n.limits.text(p, raw) {
		return true
	}
	if p.storing {
		p.storeText(n, v, raw)
	}
	return true
}

// numberFor reads a number.
func (p *pass) numberFor(n *node, v reflect.Value) bool {
	text, value, simple, ok := p.number()
	if !ok {
		return false
	}
	if n.kinds&(kindNumber|kindInteger) == 0 {
		p.violate(n, text)
		return true
	}
	if n.kinds&kindNumber == 0 { // an integer is wanted
		return p.integerFor(n, v, text, value, simple)
	}
	if !simple && !finite(text) {
		p.violation("must be a number in the range of a 64-bit float", "")
		return true
	}
	if n.enum != nil && !n.containsNumber(text) {
		return p.outside(n, string(text))
	}
	if n.limits != nil && n.limits.number(p, text, value, simple) {
		return true
	}
	if p.storing {
		p.storeNumber(n, v, text, value, simple)
	}
	return true
}

// integerFor goes on with a number where only an integer will do.
func (p *pass) integerFor(n *node, v reflect.Value, text []byte, value int64, simple bool) bool {
	if simple && n.store == storeInt && n.enum == nil && n.limits == nil && n.bits == 64 {
		if p.storing {
			v.SetInt(value)
		}
		return true
	}
	w := wide{size: uint64(value)}
	if value < 0 {
		w = wide{size: uint64(-value), negative: true}
	}
	if !simple {
		var fate fate
		if w, fate = integerOf(text); fate == isFraction {
			p.violate(n, text)
			return true
		} else if fate == isTooLarge || n.store != storeUint && !w.fitsSigned() {
			p.violation("must be an integer", "in the range of 64 bits")
			return true
		}
	}
	if n.enum != nil && !n.containsNumber(text) {
		return p.outside(n, string(text))
	}
	if n.limits != nil && n.limits.number(p, text, w.signed(), w.fitsSigned()) {
		return true
	}
	if n.store == storeInt || n.store == storeUint {
		p.storeInteger(n, v, w)
	}
	return true
}

// finite reports whether a number is in the range of a float64.
func finite(text []byte) bool {
	if len(text) < 300 && !bytes.ContainsAny(text, "eE") {
		return true
	}
	_, err := strconv.ParseFloat(string(text), 64)
	return err == nil
}

// literalFor reads true, false or null.
func (p *pass) literalFor(n *node, kind kinds, v reflect.Value) bool {
	first := p.b[p.i]
	if !p.literal() {
		return false
	}
	if n.enum != nil && !n.containsLiteral(kind, first == 't') {
		return p.outside(n, string(p.b[p.i-4:p.i]))
	}
	if p.storing && n.store == storeBool {
		v.SetBool(first == 't')
	}
	return true
}

// enter opens a container.
func (p *pass) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		return p.fault("nested deeper than " + strconv.Itoa(maxDepth) + " levels")
	}
	p.i++
	return true
}

// leave closes a container.
func (p *pass) leave() bool {
	p.depth--
	p.i++
	return true
}

// next stands behind a member or an item: it reports whether another follows.
// ok is false after a syntax error.
func (p *pass) next(end byte) (more, ok bool) {
	switch p.peek() {
	case ',':
		comma := p.i
		p.i++
		if p.peek() == end {
			p.i = comma
			return false, p.trailing()
		}
		return true, true
	case end:
		return false, true
	}
	return false, p.closer(end)
}

// arrayFor reads an array.
func (p *pass) arrayFor(n *node, v reflect.Value) bool {
	if n.enum != nil {
		p.outside(n, "an array")
	}
	if n.items == nil && n.limits == nil {
		return p.skip()
	}
	if !p.enter() {
		return false
	}
	size := 0
	for more := p.peek() != ']'; more; size++ {
		if !p.item(n, v, size) {
			return false
		}
		var ok bool
		if more, ok = p.next(']'); !ok {
			return false
		}
	}
	p.leave()
	if n.limits != nil {
		n.limits.items(p, size)
	}
	if p.storing {
		finishItems(n, v, size)
	}
	return true
}

// item reads an item of an array.
func (p *pass) item(n *node, v reflect.Value, i int) bool {
	if n.items == nil {
		return p.skip()
	}
	var at reflect.Value
	if p.storing && n.limits != nil && n.limits.maxItems != nil && i >= *n.limits.maxItems {
		p.storing = false // a violation that is to come: memory must not grow on
	}
	if p.storing {
		at = itemAt(n, v, i)
	}
	p.peek()
	if p.short(n.items, at) {
		return true
	}
	p.path = append(p.path, step{order: i})
	ok := p.value(n.items, at)
	p.path = p.path[:len(p.path)-1]
	return ok
}

// skip reads a value of any kind.
func (p *pass) skip() bool {
	switch kindAt(p.peek()) {
	case kindString:
		_, _, ok := p.text()
		return ok
	case kindObject:
		return p.skipObject()
	case kindArray:
		return p.skipArray()
	case kindNumber:
		_, _, _, ok := p.number()
		return ok
	case 0:
		return p.word()
	}
	return p.literal()
}

func (p *pass) skipArray() bool {
	if !p.enter() {
		return false
	}
	for more := p.peek() != ']'; more; {
		if !p.skip() {
			return false
		}
		var ok bool
		if more, ok = p.next(']'); !ok {
			return false
		}
	}
	return p.leave()
}
