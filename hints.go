package toolfall

import "encoding/json"

// Hints say how a tool behaves, as far as its author tells. They help to choose
// and to schedule; nothing may be allowed because a hint says so, unless the
// author is trusted.
type Hints struct {
	Title       string // for people
	ReadOnly    Hint   // it changes nothing
	Destructive Hint   // what it changes may be lost
	Idempotent  Hint   // a second equal call changes nothing more
	OpenWorld   Hint   // it reaches beyond this machine
}

// A Hint is yes, no, or not told.
type Hint int8

// The values of a Hint.
const (
	Untold Hint = iota
	Yes
	No
)

// wireHints is Hints as MCP spells them.
type wireHints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    Hint   `json:"readOnlyHint,omitzero"`
	Destructive Hint   `json:"destructiveHint,omitzero"`
	Idempotent  Hint   `json:"idempotentHint,omitzero"`
	OpenWorld   Hint   `json:"openWorldHint,omitzero"`
}

// MarshalJSON writes the hints that are told, under the names that MCP uses.
func (h Hints) MarshalJSON() ([]byte, error) { return json.Marshal(wireHints(h)) }

// UnmarshalJSON reads what MarshalJSON writes.
func (h *Hints) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, (*wireHints)(h)) }

// MarshalJSON writes true, false or null.
func (h Hint) MarshalJSON() ([]byte, error) {
	return []byte([...]string{"null", "true", "false"}[h]), nil
}

// UnmarshalJSON reads true, false or null.
func (h *Hint) UnmarshalJSON(raw []byte) error {
	var b *bool
	if err := json.Unmarshal(raw, &b); err != nil {
		return err
	}
	switch {
	case b == nil:
		*h = Untold
	case *b:
		*h = Yes
	default:
		*h = No
	}
	return nil
}
