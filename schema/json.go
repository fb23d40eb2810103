package schema

import "encoding/json"

// JSON is a JSON text that cannot change, so it may be shared without a copy.
type JSON string

// MarshalJSON returns the text itself, or null when it is empty.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == "" {
		return []byte("null"), nil
	}
	return []byte(j), nil
}

// UnmarshalJSON keeps the text byte for byte.
func (j *JSON) UnmarshalJSON(raw []byte) error {
	*j = JSON(raw)
	return nil
}

// IsObject reports whether the text is a whole JSON object.
func (j JSON) IsObject() bool {
	p := begin([]byte(j))
	defer p.end()
	if p.peek() != '{' {
		return false
	}
	if p.skip() {
		p.peek()
		return p.i == len(p.b)
	}
	return json.Valid(p.b) // a foreign schema may have what arguments may not: depth, duplicates
}

// appendQuoted appends s as a JSON string. It escapes what JSON requires and no
// more, so that a description reads the same on the wire.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s { // a byte that is not UTF-8 comes as U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}
