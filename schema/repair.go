package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// maxEdits is how many edits are kept. Arguments that need more are not what the
// model meant.
const maxEdits = 100

// Repair mends what models are known to send wrong, for arguments that Check has
// refused. It knows these faults, and no others:
//
//   - in the text: one code fence round the whole, a trailing comma, surplus
//     closing brackets, single quotes, True, False and None, raw control
//     characters in strings;
//   - in the whole: an object sent as a JSON text, or inside a single member such
//     as "arguments";
//   - in a value: an array or object sent as a JSON text, a number or boolean as a
//     text, a number where a text is wanted, null or "" for what may be omitted,
//     an enum member in another case.
//
// Every edit is local and says what it did, in edits. None invents a value, closes
// what was cut off, or takes the last of two. ok is false, and nothing is returned,
// unless the whole passes Check afterwards. The work is linear in the length of raw.
func (p *Plan) Repair(raw []byte) (fixed []byte, edits []string, ok bool) {
	m := &mender{}
	t, syntax := whole(raw)
	if syntax != nil {
		if raw, ok = m.text(raw); !ok {
			return nil, nil, false
		}
		if t, syntax = whole(raw); syntax != nil {
			return nil, nil, false
		}
	}
	t = m.root(p.node, t)
	fixed = t.append(nil)
	if len(m.edits) == 0 || len(m.edits) > maxEdits || p.Check(fixed) != nil {
		return nil, nil, false
	}
	return fixed, m.edits, true
}

// mender gathers edits.
type mender struct {
	edits []string
	path  []string
}

// edit records what was done to the value at the present path.
func (m *mender) edit(format string, args ...any) {
	if len(m.edits) > maxEdits {
		return
	}
	at := ""
	for i, part := range m.path {
		if i > 0 && !strings.HasPrefix(part, "[") {
			at += "."
		}
		at += part
	}
	if at == "" {
		at = "arguments"
	}
	m.edits = append(m.edits, quote(clip(at, 100))+" "+fmt.Sprintf(format, args...))
}

// root mends what is wrong with the arguments as a whole, and then inside.
func (m *mender) root(n *node, t *tree) *tree {
	if t.kind == kindString {
		inner, syntax := whole([]byte(t.text))
		if syntax != nil || inner.kind != kindObject {
			return t
		}
		m.edit("were a JSON text; took the object in it")
		t = inner
	}
	if w := wrapped(n, t); w != nil {
		m.edit("were inside a member %s; took them out", quote(t.members[0].name))
		t = w
	}
	return m.value(n, t)
}

// wrapped returns the object in the only member of t, if that is a name under
// which models send all of the arguments once more.
func wrapped(n *node, t *tree) *tree {
	if t.kind != kindObject || len(t.members) != 1 {
		return nil
	}
	only := t.members[0]
	if !isWrapper(only.name) || n.find([]byte(only.name), 0) >= 0 || only.tree.kind != kindObject {
		return nil
	}
	return only.tree
}

// value mends a value for n.
func (m *mender) value(n *node, t *tree) *tree {
	if n == nil || len(m.path) > maxDepth {
		return t
	}
	switch {
	case !n.accepts(t.kind):
		return m.convert(n, t)
	case t.kind == kindObject:
		return m.object(n, t)
	case t.kind == kindArray:
		return m.array(n, t)
	case t.kind == kindString && n.enum != nil:
		return m.member(n, t)
	}
	return t
}

func (n *node) accepts(k kinds) bool {
	return n.kinds&k != 0 || k == kindNumber && n.kinds&kindInteger != 0
}

// convert gives a scalar the kind that n wants, where its text says exactly that.
func (m *mender) convert(n *node, t *tree) *tree {
	switch {
	case t.kind == kindNumber && n.kinds&kindString != 0:
		m.edit("was the number %s; made it a text", clip(string(t.raw), 40))
		return stringTree(string(t.raw))
	case t.kind != kindString:
		return t
	}
	inner, syntax := whole([]byte(t.text))
	if syntax != nil || !n.accepts(inner.kind) || inner.kind == kindNull || string(inner.raw) != t.text && inner.kind&(kindObject|kindArray) == 0 {
		return t
	}
	m.edit("was a text; took the %s in it", kindName(inner.kind))
	return m.value(n, inner)
}

func kindName(k kinds) string {
	switch k {
	case kindObject:
		return "object"
	case kindArray:
		return "array"
	case kindBoolean:
		return "boolean"
	}
	return "number"
}

// member gives an enum member the case that the schema has.
func (m *mender) member(n *node, t *tree) *tree {
	if _, ok := n.contains([]byte(t.text)); ok {
		return t
	}
	found := ""
	for _, c := range n.enum {
		if c.kind == kindString && strings.EqualFold(c.text, t.text) {
			if found != "" {
				return t
			}
			found = c.text
		}
	}
	if found == "" {
		return t
	}
	m.edit("was %s; made it %s", quote(clip(t.text, 40)), quote(found))
	return stringTree(found)
}

func (m *mender) object(n *node, t *tree) *tree {
	if n.props == nil && n.values == nil {
		return t
	}
	out := &tree{kind: kindObject, members: make([]branch, 0, len(t.members))}
	for _, b := range t.members {
		child := n.values
		m.path = append(m.path, b.name)
		if i := n.find([]byte(b.name), 0); i >= 0 {
			child = n.props[i].node
		}
		if !m.omitted(child, b.tree) {
			out.members = append(out.members, branch{b.name, m.value(child, b.tree)})
		}
		m.path = m.path[:len(m.path)-1]
	}
	return out
}

// omitted reports whether a member says no more than that it is not there.
func (m *mender) omitted(n *node, t *tree) bool {
	if n == nil || !n.optional {
		return false
	}
	switch {
	case t.kind == kindNull && n.kinds&kindNull == 0:
		m.edit("was null; left it out")
		return true
	case t.kind == kindString && t.text == "" && n.kinds&kindString == 0:
		m.edit("was empty; left it out")
		return true
	}
	return false
}

func (m *mender) array(n *node, t *tree) *tree {
	out := &tree{kind: kindArray, items: make([]*tree, len(t.items))}
	for i, item := range t.items {
		m.path = append(m.path, "["+strconv.Itoa(i)+"]")
		out.items[i] = m.value(n.items, item)
		m.path = m.path[:len(m.path)-1]
	}
	return out
}

// stringTree is a string value.
func stringTree(s string) *tree {
	return &tree{kind: kindString, text: s, raw: appendQuoted(nil, s)}
}

// append writes the value: a container from its parts, anything else as it was.
func (t *tree) append(b []byte) []byte {
	switch t.kind {
	case kindObject:
		b = append(b, '{')
		for i, m := range t.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = m.tree.append(append(appendQuoted(b, m.name), ':'))
		}
		return append(b, '}')
	case kindArray:
		b = append(b, '[')
		for i, item := range t.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.append(b)
		}
		return append(b, ']')
	}
	return append(b, t.raw...)
}
