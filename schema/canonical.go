package schema

import "strconv"

// canonical rewrites arguments that have been checked: no white space, no members
// that the node does not name, integers as digits alone. The text of strings and
// other numbers stays as it is.
func (n *node) canonical(raw []byte) []byte {
	p := begin(raw)
	defer p.end()
	return p.rewrite(make([]byte, 0, len(raw)), n)
}

// loose is the node of a value that nothing is said about.
var loose = &node{kinds: kindAny}

func (p *pass) rewrite(dst []byte, n *node) []byte {
	if n == nil {
		n = loose
	}
	switch p.peek() {
	case '{':
		return p.rewriteObject(dst, n)
	case '[':
		return p.rewriteArray(dst, n)
	}
	start := p.i
	p.skip()
	raw := p.b[start:p.i]
	if kindAt(raw[0]) == kindNumber && n.kinds&kindNumber == 0 {
		if w, fate := integerOf(raw); fate == isInteger {
			return w.append(dst)
		}
	}
	return append(dst, raw...)
}

func (p *pass) rewriteObject(dst []byte, n *node) []byte {
	p.i++
	dst = append(dst, '{')
	first := true
	for more := p.peek() != '}'; more; more, _ = p.next('}') {
		k, _ := p.key()
		child := n.values
		if n.props != nil {
			i := n.find(k.name(), 0)
			if i < 0 {
				p.skip()
				continue
			}
			child = n.props[i].node
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, '"'), k.raw...), '"', ':')
		dst = p.rewrite(dst, child)
	}
	p.i++
	return append(dst, '}')
}

func (p *pass) rewriteArray(dst []byte, n *node) []byte {
	p.i++
	dst = append(dst, '[')
	first := true
	for more := p.peek() != ']'; more; more, _ = p.next(']') {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = p.rewrite(dst, n.items)
	}
	p.i++
	return append(dst, ']')
}

func (w wide) append(dst []byte) []byte {
	if w.negative && w.size > 0 {
		dst = append(dst, '-')
	}
	return strconv.AppendUint(dst, w.size, 10)
}
