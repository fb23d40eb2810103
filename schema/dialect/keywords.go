package dialect

// A place says which part of a value a schema inside another is about.
type place uint8

const (
	here     place = iota // the value itself
	inMember              // a member of it, by name
	inOthers              // its members of any other name
	inItems               // its items
	inNames               // the names of its members
	apart                 // nothing, until somebody refers to it
)

// A form is how the schemas stand in the value of a keyword.
type form uint8

const (
	one     form = iota + 1 // a schema
	several                 // an array of schemas
	either                  // one or several
	byName                  // an object of schemas
)

// holders are the keywords of JSON Schema, draft-07 to 2020-12, that hold schemas.
// What stands in any other is a value, whatever it looks like.
var holders = map[string]struct {
	form  form
	place place
}{
	"anyOf": {several, here}, "oneOf": {several, here}, "allOf": {several, here},
	"not": {one, here}, "if": {one, here}, "then": {one, here}, "else": {one, here},
	"dependentSchemas":  {byName, here},
	"properties":        {byName, inMember},
	"patternProperties": {byName, inOthers}, "additionalProperties": {one, inOthers}, "unevaluatedProperties": {one, inOthers},
	"items": {either, inItems}, "prefixItems": {several, inItems}, "additionalItems": {one, inItems},
	"contains": {one, inItems}, "unevaluatedItems": {one, inItems},
	"propertyNames": {one, inNames},
	"$defs":         {byName, apart}, "definitions": {byName, apart},
}

// A spot is where a schema stands in the one around it.
type spot struct {
	place place
	name  string // of the member
}

// children replaces each schema directly inside v by what f makes of it.
func (v *value) children(f func(child *value, at spot) (*value, error)) error {
	for i, m := range v.members {
		holder := holders[m.name]
		list := holder.form == several || holder.form == either && m.value.kind == array
		var err error
		switch {
		case list && m.value.kind == array:
			v.members[i].value, err = m.value.listed(holder.place, f)
		case holder.form == byName && m.value.kind == objectKind:
			v.members[i].value, err = m.value.named(holder.place, f)
		case !list && holder.form != byName && holder.form != 0:
			v.members[i].value, err = f(m.value, spot{place: holder.place})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *value) listed(at place, f func(*value, spot) (*value, error)) (*value, error) {
	out := list()
	for _, item := range v.items {
		child, err := f(item, spot{place: at})
		if err != nil {
			return nil, err
		}
		out.items = append(out.items, child)
	}
	return out, nil
}

func (v *value) named(at place, f func(*value, spot) (*value, error)) (*value, error) {
	out := object()
	for _, m := range v.members {
		child, err := f(m.value, spot{place: at, name: m.name})
		if err != nil {
			return nil, err
		}
		out.members = append(out.members, member{m.name, child})
	}
	return out, nil
}
