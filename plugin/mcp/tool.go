package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/schema"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/spill"
)

// described is a tool as a server describes it. Its schemas stay the bytes that they are.
type described struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  toolfall.Hints  `json:"annotations"`
}

// maxDescription is how much of a description a model reads, in bytes.
const maxDescription = 16 << 10

// maxName is the longest name that all providers take.
const maxName = 64

// legal is what a name may have in it.
var legal = regexp.MustCompile(`[^A-Za-z0-9_.-]`)

// NameOf is the name that a tool of a server has here: it never changes, and where the
// server's own cannot be had whole it ends with a part of its hash.
func NameOf(server, tool string) string {
	name := Prefix(server) + legal.ReplaceAllString(tool, "_")
	if len(name) <= maxName && name == Prefix(server)+tool {
		return name
	}
	sum := sha256.Sum256([]byte(tool))
	return name[:min(len(name), maxName-9)] + "_" + hex.EncodeToString(sum[:4])
}

// definitions makes tools of what a server lists. One that cannot be used is left out alone,
// and told of.
func (v *server) definitions(raw []json.RawMessage) (out []toolfall.Definition) {
	scratch := scope.New(context.Background(), "mcp")
	defer scratch.Close()
	judge := toolfall.New()
	for _, one := range raw {
		d, err := v.definition(one)
		if err == nil {
			_, err = judge.Register(scratch, d) // refuses a schema that is none, and a second tool of the name
		}
		if err != nil {
			v.notice(Notice{Text: fmt.Sprintf("a tool that cannot be used is left out: %v", err)})
			continue
		}
		out = append(out, d)
	}
	return out
}

func (v *server) definition(raw json.RawMessage) (d toolfall.Definition, err error) {
	var t described
	if err := json.Unmarshal(raw, &t); err != nil {
		return d, fmt.Errorf("%.100q is no tool: %w", raw, err)
	}
	if t.Name == "" {
		return d, errors.New("it has no name")
	}
	text := spill.Clean(t.Description)
	if len(text) > maxDescription {
		head, _ := spill.Ends(text, maxDescription, 0)
		text = head + " […]"
	}
	name := t.Name
	d = toolfall.Definition{
		Schema:   toolfall.Schema{Name: NameOf(v.Name, name), Description: text, Parameters: schema.JSON(t.InputSchema), Output: schema.JSON(t.OutputSchema), Hints: t.Annotations},
		Timeout:  v.Call,
		NoRepair: true, // its schema is not ours to read between the lines of
		Execute: func(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
			return v.call(ctx, name, t.Annotations, c)
		},
	}
	return d, nil
}

// result is what a server answers a call with.
type result struct {
	ResultType        string            `json:"resultType"`
	Content           []json.RawMessage `json:"content"`
	StructuredContent json.RawMessage   `json:"structuredContent"`
	IsError           bool              `json:"isError"`
}

// block is one of what it returns.
type block struct {
	Type     string
	Text     string
	Data     []byte
	MIMEType string
	URI      string
	Resource struct {
		URI, MIMEType, Text string
		Blob                []byte
	}
}

// content makes of an answer what a tool returns.
func content(raw json.RawMessage) ([]toolfall.Content, error) {
	var r result
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, toolfall.NewError(toolfall.OutputInvalid, fmt.Errorf("the server's answer is not as it should be: %w", err))
	}
	if r.ResultType != "" && r.ResultType != "complete" {
		return nil, toolfall.NewError(toolfall.OutputInvalid, fmt.Errorf("the server answers with %q, which nobody asked it for", r.ResultType))
	}
	var out []toolfall.Content
	for _, one := range r.Content {
		out = append(out, blockOf(one))
	}
	if r.IsError {
		return nil, errors.New(textOf(out))
	}
	if len(r.StructuredContent) > 0 && string(r.StructuredContent) != "null" {
		out = append(out, toolfall.Content{Type: toolfall.TypeJSON, Text: string(r.StructuredContent)})
	}
	return out, nil
}

// blockOf makes a block of content. Of a type that nobody knows the model reads the JSON.
func blockOf(raw json.RawMessage) toolfall.Content {
	var b block
	unknown := toolfall.Content{Type: toolfall.TypeText, Text: string(raw)}
	if json.Unmarshal(raw, &b) != nil {
		return unknown
	}
	switch b.Type {
	case "text":
		return toolfall.Content{Type: toolfall.TypeText, Text: b.Text}
	case "image", "audio":
		return toolfall.Content{Type: b.Type, Data: b.Data, MIMEType: b.MIMEType}
	case "resource":
		return toolfall.Content{Type: toolfall.TypeResource, URI: b.Resource.URI, MIMEType: b.Resource.MIMEType, Text: b.Resource.Text, Data: b.Resource.Blob}
	case "resource_link":
		return toolfall.Content{Type: toolfall.TypeResource, URI: b.URI, MIMEType: b.MIMEType}
	}
	return unknown
}

func textOf(content []toolfall.Content) string {
	var out []string
	for _, c := range content {
		if c.Text != "" {
			out = append(out, c.Text)
		}
	}
	if len(out) == 0 {
		return "the server says that the call failed, and not why"
	}
	return strings.Join(out, "\n")
}
