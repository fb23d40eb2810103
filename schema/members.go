package schema

import (
	"bytes"
	"reflect"
)

// key is the name of a member that no property declares.
type key struct {
	raw     []byte // as it stands in the text
	escaped bool
}

// name returns what the key means.
func (k key) name() []byte {
	if k.escaped {
		return unescape(nil, k.raw)
	}
	return k.raw
}

// members tells what the object that is being read has shown so far.
type members struct {
	keys int                 // where its undeclared ones begin in p.keys
	bits int                 // where its declared ones begin in p.bits
	seen map[string]struct{} // the undeclared ones, once they are many
}

// fewKeys is up to how many keys are compared each with each.
const fewKeys = 16

// objectFor reads an object.
func (p *pass) objectFor(n *node, v reflect.Value) bool {
	if n.enum != nil {
		p.outside(n, "an object")
	}
	if n.props == nil && n.values == nil {
		return p.skip()
	}
	start := p.i
	if !p.enter() {
		return false
	}
	m := members{keys: len(p.keys), bits: len(p.bits)}
	for range n.words {
		p.bits = append(p.bits, 0)
	}
	guess := 0
	for more := p.peek() != '}'; more; {
		var ok bool
		if guess, ok = p.member(n, v, &m, guess); !ok {
			return false
		}
		if more, ok = p.next('}'); !ok {
			return false
		}
	}
	p.leave()
	if p.storing && n.store == storeMap && v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	p.absent(n, m, start)
	p.keys, p.bits = p.keys[:m.keys], p.bits[:m.bits]
	return true
}

// member reads a name and its value. It returns which property is to be expected
// next: models send them in the order of the schema.
func (p *pass) member(n *node, v reflect.Value, m *members, guess int) (int, bool) {
	if guess < len(n.props) && p.expect(n.props[guess].prefix) {
		return guess + 1, p.property(n, v, m, guess, p.i-len(n.props[guess].prefix))
	}
	at := p.i
	k, ok := p.key()
	if !ok {
		return 0, false
	}
	name := k.raw
	if k.escaped {
		p.buffer = unescape(p.buffer[:0], name)
		name = p.buffer
	}
	if i := n.find(name, guess); i >= 0 {
		return i + 1, p.property(n, v, m, i, at)
	}
	if !p.once(k, m, at) {
		return 0, false
	}
	p.path = append(p.path, step{order: len(n.props) + len(p.keys) - m.keys, key: at})
	if n.values != nil {
		ok = p.entry(n, v, string(k.name()))
	} else {
		p.undeclared = true
		ok = p.skip()
	}
	p.path = p.path[:len(p.path)-1]
	return guess, ok
}

// expect passes over text if it is what stands at p.i.
func (p *pass) expect(text string) bool {
	end := p.i + len(text)
	if text == "" || end > len(p.b) || string(p.b[p.i:end]) != text {
		return false
	}
	p.i = end
	return true
}

// property reads the value of a property whose name stands at at.
func (p *pass) property(n *node, v reflect.Value, m *members, i, at int) bool {
	f := &n.props[i]
	word, bit := &p.bits[m.bits+i/64], uint64(1)<<(i%64)
	if *word&bit != 0 {
		return p.duplicate(at, f.name)
	}
	*word |= bit
	var to reflect.Value
	if p.storing {
		to = f.of(v)
	}
	if p.short(f.node, to) {
		return true
	}
	p.path = append(p.path, step{order: i, field: f})
	ok := p.value(f.node, to)
	p.path = p.path[:len(p.path)-1]
	return ok
}

// entry reads a member of a map.
func (p *pass) entry(n *node, v reflect.Value, name string) bool {
	if !p.storing {
		return p.value(n.values, reflect.Value{})
	}
	to := newValue(n, v)
	if !p.value(n.values, to) {
		return false
	}
	if p.storing {
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), to)
	}
	return true
}

// key reads a member's name and the colon.
func (p *pass) key() (k key, ok bool) {
	if p.peek() != '"' {
		return k, p.unfinished("a member name in double quotes")
	}
	if k.raw, k.escaped, ok = p.text(); !ok {
		return k, false
	}
	if p.peek() != ':' {
		return k, p.unfinished("a colon")
	}
	p.i++
	return k, true
}

// once refuses a name that the object has shown before. Decoders disagree on
// which of two members counts, so a policy could be shown the one and the tool
// given the other.
func (p *pass) once(k key, m *members, at int) bool {
	mine := p.keys[m.keys:]
	switch {
	case m.seen != nil:
		name := string(k.name())
		if _, again := m.seen[name]; again {
			return p.duplicate(at, name)
		}
		m.seen[name] = struct{}{}
	case len(mine) < fewKeys:
		for _, other := range mine {
			if other.same(k) {
				return p.duplicate(at, string(k.name()))
			}
		}
	default:
		m.seen = make(map[string]struct{}, 2*fewKeys)
		for _, other := range mine {
			m.seen[string(other.name())] = struct{}{}
		}
		return p.once(k, m, at)
	}
	p.keys = append(p.keys, k)
	return true
}

func (k key) same(o key) bool {
	if !k.escaped && !o.escaped {
		return bytes.Equal(k.raw, o.raw)
	}
	return bytes.Equal(k.name(), o.name())
}

func (p *pass) duplicate(at int, name string) bool {
	p.i = at
	return p.fault("duplicate member " + quote(clip(name, 80)) + "; send it once")
}

func (p *pass) skipObject() bool {
	if !p.enter() {
		return false
	}
	m := members{keys: len(p.keys)}
	for more := p.peek() != '}'; more; {
		at := p.i
		k, ok := p.key()
		if !ok || !p.once(k, &m, at) || !p.skip() {
			return false
		}
		if more, ok = p.next('}'); !ok {
			return false
		}
	}
	p.keys = p.keys[:m.keys]
	return p.leave()
}
