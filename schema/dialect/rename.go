package dialect

import "slices"

// renamer gives the members of a schema names that a provider takes. A name has
// one other name in all of the schema, so what two alternatives of it demand of the
// same member stays the same, and the way back does not depend on which was meant.
type renamer struct {
	legal func(string) string
	deep  bool // below the root too
	wire  map[string]string
}

// renamed returns a copy of a schema with legal member names, and the way back.
func renamed(v *value, r rules) (*value, *back) {
	n := &renamer{legal: r.key, deep: r.deepKeys}
	if r.key != nil {
		var own []string
		n.collect(v, true, &own)
		n.wire = make(map[string]string, len(own))
		for i, wire := range unique(own, r.key) {
			n.wire[own[i]] = wire
		}
	}
	b := new(back)
	return n.schema(v, b, true), b
}

// collect adds the names that are to be legal.
func (n *renamer) collect(v *value, top bool, own *[]string) {
	if top || n.deep {
		for _, m := range v.get("properties").inside() {
			*own = append(*own, m.name)
		}
		*own = append(*own, v.get("required").strs()...)
	}
	v.without().children(func(child *value, at spot) (*value, error) {
		n.collect(child, top && at.place == here, own)
		return child, nil
	})
}

// schema renames in a schema. b is the way back to its value.
func (n *renamer) schema(v *value, b *back, top bool) *value {
	out := v.without()
	out.children(func(child *value, at spot) (*value, error) {
		return n.schema(child, b.at(at), top && at.place == here), nil
	})
	if top || n.deep {
		n.names(out, b)
	}
	return out
}

// byMember are the keywords whose members are named after those of the value.
var byMember = []string{"properties", "dependentRequired", "dependentSchemas", "dependencies"}

// names renames the members that the keywords of a schema speak of.
func (n *renamer) names(v *value, b *back) {
	for i, m := range v.members {
		if slices.Contains(byMember, m.name) {
			named := object()
			for _, p := range m.value.members {
				named.members = append(named.members, member{n.name(p.name, b), n.strings(p.value, m.name, b)})
			}
			if m.value.kind == objectKind {
				v.members[i].value = named
			}
		}
		if m.name == "required" {
			v.members[i].value = n.strings(m.value, "dependentRequired", b)
		}
	}
}

// strings renames in an array of names, which is what the keywords about
// dependencies hold.
func (n *renamer) strings(v *value, keyword string, b *back) *value {
	if v.kind != array || keyword == "properties" {
		return v
	}
	out := list()
	for _, item := range v.items {
		if wire := n.name(item.str(), b); wire != item.str() {
			item = text(wire)
		}
		out.items = append(out.items, item)
	}
	return out
}

// name returns the name on the wire, and notes it in the way back.
func (n *renamer) name(own string, b *back) string {
	wire, ok := n.wire[own]
	if !ok || wire == own {
		return own
	}
	b.rename(wire, own)
	return wire
}

// inside returns the members of v, which may be nil.
func (v *value) inside() []member {
	if v == nil {
		return nil
	}
	return v.members
}
