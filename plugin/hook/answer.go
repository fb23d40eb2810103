package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/toolfall/toolfall/schema"
)

// answer is what a hook said.
type answer struct {
	verdict Verdict
	reason  string
	input   json.RawMessage // in place of the call's arguments
	output  string          // in place of the result's text
	context string          // for the model
	message string          // for the person
	halt    bool
}

// spoken is the JSON that a hook may print.
type spoken struct {
	Continue       *bool    `json:"continue"`
	StopReason     string   `json:"stopReason"`
	SystemMessage  string   `json:"systemMessage"`
	Decision       string   `json:"decision"`
	Reason         string   `json:"reason"`
	SuppressOutput bool     `json:"suppressOutput"`
	Specific       *details `json:"hookSpecificOutput"`
}

// details are what only some events have.
type details struct {
	Event      string          `json:"hookEventName"`
	Permission string          `json:"permissionDecision"`
	Reason     string          `json:"permissionDecisionReason"`
	Input      json.RawMessage `json:"updatedInput"`
	Context    string          `json:"additionalContext"`
	Output     json.RawMessage `json:"updatedToolOutput"`
	Decision   *struct {
		Behavior string          `json:"behavior"`
		Message  string          `json:"message"`
		Input    json.RawMessage `json:"updatedInput"`
		Rules    json.RawMessage `json:"updatedPermissions"`
		Stop     bool            `json:"interrupt"`
	} `json:"decision"`
}

var errOutput = errors.New("it printed something else than one JSON object")

// parseAnswer reads what a hook printed: nothing, one JSON object, or for hooks that
// only observe any text.
func parseAnswer(event Event, out []byte) (answer, error) {
	text := strings.TrimSpace(string(out))
	switch {
	case text == "":
		return answer{}, nil
	case text[0] != '{' && event.guards():
		return answer{}, errOutput
	case text[0] != '{':
		return answer{}, nil
	}
	if _, err := schema.Arguments([]byte(text)); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errOutput, err)
	}
	var s spoken
	if err := exactly([]byte(text), &s); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errOutput, err)
	}
	return s.answer(event)
}

// exactly decodes an object whose members all are known, by their exact names: another
// spelling of a verdict is no verdict.
func exactly(raw []byte, v any) error {
	if err := known(raw, reflect.TypeOf(v).Elem()); err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// known reports a member that a struct, or one inside it, does not have.
func known(raw []byte, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var members map[string]json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(raw, &members) != nil {
		return nil // what is of the wrong kind does not decode
	}
	fields := make(map[string]reflect.Type)
	for i := range t.NumField() {
		fields[t.Field(i).Tag.Get("json")] = t.Field(i).Type
	}
	for name, value := range members {
		inside, ok := fields[name]
		if !ok {
			return fmt.Errorf("unknown member %q", name)
		}
		if err := known(value, inside); err != nil {
			return err
		}
	}
	return nil
}

func (s spoken) answer(event Event) (answer, error) {
	a := answer{reason: s.Reason, message: s.SystemMessage}
	if s.Continue != nil && !*s.Continue {
		a.halt, a.verdict, a.reason = true, Denied, s.StopReason
		return a, nil
	}
	if err := a.legacy(s.Decision); err != nil {
		return a, err
	}
	if s.Specific == nil {
		return a, nil
	}
	if s.Specific.Event != string(event) {
		return a, fmt.Errorf("hookEventName is %q, and this is %s", s.Specific.Event, event)
	}
	return a, a.specific(*s.Specific)
}

// legacy reads the decision that stands by itself.
func (a *answer) legacy(decision string) error {
	switch decision {
	case "":
	case "approve", "allow":
		a.verdict = Allowed
	case "block", "deny":
		a.verdict = Denied
	case "ask":
		a.verdict = Asked
	default:
		return fmt.Errorf("unknown decision %q", decision)
	}
	return nil
}

func (a *answer) specific(d details) error {
	a.context = d.Context
	a.input = present(d.Input)
	if raw := present(d.Output); raw != nil {
		if json.Unmarshal(raw, &a.output) != nil {
			a.output = string(raw)
		}
	}
	switch d.Permission {
	case "":
	case "allow", "ask", "deny":
		a.verdict = stricter(a.verdict, Verdict(d.Permission))
		a.reason = d.Reason
	case "defer": // leave it to a person, and not to an allow
		a.verdict, a.reason = stricter(a.verdict, Asked), d.Reason
	default:
		return fmt.Errorf("unknown permissionDecision %q", d.Permission)
	}
	if d.Decision == nil {
		return nil
	}
	switch d.Decision.Behavior {
	case "allow", "deny":
		a.verdict = stricter(a.verdict, Verdict(d.Decision.Behavior))
	default:
		return fmt.Errorf("unknown behavior %q", d.Decision.Behavior)
	}
	a.reason = d.Decision.Message
	if present(d.Decision.Rules) != nil {
		return errors.New("updatedPermissions are not taken: a hook does not change the rules")
	}
	if present(d.Decision.Input) != nil {
		return errors.New("updatedInput of a PermissionRequest is not taken: what a person would be shown is what runs")
	}
	return nil
}

func present(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

var ranks = map[Verdict]int{Silent: 0, Allowed: 1, Asked: 2, Denied: 3}

func stricter(a, b Verdict) Verdict {
	if ranks[b] > ranks[a] {
		return b
	}
	return a
}
