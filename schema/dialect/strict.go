package dialect

import (
	"errors"
	"fmt"
	"strings"
)

// The strict mode of OpenAI promises arguments that fit the schema, and takes only
// schemas of a certain form: every object closed, every property required, where
// null stands for one that is left out (OpenAI, structured outputs guide,
// supported schemas).
const (
	maxStrictProperties = 5000
	maxStrictLevels     = 10
	maxStrictEnum       = 1000
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
	s := strictWalk{walk: walk{rules: rules{keywords: strictKeywords}}}
	b := new(back)
	root, err := s.schema(c.root, b, 1)
	if err == nil && s.properties > maxStrictProperties {
		err = fmt.Errorf("more than %d properties", maxStrictProperties)
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
}

func (s *strictWalk) schema(v *value, b *back, level int) (*value, error) {
	if level > maxStrictLevels {
		return nil, fmt.Errorf("more than %d levels", maxStrictLevels)
	}
	if v.kind != objectKind {
		return nil, errors.New("a value of any kind")
	}
	out := object()
	out.members = append(out.members, v.members...)
	out.drop(noise...)
	sane(out)
	s.equivalentStrict(out)
	if v.get("allOf") != nil && out.get("allOf") != nil {
		return nil, errors.New("allOf")
	}
	if level == 1 && out.get("anyOf") != nil {
		return nil, errors.New("a choice at the root")
	}
	if f := out.get("format"); f != nil && !contains(strictFormats, f.str()) {
		out.drop("format")
		say(out, "Format: "+f.str()+".")
	}
	free := out.get("additionalProperties")
	s.unsaid(out)
	return out, s.descend(out, free, b, level)
}

// equivalentStrict is equivalents without the rule on enums, which may hold any
// scalar here.
func (s *strictWalk) equivalentStrict(v *value) {
	enum := v.get("enum")
	if c := v.get("const"); c != nil && enum == nil {
		enum = list(c)
		v.drop("const")
	}
	v.drop("enum")
	s.equivalents(v)
	if enum != nil {
		v.set("enum", enum)
		if v.get("type") == nil {
			typeOfEnum(v, enum)
		}
	}
}

// typeOfEnum adds the type that all values of an enum have.
func typeOfEnum(v, enum *value) {
	for _, item := range enum.items {
		if item.kind != scalar || !strings.HasPrefix(item.raw, `"`) {
			return
		}
	}
	v.set("type", text("string"))
}

func (s *strictWalk) descend(v, free *value, b *back, level int) error {
	types := v.get("type").strs()
	if enum := v.get("enum"); enum != nil && len(enum.items) > maxStrictEnum {
		return fmt.Errorf("an enum of more than %d values", maxStrictEnum)
	}
	switch {
	case v.get("anyOf") != nil:
		return s.choice(v, level)
	case len(types) == 0:
		return errors.New("a value of any kind")
	case contains(types, "object"):
		return s.object(v, free, b, level)
	case contains(types, "array"):
		items := v.get("items")
		if items == nil {
			return errors.New("an array of anything")
		}
		out, err := s.schema(items, b.inside(), level+1)
		v.set("items", out)
		return err
	}
	return nil
}

func (s *strictWalk) choice(v *value, level int) error {
	out := list()
	for _, item := range v.get("anyOf").items {
		one, err := s.schema(item, new(back), level+1)
		if err != nil {
			return err
		}
		out.items = append(out.items, one)
	}
	v.set("anyOf", out)
	v.drop("properties", "required", "additionalProperties")
	return nil
}

func (s *strictWalk) object(v, free *value, b *back, level int) error {
	props := v.get("properties")
	if free != nil && !free.is("false") || props == nil && level > 1 {
		return errors.New("an object with members of any name")
	}
	required := v.get("required").strs()
	out, names := object(), list()
	if props != nil {
		for _, m := range props.members {
			s.properties++
			child, err := s.schema(m.value, b.member(m.name), level+1)
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			if !contains(required, m.name) && nullable(child) {
				b.dropNull(m.name)
			}
			out.members = append(out.members, member{m.name, child})
			names.items = append(names.items, text(m.name))
		}
	}
	v.set("properties", out)
	v.set("required", names)
	v.set("additionalProperties", literal("false"))
	return nil
}

// nullable makes a schema accept null, and reports whether it did not before.
func nullable(v *value) bool {
	null := text("null")
	if group := v.get("anyOf"); group != nil {
		for _, item := range group.items {
			if contains(item.get("type").strs(), "null") {
				return false
			}
		}
		group.items = append(group.items, object().with("type", null))
		return true
	}
	types := v.get("type").strs()
	if contains(types, "null") {
		return false
	}
	out := list()
	for _, t := range types {
		out.items = append(out.items, text(t))
	}
	out.items = append(out.items, null)
	v.set("type", out)
	if enum := v.get("enum"); enum != nil {
		v.set("enum", list(append(append([]*value(nil), enum.items...), literal("null"))...))
	}
	return true
}
