package schema

// A Type names a kind of JSON value, as JSON Schema spells it.
type Type string

// The types of a property.
const (
	String  Type = "string"
	Number  Type = "number"
	Integer Type = "integer"
	Boolean Type = "boolean"
	Object  Type = "object"
	Array   Type = "array"
	Any     Type = "" // any JSON value
)

// A Spec describes an object by its properties, in order. The order is that of
// the JSON Schema made from it, of its required list, and of the violations
// that are reported. A nil Spec accepts any object.
type Spec []Prop

// A Prop describes one property of an object, or the items of an array. What a
// Prop states is both told to the model and enforced, but for Description and
// Default, which are only told.
type Prop struct {
	Name        string // of a property; items have none
	Type        Type
	Required    bool   // the object must have it
	Description string // left out of the schema when empty
	Default     any    // told, never filled in
	Enum        []any  // the only values allowed: strings, numbers or booleans, fitting Type

	Properties Spec  // of an Object; nil accepts any members
	Values     *Prop // of an Object without Properties: what each member must be
	Items      *Prop // of an Array; nil accepts any items

	Minimum, Maximum     *float64 // of a Number or Integer, both inclusive
	MinLength, MaxLength *int     // of a String, in Unicode code points
	Pattern              string   // of a String: a regular expression, unanchored, in Go's syntax
	Format               string   // of a String: date-time, uri, email or uuid
	MinItems, MaxItems   *int     // of an Array
}
