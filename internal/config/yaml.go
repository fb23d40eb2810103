package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/toolfall/toolfall/internal/near"
	"github.com/toolfall/toolfall/schema"
)

// fault is one thing that is wrong with a file.
type fault struct {
	line    int
	problem string
}

// faults is all that is wrong with a file, as an error.
type faults []fault

func (fs faults) Error() string {
	var b strings.Builder
	for i, f := range fs {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "line %d: %s", f.line, f.problem)
	}
	return b.String()
}

// decode reads YAML into f, which has the defaults, and returns the line of each
// value by its key.
func decode(raw []byte, f *File) (lines map[string]int, err error) {
	root, err := document(raw)
	if root == nil || err != nil {
		return nil, err
	}
	plan, err := schema.For[File]()
	if err != nil {
		return nil, err
	}
	spec, err := schema.Of[File]()
	if err != nil {
		return nil, err
	}
	r := reader{lines: make(map[string]int)}
	value := r.value(root, schema.Prop{Type: schema.Object, Properties: spec}, "")
	if len(r.faults) > 0 {
		return nil, r.faults
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return r.lines, r.locate(plan.Decode(text, f))
}

// document parses a file of one YAML document, or none.
func document(raw []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(raw))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if !errors.Is(d.Decode(&more), io.EOF) {
		return nil, faults{{more.Line, "only one YAML document is read"}}
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	return root, nil
}

// reader turns YAML nodes into JSON values, and finds what a schema that ignores
// what it does not know would not: keys that nobody reads.
type reader struct {
	lines  map[string]int
	faults faults
	nodes  int
}

// maxNodes bounds what aliases may blow a file up to.
const maxNodes = 10_000

func (r *reader) fault(n *yaml.Node, format string, args ...any) any {
	if r.nodes <= maxNodes {
		r.faults = append(r.faults, fault{n.Line, fmt.Sprintf(format, args...)})
	}
	return nil
}

func (r *reader) value(n *yaml.Node, p schema.Prop, key string) any {
	if r.nodes++; r.nodes > maxNodes {
		if len(r.faults) == 0 {
			r.faults = append(r.faults, fault{n.Line, fmt.Sprintf("more than %d values", maxNodes)})
		}
		return nil
	}
	if key != "" {
		r.lines[key] = n.Line
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, p, key)
	case yaml.MappingNode:
		return r.mapping(n, p, key)
	case yaml.SequenceNode:
		items := make([]any, len(n.Content))
		inner := schema.Prop{}
		if p.Items != nil {
			inner = *p.Items
		}
		for i, c := range n.Content {
			items[i] = r.value(c, inner, fmt.Sprintf("%s[%d]", key, i))
		}
		return items
	}
	return r.scalar(n)
}

func (r *reader) scalar(n *yaml.Node) any {
	var v any
	if err := n.Decode(&v); err != nil {
		return r.fault(n, "%s cannot be read: %s", n.Value, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	switch v.(type) {
	case nil, string, bool, int, int64, uint64, float64:
		return v
	}
	return n.Value // a date, which no key wants as such
}

func (r *reader) mapping(n *yaml.Node, p schema.Prop, key string) any {
	members := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(p.Properties, func(q schema.Prop) bool { return q.Name == k.Value })
		path := strings.TrimPrefix(key+"."+k.Value, ".")
		switch _, twice := members[k.Value]; {
		case twice:
			r.fault(k, "%q is there twice", path)
		case p.Values != nil: // any name will do
			members[k.Value] = r.value(v, *p.Values, path)
		case at < 0 && p.Type == schema.Object:
			r.fault(k, "unknown key %q%s", path, suggestion(k.Value, p.Properties))
		case at >= 0:
			members[k.Value] = r.value(v, p.Properties[at], path)
		}
	}
	return members
}

// suggestion says what would be right instead of an unknown key.
func suggestion(key string, known schema.Spec) string {
	names := make([]string, len(known))
	for i, p := range known {
		names[i] = p.Name
	}
	if meant := near.Names(key, slices.Values(names)); len(meant) > 0 {
		return fmt.Sprintf("; did you mean %q?", meant[0])
	}
	return "; known here are " + strings.Join(names, ", ")
}

// locate gives violations of the schema their lines.
func (r *reader) locate(err error) error {
	var args *schema.ArgsError
	if !errors.As(err, &args) {
		return err
	}
	var fs faults
	for _, v := range args.Violations {
		fs = append(fs, fault{r.lines[v.Path], v.String()})
	}
	return fs
}
