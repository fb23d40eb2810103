package dialect

import (
	"slices"
	"strings"
)

// folded is one object for a root that is a choice or a sum of objects: all their
// properties, of which those are required that each alternative requires. What
// that does not say is said in words.
func folded(v *value) *value {
	if v.kind != objectKind {
		return v
	}
	v = sane(v)
	if all := v.get("allOf"); all != nil {
		v = summed(v.without("allOf"), all.items)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if group := v.get(keyword); group != nil {
			v = chosen(v.without(keyword), keyword, group.items)
		}
	}
	return v
}

// summed adds what each of the parts demands.
func summed(v *value, parts []*value) *value {
	for _, part := range parts {
		part = folded(part)
		if v.get("description") != nil {
			part = part.without("description")
		}
		sum, whole := conjoin(v, part)
		if !whole {
			say(sum, inWords("allOf", list(part)))
		}
		if sum.kind == objectKind {
			v = sum
		}
	}
	return v
}

// chosen adds the properties of the alternatives.
func chosen(v *value, keyword string, alternatives []*value) *value {
	offered, needed := object(), []string(nil)
	var told []string
	for i, alternative := range alternatives {
		alternative = folded(alternative)
		for _, m := range alternative.get("properties").inside() {
			if old := offered.get(m.name); old != nil {
				m.value = disjoin(old, m.value)
			}
			offered.set(m.name, m.value)
		}
		required := alternative.get("required").strs()
		if i == 0 {
			needed = required
		}
		needed = slices.DeleteFunc(needed, func(name string) bool { return !slices.Contains(required, name) })
		told = append(told, "{"+strings.Join(required, ", ")+"}")
	}
	if own := v.get("properties"); own != nil {
		offered, _ = bothNamed(own, offered)
	}
	v.set("properties", offered)
	if required := append(v.get("required").strs(), needed...); len(required) > 0 {
		v.set("required", union(list(), texts(required)))
	}
	many := map[string]string{"anyOf": "one or more", "oneOf": "exactly one"}[keyword]
	say(v, "The arguments must fit "+many+" of these: "+strings.Join(told, " or ")+".")
	return v
}
