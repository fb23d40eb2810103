package schema

// tree is a JSON value with the order of its members kept.
type tree struct {
	kind    kinds
	raw     []byte // the text of the value
	text    string // of a string, its meaning
	members []branch
	items   []*tree
}

// branch is a member of an object.
type branch struct {
	name string
	tree *tree
}

// grow reads the value at p.i, or returns nil after a syntax error.
func (p *pass) grow() *tree {
	c := p.peek()
	t := &tree{kind: kindAt(c)}
	start := p.i
	ok := false
	switch t.kind {
	case kindObject:
		ok = p.growObject(t)
	case kindArray:
		ok = p.growArray(t)
	case kindString:
		var raw []byte
		if raw, _, ok = p.text(); ok {
			t.text = string(unescape(nil, raw))
		}
	default:
		ok = p.skip()
	}
	if !ok {
		return nil
	}
	t.raw = p.b[start:p.i]
	return t
}

func (p *pass) growObject(t *tree) bool {
	m := members{keys: len(p.keys)}
	defer func() { p.keys = p.keys[:m.keys] }()
	return p.eachMember(func(k key) bool {
		if !p.once(k, &m, p.i) {
			return false
		}
		child := p.grow()
		t.members = append(t.members, branch{string(k.name()), child})
		return child != nil
	})
}

func (p *pass) growArray(t *tree) bool {
	if !p.enter() {
		return false
	}
	for more := p.peek() != ']'; more; {
		item := p.grow()
		if item == nil {
			return false
		}
		t.items = append(t.items, item)
		var ok bool
		if more, ok = p.next(']'); !ok {
			return false
		}
	}
	return p.leave()
}

// whole reads a text that is one value.
func whole(raw []byte) (*tree, *SyntaxError) {
	p := begin(raw)
	defer p.end()
	t := p.grow()
	if t == nil || !p.after() {
		return nil, p.syntax
	}
	return t, nil
}

// get returns the member of that name, or nil.
func (t *tree) get(name string) *tree {
	for _, b := range t.members {
		if b.name == name {
			return b.tree
		}
	}
	return nil
}
