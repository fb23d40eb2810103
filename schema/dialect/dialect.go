// Package dialect presents one list of tools the way a model provider wants it.
//
// [Convert] takes canonical schemas and gives a [List]: the JSON that goes into a
// request, and the way back from what the model then sends, which has the
// provider's names, to the tool's own. A tool that cannot be presented is left
// out and reported; it never spoils the list. What a provider's schema cannot
// say is said in words in the description, and is still enforced: arguments are
// always checked against the canonical schema, never against a dialect.
//
// A [Dialect] is a table of rules. Each rule names its source, a document of the
// provider or a public report, in a comment.
package dialect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolfall/toolfall/schema"
)

// A Dialect is a provider's form of a tool list.
type Dialect string

// The dialects.
const (
	OpenAI       Dialect = "openai"        // Chat Completions, strict: false
	OpenAIStrict Dialect = "openai-strict" // the same with strict: true for each tool that allows it
	Anthropic    Dialect = "anthropic"
	Gemini       Dialect = "gemini"
	DeepSeek     Dialect = "deepseek"
	MCP          Dialect = "mcp"
)

// All returns the dialects.
func All() []Dialect {
	return []Dialect{MCP, OpenAI, OpenAIStrict, Anthropic, Gemini, DeepSeek}
}

// A Tool is what a dialect presents.
type Tool struct {
	Name        string
	Description string
	Parameters  schema.JSON // JSON Schema of an object; empty accepts any
	Output      schema.JSON // shown by MCP alone
	Annotations schema.JSON // shown by MCP alone
}

// A List is a converted tool list. It does not change.
type List struct {
	Entries  []Entry   // in the order of the tools
	Problems []Problem // what was lost on the way

	byWire map[string]*Entry
}

// An Entry is a tool as the provider sees it.
type Entry struct {
	Name string      // the tool's own
	Wire string      // the provider's
	JSON schema.JSON // the element of the list

	back *back
}

// A Problem is something that could not be presented as it was.
type Problem struct {
	Tool    string
	Text    string
	LeftOut bool // the tool is not in the list
}

// String tells the problem on one line.
func (p Problem) String() string {
	if p.LeftOut {
		return fmt.Sprintf("tool %q is left out: %s", p.Tool, p.Text)
	}
	return fmt.Sprintf("tool %q: %s", p.Tool, p.Text)
}

// Parse returns the dialect of that name.
func Parse(name string) (Dialect, error) {
	var names []string
	for _, d := range All() {
		if string(d) == name {
			return d, nil
		}
		names = append(names, string(d))
	}
	return "", fmt.Errorf("unknown dialect %q; want one of %s", name, strings.Join(names, ", "))
}

// Convert presents tools in a dialect. The same tools give the same bytes. In a
// dialect that there is not, none can be presented.
func Convert(d Dialect, tools []Tool) *List {
	l := &List{byWire: make(map[string]*Entry, len(tools))}
	if _, err := Parse(string(d)); err != nil {
		for _, t := range tools {
			l.Problems = append(l.Problems, Problem{Tool: t.Name, Text: err.Error(), LeftOut: true})
		}
		return l
	}
	wire := wireNames(d, tools)
	seen := make(map[string]bool, len(tools))
	for i, t := range tools {
		if seen[t.Name] {
			l.Problems = append(l.Problems, Problem{Tool: t.Name, Text: "another tool has this name", LeftOut: true})
			continue
		}
		seen[t.Name] = true
		e, problems := present(d, t, wire[i])
		for _, text := range problems {
			l.Problems = append(l.Problems, Problem{Tool: t.Name, Text: text, LeftOut: e == nil})
		}
		if e != nil {
			l.Entries = append(l.Entries, *e)
		}
	}
	for i := range l.Entries {
		l.byWire[l.Entries[i].Wire] = &l.Entries[i]
	}
	return l
}

// JSON returns the list as the array that goes into a request.
func (l *List) JSON() schema.JSON {
	b := []byte{'['}
	for i, e := range l.Entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e.JSON...)
	}
	return schema.JSON(append(b, ']'))
}

// Original returns the name of the tool that a model calls by the name wire.
func (l *List) Original(wire string) (name string, ok bool) {
	e, ok := l.byWire[wire]
	if !ok {
		return "", false
	}
	return e.Name, true
}

// Arguments returns what a model sent to the tool it knows as wire in terms of the
// tool's own schema: with its own member names, and without the nulls that stand
// for members the model left out where the dialect had no other way. Arguments
// that are not JSON come back as they are, for admission to refuse.
func (l *List) Arguments(wire string, raw []byte) []byte {
	e, ok := l.byWire[wire]
	if !ok || e.back == nil {
		return raw
	}
	if _, err := schema.Arguments(raw); err != nil {
		return raw
	}
	v, err := parse(raw, len(raw)) // no text has more values than bytes
	if err != nil {
		return raw
	}
	e.back.restore(v)
	return v.append(nil)
}

// present converts one tool, or says why it cannot.
func present(d Dialect, t Tool, wire string) (*Entry, []string) {
	if d == MCP {
		return presentMCP(t)
	}
	c, err := newConversion(d, t)
	if err != nil {
		return nil, []string{err.Error()}
	}
	e := &Entry{Name: t.Name, Wire: wire}
	strict := d == OpenAIStrict && c.strict()
	if !strict {
		c.loose()
	}
	e.JSON = schema.JSON(c.wrap(wire, strict).append(nil))
	e.back = c.back
	return e, c.problems
}

// presentMCP keeps the schemas as they are: MCP takes any JSON Schema of 2020-12
// or draft-07 with an object at its root (MCP specification 2025-11-25, tools).
func presentMCP(t Tool) (*Entry, []string) {
	v := object()
	v.set("name", text(t.Name))
	if t.Description != "" {
		v.set("description", text(t.Description))
	}
	input, err := mcpInput(orEmpty(t.Parameters))
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, part := range []struct {
		name string
		json schema.JSON
	}{{"inputSchema", input}, {"outputSchema", t.Output}, {"annotations", t.Annotations}} {
		if part.json == "" {
			continue
		}
		if !part.json.IsObject() {
			return nil, []string{part.name + " is not a JSON object"}
		}
		v.set(part.name, verbatim(part.json))
	}
	return &Entry{Name: t.Name, Wire: t.Name, JSON: schema.JSON(v.append(nil))}, nil
}

// mcpInput is a schema whose root says that it is an object, which MCP demands of
// it. One that does comes back as it is.
func mcpInput(j schema.JSON) (schema.JSON, error) {
	v, err := parse([]byte(j), maxNodes)
	if err != nil {
		return "", err
	}
	types := v.get("type").strs()
	switch {
	case v.kind != objectKind:
		return "", errors.New("its parameters are not a JSON Schema object")
	case v.get("type").str() == "object":
		return j, nil
	case len(types) > 0 && !slices.Contains(types, "object"):
		return "", fmt.Errorf("its parameters are of type %s, not object", strings.Join(types, " or "))
	}
	v.set("type", text("object"))
	return schema.JSON(v.append(nil)), nil
}

func orEmpty(j schema.JSON) schema.JSON {
	if j == "" {
		return `{"type":"object","properties":{}}`
	}
	return j
}
