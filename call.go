package toolfall

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Call is one request by a model to run one tool. Calls are values: a
// middleware that changes one passes an altered copy to next, with a new
// Arguments slice, since the bytes of the old one are shared.
type Call struct {
	ID        string          `json:"callId"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Agent     string          `json:"agent,omitempty"`  // who calls; empty for the only agent
	Parent    string          `json:"parent,omitempty"` // the ID of the call that this one is part of

	caller   context.Context // what Execute was given: no wrapper may detach the tool from it
	admitted *admission      // what admission found; nil before it
}

// Tool returns the schema of the tool that the call is going to reach, which does not
// change while the call runs. It is not ok before admission, and for a name that no
// tool has: such a call cannot run anything.
func (c Call) Tool() (s Schema, ok bool) {
	if c.admitted == nil || c.admitted.entry == nil || c.admitted.record.Name != c.Name {
		return Schema{}, false
	}
	return c.admitted.entry.Schema, true
}

// Timeout returns the Timeout of the definition of the tool that the call is going to
// reach, or 0 before admission.
func (c Call) Timeout() time.Duration {
	if c.admitted == nil || c.admitted.entry == nil {
		return 0
	}
	return c.admitted.entry.Timeout
}

// A Handler answers a call.
type Handler func(context.Context, Call) Result

// A Result is the outcome of one Call. Content is what the model reads; Err and
// Record are for programs and stay off the wire.
type Result struct {
	CallID     string          `json:"callId"`
	Content    []Content       `json:"content"` // never nil when it comes from Execute
	Structured json.RawMessage `json:"structured,omitempty"`
	IsError    bool            `json:"isError"`
	Err        error           `json:"-"` // why the call failed; [Code] tells its kind
	Record     *Record         `json:"-"` // nil when admission refused the call
}

// A Record tells what a call became on its way to the tool. It does not change.
type Record struct {
	Name      string          // the tool that the call was for in the end
	Arguments json.RawMessage // what was decided on and, if it ran, given to it
	Edits     []string        // what [RepairArguments] changed
}

// A Content is one block of what a tool returns. Type says which of the other
// fields it has.
type Content struct {
	Type     string `json:"type"` // one of the Type constants
	Text     string `json:"text,omitempty"`
	Data     []byte `json:"data,omitempty"`     // of an image or a sound, base64 on the wire
	MIMEType string `json:"mimeType,omitempty"` // of Data, or of what URI names
	URI      string `json:"uri,omitempty"`      // of a resource
}

// The types of content.
const (
	TypeText     = "text"
	TypeImage    = "image"
	TypeAudio    = "audio"
	TypeResource = "resource"

	// TypeJSON marks a block whose Text is a JSON value for programs. Execute moves
	// it into the Result's Structured, and leaves its text for the model only where
	// there is no other block to read. A Result has one at the most.
	TypeJSON = "json"
)

// Text returns s as a single block of content.
func Text(s string) []Content { return []Content{{Type: TypeText, Text: s}} }

// Image returns data, in the format that mimeType names, as a block of content.
// The block keeps data, which must not change any more.
func Image(data []byte, mimeType string) Content {
	return Content{Type: TypeImage, Data: data, MIMEType: mimeType}
}

// JSON returns v as a block for programs, behind what the model is to read. With
// no other content the model reads the JSON.
func JSON(v any, read ...Content) ([]Content, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(slices.Clip(read), Content{Type: TypeJSON, Text: string(raw)}), nil
}

// Text returns the text blocks of the Result, joined by newlines.
func (r Result) Text() string {
	var b strings.Builder
	for _, c := range r.Content {
		if c.Text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(c.Text)
	}
	return b.String()
}

// Fail returns the Result that tells the model about err.
func Fail(err error) Result {
	return Result{Content: Text("Error: " + err.Error()), IsError: true, Err: err}
}

// none is the content of a result that has nothing to say.
var none = []Content{}

// settle makes r what Execute promises of every Result.
func (r *Result) settle(id string) {
	r.CallID = id
	r.IsError = r.IsError || r.Err != nil
	if r.Content == nil {
		r.Content = none
	}
	for i := range r.Content {
		if c := &r.Content[i]; c.Type == TypeJSON || !utf8.ValidString(c.Text) {
			r.mend()
			return
		}
	}
}

// mend gives r content of its own, since the old blocks may belong to the tool:
// in valid UTF-8, and with a JSON block moved to Structured.
func (r *Result) mend() {
	blocks := make([]Content, 0, len(r.Content))
	for _, c := range r.Content {
		c.Text = strings.ToValidUTF8(c.Text, "\uFFFD")
		if c.Type == TypeJSON {
			if err := r.structure(c.Text); err != nil {
				r.Content, r.IsError, r.Err = Fail(err).Content, true, err
				return
			}
			if len(r.Content) > 1 {
				continue
			}
			c.Type = TypeText
		}
		blocks = append(blocks, c)
	}
	r.Content = blocks
}

// structure keeps text as the Result's structured value, unless the call failed.
func (r *Result) structure(text string) error {
	switch {
	case r.IsError:
	case r.Structured != nil:
		return newError(OutputInvalid, "the tool returned more than one JSON block")
	case !json.Valid([]byte(text)):
		return newError(OutputInvalid, "the tool returned a JSON block that is not JSON")
	default:
		r.Structured = json.RawMessage(text)
	}
	return nil
}
