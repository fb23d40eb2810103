package dialect

import (
	"slices"
	"strings"
)

// rules are what a dialect that is not strict asks of a schema.
type rules struct {
	keywords    []string            // what may stand in a schema; nil allows all
	fold        bool                // no combinator at the root
	key         func(string) string // makes a member name legal; nil takes all
	deepKeys    bool                // key holds below the root too
	items       *value              // what an array without items gets; nil leaves it
	stringEnums bool                // an enum has nothing but strings in it
}

func rulesOf(d Dialect) rules {
	switch d {
	case Anthropic:
		return rules{
			fold: true, // claude-code issue 5973: one such tool spoils every request
			key:  anthropicKey,
		}
	case Gemini:
		return rules{
			// Gemini API, structured output: the supported part of JSON Schema.
			keywords: []string{
				"type", "description", "enum", "format", "properties", "required", "additionalProperties",
				"items", "minItems", "maxItems", "minimum", "maximum", "anyOf",
			},
			fold: true, key: legalKey, deepKeys: true,
			items:       anything(),
			stringEnums: true,
		}
	}
	// "array schema missing items": spring-ai issue 2561.
	return rules{items: object()}
}

// anything is for a provider that wants to know the type.
func anything() *value {
	types := list()
	for _, t := range []string{"string", "number", "boolean", "object"} {
		types.items = append(types.items, object().with("type", text(t)))
	}
	return object().with("description", text("Any JSON value.")).with("anyOf", types)
}

// anthropicKey is what its errors name: ^[a-zA-Z0-9_.-]{1,64}$.
func anthropicKey(name string) string {
	ok := 0 < len(name) && len(name) <= maxName
	for i := range len(name) {
		c := name[i]
		ok = ok && ('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.')
	}
	if ok {
		return name
	}
	return legalKey(name)
}

// walk converts a schema and all below it.
type walk struct{ rules }

// noise says nothing to a model that it could use.
var noise = []string{"$schema", "$id", "$comment", "$anchor", "title", "$vocabulary", "$dynamicAnchor", "$recursiveAnchor"}

// schema converts one schema.
func (w *walk) schema(v *value, root bool) *value {
	if v.kind != objectKind { // true and false
		if v.is("false") {
			return object().with("description", text("No value is valid here."))
		}
		return object()
	}
	out := sane(v.without(noise...))
	if root && w.fold {
		out = folded(out)
	}
	w.equivalents(out)
	w.unsaid(out)
	out.children(func(child *value, at spot) (*value, error) {
		if at.place == inOthers && child.kind != objectKind {
			return child, nil
		}
		return w.schema(child, false), nil
	})
	w.complete(out)
	return out
}

// sane is a schema without the keywords whose value is of a kind that JSON Schema
// does not know for them: they mean nothing, and providers refuse them.
func sane(v *value) *value {
	var odd []string
	for _, m := range v.members {
		if !fits(m.name, m.value) {
			odd = append(odd, m.name)
		}
	}
	return v.without(odd...)
}

func fits(keyword string, v *value) bool {
	switch keyword {
	case "properties", "patternProperties", "dependentSchemas":
		return v.kind == objectKind
	case "required", "enum":
		return v.kind == array
	case "anyOf", "oneOf", "allOf", "prefixItems":
		return v.kind == array && len(v.items) > 0
	case "type":
		return len(v.strs()) > 0 && !slices.Contains(v.strs(), "")
	case "items":
		return v.kind != scalar || v.is("true") || v.is("false")
	case "additionalProperties", "not":
		return v.kind == objectKind || v.is("true") || v.is("false")
	case "description", "format", "pattern":
		return v.str() != ""
	}
	return true
}

// equivalents rewrites what has another spelling that more providers take.
func (w *walk) equivalents(v *value) {
	if items := v.get("items"); items != nil && items.kind == array {
		v.set("items", tuple(items.items))
	}
	if w.keywords == nil {
		return
	}
	if prefix := v.get("prefixItems"); prefix != nil {
		all := prefix.items
		if rest := v.get("items"); rest != nil && rest.kind == objectKind {
			all = append(all[:len(all):len(all)], rest)
		}
		v.drop("prefixItems")
		v.set("items", tuple(all))
	}
	if c := v.get("const"); c != nil && v.get("enum") == nil {
		v.set("enum", list(c))
		v.drop("const")
	}
	if o := v.get("oneOf"); o != nil && v.get("anyOf") == nil {
		v.set("anyOf", o)
		v.drop("oneOf")
	}
	flatten(v)
	if e := v.get("enum"); e != nil && w.stringEnums && !allStrings(e) {
		v.drop("enum")
		say(v, inWords("enum", e))
	}
}

// tuple is one schema for all items of an array that has one for each.
func tuple(items []*value) *value {
	if len(items) == 0 {
		return object()
	}
	sum := items[0]
	for _, item := range items[1:] {
		sum = disjoin(sum, item)
	}
	return sum
}

// flatten makes one schema of the parts of an allOf, where that is possible.
func flatten(v *value) {
	sum := v
	for range maxDepth {
		all := sum.get("allOf")
		if all == nil {
			v.members = sum.members
			return
		}
		sum = sum.without("allOf")
		for _, part := range all.items {
			next, whole := conjoin(sum, part)
			if !whole || next.kind != objectKind {
				return
			}
			sum = next
		}
	}
}

func allStrings(enum *value) bool {
	for _, item := range enum.items {
		if item.kind != scalar || !strings.HasPrefix(item.raw, `"`) {
			return false
		}
	}
	return true
}

// complete adds what a provider wants to be there, and takes away what it wants to
// be elsewhere.
func (w *walk) complete(v *value) {
	if w.items != nil && v.get("items") == nil && slices.Contains(v.get("type").strs(), "array") {
		v.set("items", w.items)
	}
	if required := v.get("required"); required != nil && w.keywords != nil {
		w.required(v, required.strs())
	}
}

// required keeps those names that the schema has properties of: "property is not
// defined", says Gemini of others (gemini-cli issue 13326).
func (w *walk) required(v *value, names []string) {
	var kept, others []string
	for _, name := range names {
		if v.get("properties").get(name) != nil {
			kept = append(kept, name)
		} else {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return
	}
	v.drop("required")
	if len(kept) > 0 {
		v.set("required", texts(kept))
	}
	say(v, needs(others))
}
