package dialect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// conversion is one tool on its way into a dialect.
type conversion struct {
	dialect  Dialect
	tool     Tool
	root     *value // the schema, without references
	back     *back
	problems []string
}

func newConversion(d Dialect, t Tool) (*conversion, error) {
	v, err := parse([]byte(orEmpty(t.Parameters)), maxNodes)
	if err != nil {
		return nil, err
	}
	if v.kind != objectKind {
		return nil, errors.New("its parameters are not a JSON Schema object")
	}
	root, in, err := inlined(v)
	if err != nil {
		return nil, err
	}
	if types := root.get("type").strs(); len(types) > 0 && !slices.Contains(types, "object") {
		return nil, fmt.Errorf("its parameters are of type %s, not object", strings.Join(types, " or "))
	}
	root.set("type", text("object"))
	c := &conversion{dialect: d, tool: t, root: root}
	switch {
	case in.cut && in.most < maxDepth:
		c.warn("its references make it too big; they are followed %d deep", in.most)
	case in.cut:
		c.warn("its schema contains itself; from the second turn on the model is told that any value will do")
	}
	return c, nil
}

func (c *conversion) warn(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// maxDescription is what several OpenAI deployments enforce, in characters
// (modelcontextprotocol/servers issue 799, getsentry/sentry-mcp issue 106).
const maxDescription = 1024

// description returns the tool's description as the dialect takes it.
func (c *conversion) description() string {
	d := strings.ToValidUTF8(c.tool.Description, "\uFFFD")
	limited := c.dialect == OpenAI || c.dialect == OpenAIStrict || c.dialect == DeepSeek
	if limited && utf8.RuneCountInString(d) > maxDescription {
		c.warn("its description was cut to %d characters", maxDescription)
		return string([]rune(d)[:maxDescription-1]) + "…"
	}
	return d
}

// wrap returns the element of the list.
func (c *conversion) wrap(wire string, strict bool) *value {
	f := object()
	f.set("name", text(wire))
	if d := c.description(); d != "" {
		f.set("description", text(d))
	}
	switch c.dialect {
	case Anthropic:
		f.set("input_schema", c.root)
		return f
	case Gemini:
		// A tool without parameters must have no schema at all: an object without
		// properties is refused. parametersJsonSchema takes more of JSON Schema
		// than parameters does (google genai types, FunctionDeclaration).
		if len(c.root.get("properties").members) > 0 {
			f.set("parametersJsonSchema", c.root)
		}
		return f
	}
	f.set("parameters", c.root)
	if c.dialect != DeepSeek {
		// Left out, the Responses API takes it for true and changes the schema by
		// itself (OpenAI, function calling guide).
		f.set("strict", literal(fmt.Sprint(strict)))
	}
	v := object()
	v.set("type", text("function"))
	v.set("function", f)
	return v
}

// loose converts the schema where the provider does not insist on its form.
func (c *conversion) loose() {
	w := walk{rulesOf(c.dialect)}
	root, b := renamed(c.root, w.rules)
	c.root = w.schema(root, true)
	if c.root.get("properties") == nil {
		c.root.set("properties", object())
	}
	c.back = b.trim()
}
