package dialect

import (
	"fmt"
	"strings"
)

// rules are what a dialect that is not strict asks of a schema.
type rules struct {
	keywords  []string            // what may stand in a schema; nil allows all
	fold      bool                // no combinator at the root
	key       func(string) string // makes a member name legal; nil takes all
	deepKeys  bool                // key holds below the root too
	items     *value              // what an array without items gets; nil leaves it
	typeLists bool                // a type may be a list
}

func rulesOf(d Dialect) rules {
	switch d {
	case Anthropic:
		return rules{
			fold:      true, // claude-code issue 5973: one such tool spoils every request
			key:       anthropicKey,
			typeLists: true,
		}
	case Gemini:
		return rules{
			// Gemini API, structured output: the supported part of JSON Schema.
			keywords: []string{
				"type", "description", "enum", "format", "properties", "required", "additionalProperties",
				"items", "minItems", "maxItems", "minimum", "maximum", "anyOf",
			},
			fold: true, key: legalKey, deepKeys: true,
			items:     object().with("type", text("string")),
			typeLists: true,
		}
	}
	// "array schema missing items": spring-ai issue 2561.
	return rules{items: object(), typeLists: true}
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

func (v *value) with(name string, to *value) *value {
	v.set(name, to)
	return v
}

// walk converts a schema and all below it.
type walk struct {
	rules
	back *back
}

// noise says nothing to a model that it could use.
var noise = []string{"$schema", "$id", "$comment", "$anchor", "$defs", "definitions", "title", "$vocabulary", "$dynamicAnchor"}

// schema converts one schema. b is the way back to it.
func (w *walk) schema(v *value, b *back, root bool) *value {
	if v.kind != objectKind { // true and false
		if v.is("false") {
			return object().with("description", text("No value is valid here."))
		}
		return object()
	}
	out := object()
	out.members = append(out.members, v.members...)
	out.drop(noise...)
	sane(out)
	if root && w.fold {
		foldRoot(out)
	}
	w.equivalents(out)
	w.unsaid(out)
	w.properties(out, b, root)
	w.children(out, b)
	return out
}

// sane drops the keywords whose value is of a kind that JSON Schema does not know
// for them: they mean nothing, and providers refuse them.
func sane(v *value) {
	var odd []string
	for _, m := range v.members {
		if !fits(m.name, m.value) {
			odd = append(odd, m.name)
		}
	}
	v.drop(odd...)
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
		return len(v.strs()) > 0 && !contains(v.strs(), "")
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
	if w.keywords == nil {
		if items := v.get("items"); items != nil && items.kind == array {
			v.set("items", tuple(items))
		}
		return
	}
	if c := v.get("const"); c != nil && v.get("enum") == nil {
		v.set("enum", list(c))
		v.drop("const")
	}
	if o := v.get("oneOf"); o != nil && v.get("anyOf") == nil {
		v.set("anyOf", o)
		v.drop("oneOf")
	}
	if all := v.get("allOf"); all != nil && len(all.items) == 1 {
		v.drop("allOf")
		merge(v, all.items[0])
	}
	if items := v.get("items"); items != nil && items.kind == array {
		v.set("items", tuple(items))
	}
	if e := v.get("enum"); e != nil {
		stringEnum(v, e)
	}
}

// tuple is one schema for the items of a draft-07 tuple.
func tuple(items *value) *value {
	switch len(items.items) {
	case 0:
		return object()
	case 1:
		return items.items[0]
	}
	return object().with("anyOf", list(items.items...))
}

// stringEnum moves an enum that has more than strings in it into the description:
// Gemini's enums are strings.
func stringEnum(v, e *value) {
	for _, item := range e.items {
		if item.kind != scalar || !strings.HasPrefix(item.raw, `"`) {
			v.drop("enum")
			say(v, "One of "+e.String()+".")
			return
		}
	}
}

// merge adds what v does not say itself.
func merge(v, more *value) {
	for _, m := range more.members {
		if v.get(m.name) == nil {
			v.set(m.name, m.value)
		}
	}
}

// unsaid drops the keywords that the dialect does not have, and says in words
// what they demand.
func (w *walk) unsaid(v *value) {
	if w.keywords == nil {
		return
	}
	var words, names []string
	for _, m := range v.members {
		if contains(w.keywords, m.name) {
			continue
		}
		names = append(names, m.name)
		if s := inWords(m.name, m.value); s != "" {
			words = append(words, s)
		}
	}
	v.drop(names...)
	if len(words) > 0 {
		say(v, strings.Join(words, " "))
	}
}

// say adds a sentence to the description.
func say(v *value, sentence string) {
	old := v.get("description").str()
	if old != "" && !strings.HasSuffix(old, " ") {
		old += " "
	}
	v.set("description", text(old+sentence))
}

// inWords says what a keyword demands, or nothing when it demands nothing.
func inWords(name string, v *value) string {
	const longest = 200
	shown := v.String()
	if len(shown) > longest {
		shown = strings.ToValidUTF8(shown[:longest], "") + "…"
	}
	switch name {
	case "default":
		return "Default: " + shown + "."
	case "examples":
		return "Examples: " + shown + "."
	case "pattern":
		return "Must match " + shown + "."
	case "minLength":
		return "At least " + shown + " characters."
	case "maxLength":
		return "At most " + shown + " characters."
	case "exclusiveMinimum":
		return "More than " + shown + "."
	case "exclusiveMaximum":
		return "Less than " + shown + "."
	case "deprecated", "readOnly", "writeOnly", "nullable", "contentEncoding", "contentMediaType", "propertyOrdering":
		return ""
	}
	if strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "$") {
		return ""
	}
	return fmt.Sprintf("JSON Schema %s: %s.", name, shown)
}

