package schema

// Names returns the names of the properties at the top of a JSON Schema, in its
// order, or nil when there are none to be read.
func Names(j JSON) []string {
	p := begin([]byte(j))
	defer p.end()
	var names []string
	p.eachMember(func(k key) bool {
		if string(k.name()) != "properties" || p.peek() != '{' {
			return p.skip()
		}
		p.eachMember(func(k key) bool {
			names = append(names, string(k.name()))
			return p.skip()
		})
		return p.syntax == nil
	})
	return names
}

// eachMember calls read, which must read the value, for each member of the
// object at p.i.
func (p *pass) eachMember(read func(key) bool) bool {
	if p.peek() != '{' || !p.enter() {
		return false
	}
	for more := p.peek() != '}'; more; {
		k, ok := p.key()
		if !ok || !read(k) {
			return false
		}
		if more, ok = p.next('}'); !ok {
			return false
		}
	}
	return p.leave()
}
