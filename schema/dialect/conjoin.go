package dialect

import (
	"slices"
	"strconv"
)

// conjoin is one schema that demands what a and b do. It is not whole where one
// schema cannot say that: there b's keyword stands alone.
func conjoin(a, b *value) (sum *value, whole bool) {
	switch {
	case a.is("false") || b.is("true"):
		return a, true
	case b.is("false") || a.is("true"):
		return b, true
	}
	return merged(a, b, both)
}

// merged has the members of both; what is there twice is what f makes of it.
func merged(a, b *value, f func(name string, a, b *value) (*value, bool)) (sum *value, whole bool) {
	sum, whole = a.without(), true
	for _, m := range b.members {
		if old := sum.get(m.name); old != nil {
			var ok bool
			m.value, ok = f(m.name, old, m.value)
			whole = whole && ok
		}
		sum.set(m.name, m.value)
	}
	return sum, whole
}

// annotations say something about a value and demand nothing of it.
var annotations = []string{
	"description", "title", "default", "examples", "deprecated", "readOnly", "writeOnly",
	"$comment", "$id", "$schema", "$anchor", "$dynamicAnchor",
}

// both is the value of a keyword that two schemas have.
func both(keyword string, a, b *value) (v *value, whole bool) {
	if slices.Contains(annotations, keyword) || a.String() == b.String() {
		return b, true
	}
	switch keyword {
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		return bothNamed(a, b)
	case "required":
		return union(a, b), true
	case "allOf":
		return list(slices.Concat(a.items, b.items)...), true
	case "enum":
		return common(a, b)
	case "type":
		return commonTypes(a, b)
	case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
		return stricter(a, b, func(x, y float64) bool { return x > y })
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
		return stricter(a, b, func(x, y float64) bool { return x < y })
	}
	return b, false
}

func bothNamed(a, b *value) (v *value, whole bool) {
	return merged(a, b, func(_ string, a, b *value) (*value, bool) { return conjoin(a, b) })
}

// union is the items of both, each once.
func union(a, b *value) *value {
	out := list(a.items...)
	for _, item := range b.items {
		if !a.holds(item) {
			out.items = append(out.items, item)
		}
	}
	return out
}

// common is the items that both have; there must be one.
func common(a, b *value) (*value, bool) {
	out := list()
	for _, item := range a.items {
		if b.holds(item) {
			out.items = append(out.items, item)
		}
	}
	return out, len(out.items) > 0
}

// holds reports whether an array has an item of the same text.
func (v *value) holds(item *value) bool {
	return slices.ContainsFunc(v.items, func(i *value) bool { return i.String() == item.String() })
}

func commonTypes(a, b *value) (*value, bool) {
	var out []string
	for _, t := range a.strs() {
		switch {
		case slices.Contains(b.strs(), t):
			out = append(out, t)
		case t == "number" && slices.Contains(b.strs(), "integer"):
			out = append(out, "integer")
		case t == "integer" && slices.Contains(b.strs(), "number"):
			out = append(out, t)
		}
	}
	if len(out) == 1 {
		return text(out[0]), true
	}
	return texts(out), len(out) > 0
}

func stricter(a, b *value, first func(x, y float64) bool) (*value, bool) {
	x, errA := strconv.ParseFloat(a.raw, 64)
	y, errB := strconv.ParseFloat(b.raw, 64)
	switch {
	case errA != nil || errB != nil:
		return b, false // a boolean, in draft-04
	case first(x, y):
		return a, true
	}
	return b, true
}

// disjoin is one schema that either a or b satisfies.
func disjoin(a, b *value) *value {
	if a.String() == b.String() {
		return a
	}
	if x, y := choicesOf(a), choicesOf(b); x != nil && y != nil {
		out := a.without("const").with("enum", union(x, y))
		if a.get("type").String() != b.get("type").String() {
			out.drop("type")
		}
		return out
	}
	return object().with("anyOf", union(alternatives(a), alternatives(b)))
}

// choicesOf is the enumeration that a schema is, if it is no more than that.
func choicesOf(v *value) *value {
	for _, m := range v.without(annotations...).members {
		if m.name != "type" && m.name != "enum" && m.name != "const" {
			return nil
		}
	}
	if c := v.get("const"); c != nil {
		return list(c)
	}
	return v.get("enum")
}

// alternatives are those of a schema that is only a choice, or the schema itself.
func alternatives(v *value) *value {
	if group := v.get("anyOf"); group != nil && len(v.members) == 1 {
		return group
	}
	return list(v)
}
