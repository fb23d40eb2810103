package dialect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The strict mode of OpenAI promises arguments that fit the schema, and takes only
// schemas of a certain form: every object closed, every property required, where
// null stands for one that is left out (OpenAI, structured outputs guide,
// supported schemas).
const (
	maxStrictProperties = 5000
	maxStrictLevels     = 10
	maxStrictEnum       = 1000    // values, in all enums of a tool
	maxStrictText       = 120_000 // characters of names and enum values, in all of a tool
	bigStrictEnum       = 250     // values; an enum of more of them
	maxStrictEnumText   = 15_000  // may have so many characters
)

// strictKeywords are those that the guide lists.
var strictKeywords = []string{
	"type", "description", "enum", "properties", "required", "additionalProperties", "items", "anyOf",
	"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
}

var strictFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// strict converts the schema, or reports that the mode cannot express it, which
// leaves c as it was: the tool is then sent without the promise.
func (c *conversion) strict() bool {
	s := strictWalk{walk: walk{rules{keywords: strictKeywords}}}
	root, b := renamed(c.root, s.rules)
	root, err := s.schema(root, b, 1)
	if err == nil {
		err = s.affordable()
	}
	if err == nil && root.get("type").str() != "object" {
		err = errors.New("a root that is not an object")
	}
	if err != nil {
		c.warn("sent without strict: %v", err)
		return false
	}
	c.root, c.back = root, b.trim()
	return true
}

type strictWalk struct {
	walk
	properties int
	values     int // of enums
	text       int // characters of names and values
}

func (s *strictWalk) affordable() error {
	switch {
	case s.properties > maxStrictProperties:
		return fmt.Errorf("more than %d properties", maxStrictProperties)
	case s.values > maxStrictEnum:
		return fmt.Errorf("more than %d values in its enums", maxStrictEnum)
	case s.text > maxStrictText:
		return fmt.Errorf("more than %d characters of names and values", maxStrictText)
	}
	return nil
}

func (s *strictWalk) schema(v *value, b *back, level int) (*value, error) {
	switch {
	case level > maxStrictLevels:
		return nil, fmt.Errorf("more than %d levels", maxStrictLevels)
	case v.kind != objectKind:
		return nil, errors.New("a value of any kind")
	}
	out := sane(v.without(noise...))
	s.equivalents(out)
	switch {
	case out.get("allOf") != nil:
		return nil, errors.New("an allOf that does not come to one schema")
	case level == 1 && out.get("anyOf") != nil:
		return nil, errors.New("a choice at the root")
	}
	if f := out.get("format"); f != nil && !slices.Contains(strictFormats, f.str()) {
		out.drop("format")
		say(out, "Format: "+f.str()+".")
	}
	free := out.get("additionalProperties")
	s.unsaid(out)
	if err := s.enum(out); err != nil {
		return nil, err
	}
	return out, s.descend(out, free, b, level)
}

// enum counts the values of an enum, and adds the type that they have.
func (s *strictWalk) enum(v *value) error {
	enum := v.get("enum")
	if enum == nil {
		return nil
	}
	size := 0
	types := list()
	for _, item := range enum.items {
		size += len(item.raw)
		types = union(types, list(text(typeName(item))))
	}
	s.values += len(enum.items)
	s.text += size
	if len(enum.items) > bigStrictEnum && size > maxStrictEnumText {
		return fmt.Errorf("an enum of %d values and more than %d characters", len(enum.items), maxStrictEnumText)
	}
	switch {
	case v.get("type") != nil || len(types.items) == 0:
	case len(types.items) == 1:
		v.set("type", types.items[0])
	default:
		v.set("type", types)
	}
	return nil
}

// typeName is the name JSON Schema has for the type of a value.
func typeName(v *value) string {
	switch {
	case v.kind == objectKind:
		return "object"
	case v.kind == array:
		return "array"
	case v.is("null"):
		return "null"
	case v.is("true"), v.is("false"):
		return "boolean"
	case strings.HasPrefix(v.raw, `"`):
		return "string"
	case strings.ContainsAny(v.raw, ".eE"):
		return "number"
	}
	return "integer"
}

func (s *strictWalk) descend(v, free *value, b *back, level int) error {
	types := v.get("type").strs()
	switch {
	case v.get("anyOf") != nil:
		return s.choice(v, b, level)
	case len(types) == 0:
		return errors.New("a value of any kind")
	}
	if !slices.Contains(types, "object") {
		v.drop("properties", "required", "additionalProperties")
	} else if err := s.object(v, free, b, level); err != nil {
		return err
	}
	if !slices.Contains(types, "array") {
		v.drop("items", "minItems", "maxItems")
		return nil
	}
	return s.array(v, b, level)
}

func (s *strictWalk) array(v *value, b *back, level int) error {
	items := v.get("items")
	if items == nil {
		return errors.New("an array of anything")
	}
	out, err := s.schema(items, b.at(spot{place: inItems}), level+1)
	v.set("items", out)
	return err
}

// choice converts the alternatives, to each of which it adds what stands beside
// them.
func (s *strictWalk) choice(v *value, b *back, level int) error {
	beside, out := v.without("anyOf", "description"), list()
	for _, item := range v.get("anyOf").items {
		item, whole := conjoin(beside, item)
		if !whole {
			return errors.New("a choice beside something that excludes it")
		}
		one, err := s.schema(item, b, level+1)
		if err != nil {
			return err
		}
		out.items = append(out.items, one)
	}
	said := v.get("description")
	v.members = nil
	if said != nil {
		v.set("description", said)
	}
	v.set("anyOf", out)
	return nil
}

func (s *strictWalk) object(v, free *value, b *back, level int) error {
	props := v.get("properties")
	if free != nil && !free.is("false") || props == nil && level > 1 {
		return errors.New("an object with members of any name")
	}
	required := v.get("required").strs()
	for _, name := range required {
		if props.get(name) == nil {
			return fmt.Errorf("the required member %q, of which nothing is said", name)
		}
	}
	out, names := object(), list()
	for _, m := range props.inside() {
		s.properties++
		s.text += len(m.name)
		child, err := s.schema(m.value, b.at(spot{inMember, m.name}), level+1)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		optional := !slices.Contains(required, m.name)
		b.null(m.name, optional && !takesNull(child))
		if optional && !takesNull(child) {
			addNull(child)
		}
		out.members = append(out.members, member{m.name, child})
		names.items = append(names.items, text(m.name))
	}
	v.set("properties", out)
	v.set("required", names)
	v.set("additionalProperties", literal("false"))
	return nil
}

// takesNull reports whether a converted schema accepts null.
func takesNull(v *value) bool {
	if group := v.get("anyOf"); group != nil {
		return slices.ContainsFunc(group.items, takesNull)
	}
	return slices.Contains(v.get("type").strs(), "null")
}

// addNull makes a schema accept null.
func addNull(v *value) {
	if group := v.get("anyOf"); group != nil {
		group.items = append(group.items, object().with("type", text("null")))
		return
	}
	v.set("type", texts(append(v.get("type").strs(), "null")))
	if enum := v.get("enum"); enum != nil {
		v.set("enum", union(enum, list(literal("null"))))
	}
}