// properties converts the members of an object, their names included.
func (w *walk) properties(v *value, b *back, root bool) {
	props := v.get("properties")
	if props == nil || props.kind != objectKind {
		return
	}
	names := make([]string, len(props.members))
	for i, m := range props.members {
		names[i] = m.name
	}
	wire := names
	if w.key != nil && (root || w.deepKeys) {
		wire = unique(names, w.key)
	}
	out := object()
	renamed := make(map[string]string)
	for i, m := range props.members {
		if wire[i] != m.name {
			b.rename(wire[i], m.name)
			renamed[m.name] = wire[i]
		}
		out.members = append(out.members, member{wire[i], w.schema(m.value, b.member(m.name), false)})
	}
	v.set("properties", out)
	if required := v.get("required"); required != nil && len(renamed) > 0 {
		v.set("required", renameAll(required, renamed))
	}
}

func renameAll(required *value, renamed map[string]string) *value {
	out := list()
	for _, item := range required.items {
		if wire, ok := renamed[item.str()]; ok {
			item = text(wire)
		}
		out.items = append(out.items, item)
	}
	return out
}

// children converts the schemas that are not properties.
func (w *walk) children(v *value, b *back) {
	for _, name := range []string{"additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"} {
		if child := v.get(name); child != nil && child.kind == objectKind {
			v.set(name, w.schema(child, new(back), false))
		}
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		if group := v.get(name); group != nil && group.kind == array {
			out := list()
			for _, item := range group.items {
				out.items = append(out.items, w.schema(item, new(back), false))
			}
			v.set(name, out)
		}
	}
	items := v.get("items")
	switch {
	case items != nil:
		v.set("items", w.schema(items, b.inside(), false))
	case w.items != nil && contains(v.get("type").strs(), "array"):
		v.set("items", w.items)
	}
}

// foldRoot makes one object of a root that is a choice or a sum of objects:
// all their properties, of which those are required that each alternative
// requires.
func foldRoot(v *value) {
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		group := v.get(name)
		if group == nil {
			continue
		}
		v.drop(name)
		props := object()
		if p := v.get("properties"); p != nil {
			props.members = append(props.members, p.members...)
		}
		for _, alternative := range group.items {
			if p := alternative.get("properties"); p != nil {
				merge(props, p)
			}
		}
		v.set("properties", props)
		foldRequired(v, group, name == "allOf")
		if name != "allOf" {
			say(v, "The arguments must fit "+map[string]string{"anyOf": "one or more", "oneOf": "exactly one"}[name]+" of these: "+told(group)+".")
		}
	}
}

func foldRequired(v, group *value, all bool) {
	required := v.get("required").strs()
	count := make(map[string]int)
	var order []string
	for _, alternative := range group.items {
		for _, name := range alternative.get("required").strs() {
			if count[name] == 0 {
				order = append(order, name)
			}
			count[name]++
		}
	}
	for _, name := range order {
		if (all || count[name] == len(group.items)) && !contains(required, name) {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		out := list()
		for _, name := range required {
			out.items = append(out.items, text(name))
		}
		v.set("required", out)
	}
}

// told lists alternatives by what they require.
func told(group *value) string {
	var ss []string
	for _, alternative := range group.items {
		ss = append(ss, "{"+strings.Join(alternative.get("required").strs(), ", ")+"}")
	}
	return strings.Join(ss, " or ")
}
