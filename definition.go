package toolfall

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolfall/toolfall/schema"
)

// A Schema is what the model is told about a tool. It is a value without
// pointers, so a copy cannot change the original.
type Schema struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Parameters  schema.JSON `json:"parameters"`
	Output      schema.JSON `json:"output,omitempty"` // of Result.Structured; empty when nothing is promised
	Hints       Hints       `json:"hints,omitzero"`
}

// A Definition is a tool: its schema and the function that runs it. Make one
// with [Define] or [DefineSpec], whose arguments are checked before they run,
// or as a literal, whose Execute gets the arguments as the model sent them, in
// strict JSON, and checks them itself.
type Definition struct {
	Schema

	// Execute runs the tool. It must return soon after its context ends: it is
	// always awaited. An error is told to the model as "Error: " and its text.
	Execute func(context.Context, Call) ([]Content, error)

	// Inline runs Execute in the goroutine of the caller, which saves about a
	// microsecond. It is a promise that Execute never calls runtime.Goexit: by
	// default a tool has a goroutine of its own, so that its Goexit ends there.
	Inline bool

	// Claims says what an admitted call is going to touch, before it runs. Nil stands for
	// everything, alone; with the hint that the tool reads only, for a look at everything.
	// No claims at all run beside any other call.
	Claims func(Call) []Claim

	// Timeout is how long a call may take, where a plugin enforces it. 0 leaves that to
	// the plugin, and less than 0 asks for no limit.
	Timeout time.Duration

	// NoRepair keeps the repair stage from mending what a model sent to this tool.
	NoRepair bool

	plan  *schema.Plan // what a checked tool's arguments must fit
	admit func(raw []byte) (*admission, error)
}

// Plan returns what the arguments of a checked tool must fit, or nil.
func (d Definition) Plan() *schema.Plan { return d.plan }

// Define makes a tool from a function over a typed argument struct. The schema
// is that of [schema.Of], and the arguments are checked against it and decoded
// in one pass before run is called; what run gets is exactly what was checked.
// Define panics if Args has no JSON form, or a tag in it cannot be enforced:
// that is a fault in the program, which every run would meet.
func Define[Args any](name, description string, run func(context.Context, Args, Call) ([]Content, error)) Definition {
	plan, err := schema.For[Args]()
	if err != nil {
		panic(fmt.Sprintf("toolfall: define %q: %v", name, err))
	}
	admit := func(raw []byte) (*admission, error) {
		t := new(typed[Args])
		t.self = t
		var err error
		t.record.Arguments, err = plan.Admit(raw, &t.args)
		return &t.admission, err
	}
	return Definition{
		Schema: Schema{Name: name, Description: description, Parameters: plan.Schema()},
		plan:   plan,
		admit:  admit,
		Execute: func(ctx context.Context, c Call) ([]Content, error) {
			if args, ok := take[Args](c); ok {
				return run(ctx, args, c)
			}
			var args Args
			if err := plan.Decode(c.Arguments, &args); err != nil {
				return nil, err
			}
			return run(ctx, args, c)
		},
	}
}

// DefineSpec makes a tool from a literal Spec. The arguments are checked against
// it before run is called, which gets them as canonical JSON: an object, with no
// member that the Spec does not name. DefineSpec panics if the Spec cannot be
// enforced: that is a fault in the program, which every run would meet.
func DefineSpec(name, description string, spec schema.Spec, run func(context.Context, Call) ([]Content, error)) Definition {
	plan, err := schema.Compile(spec)
	if err != nil {
		panic(fmt.Sprintf("toolfall: define %q: %v", name, err))
	}
	return Definition{
		Schema: Schema{Name: name, Description: description, Parameters: plan.Schema()},
		plan:   plan,
		admit: func(raw []byte) (*admission, error) {
			canonical, err := plan.Admit(raw, nil)
			return &admission{record: Record{Arguments: canonical}}, err
		},
		Execute: func(ctx context.Context, c Call) ([]Content, error) {
			if c.admitted == nil { // called past the registry
				canonical, err := plan.Admit(c.Arguments, nil)
				if err != nil {
					return nil, err
				}
				c.Arguments = canonical
			}
			return run(ctx, c)
		},
	}
}

// wire is the schema as it is listed: JSON, with an object schema that accepts
// anything where the tool names no parameters.
func (s Schema) wire() schema.JSON {
	if s.Parameters == "" {
		s.Parameters = `{"type":"object","properties":{}}`
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // cannot be: Register has checked that the schemas are JSON
	}
	return schema.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
