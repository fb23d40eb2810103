package dialect

import (
	"fmt"
	"strconv"
	"strings"
)

// inliner replaces references by what they point to. Providers differ on which
// references they follow, and some follow none (gemini-cli issue 13326).
type inliner struct {
	root  *value
	nodes int
	cut   bool // a reference to itself was cut off
}

// inline returns a copy of v without references. Within are those that are being
// followed: a schema that contains itself ends at the second turn, where it
// accepts anything.
func (in *inliner) inline(v *value, within []string, depth int) (*value, error) {
	in.nodes++
	switch {
	case depth > maxDepth:
		return nil, errDeep
	case in.nodes > maxNodes:
		return nil, errBig
	}
	if v.kind == objectKind && v.get("$ref").str() != "" {
		return in.follow(v, within, depth)
	}
	c := &value{kind: v.kind, raw: v.raw}
	for _, m := range v.members {
		child, err := in.inline(m.value, within, depth+1)
		if err != nil {
			return nil, err
		}
		c.members = append(c.members, member{m.name, child})
	}
	for _, item := range v.items {
		child, err := in.inline(item, within, depth+1)
		if err != nil {
			return nil, err
		}
		c.items = append(c.items, child)
	}
	return c, nil
}

// follow returns what a reference points to, with what stands beside it.
func (in *inliner) follow(v *value, within []string, depth int) (*value, error) {
	ref := v.get("$ref").str()
	beside := &value{kind: objectKind}
	for _, m := range v.members {
		if m.name != "$ref" {
			beside.members = append(beside.members, m)
		}
	}
	if contains(within, ref) {
		in.cut = true
		return in.inline(beside, within, depth+1)
	}
	target, err := in.lookup(ref)
	if err != nil {
		return nil, err
	}
	merged := object()
	if target.kind == objectKind {
		merged.members = append(merged.members, target.members...)
	}
	for _, m := range beside.members {
		merged.set(m.name, m.value)
	}
	return in.inline(merged, append(within[:len(within):len(within)], ref), depth+1)
}

// lookup resolves a JSON Pointer into the schema itself. Nothing is fetched: MCP
// forbids it (specification 2026-07-28, JSON Schema usage), and so does sense.
func (in *inliner) lookup(ref string) (*value, error) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil, fmt.Errorf("the reference %q leads out of the schema", ref)
	}
	v := in.root
	if pointer == "" {
		return v, nil
	}
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		next := v.get(part)
		if i, err := strconv.Atoi(part); err == nil && v.kind == array && 0 <= i && i < len(v.items) {
			next = v.items[i]
		}
		if next == nil {
			return nil, fmt.Errorf("the reference %q points to nothing", ref)
		}
		v = next
	}
	return v, nil
}
