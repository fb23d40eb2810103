package dialect_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolfall/toolfall/schema"
	"github.com/toolfall/toolfall/schema/dialect"
)

func ExampleConvert() {
	l := dialect.Convert(dialect.OpenAIStrict, []dialect.Tool{{
		Name:        "mail.send",
		Description: "Send a letter.",
		Parameters:  `{"type":"object","properties":{"to":{"type":"string"},"cc":{"type":"string"}},"required":["to"]}`,
	}})
	fmt.Println(l.JSON())
	name, _ := l.Original("mail_send")
	fmt.Println(name, string(l.Arguments("mail_send", []byte(`{"to":"ada","cc":null}`))))
	// Output:
	// [{"type":"function","function":{"name":"mail_send","description":"Send a letter.","parameters":{"type":"object","properties":{"to":{"type":"string"},"cc":{"type":["string","null"]}},"required":["to","cc"],"additionalProperties":false},"strict":true}}]
	// mail.send {"to":"ada"}
}

// realTools reads the tool lists of real servers, which a clone may lack.
func realTools(t testing.TB) []dialect.Tool {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "data", "mcp-tools")
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	if len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not here", dir)
		}
		t.Skipf("%s is not here", dir)
	}
	var tools []dialect.Tool
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var any any
		if err := json.Unmarshal(raw, &any); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		tools = append(tools, collect(raw)...)
	}
	for i := range tools { // servers use the same names
		tools[i].Name = fmt.Sprintf("s%d.%s", i, tools[i].Name)
	}
	return tools
}

// collect finds whatever looks like a tool in a JSON text, at any depth.
func collect(raw json.RawMessage) []dialect.Tool {
	var tools []dialect.Tool
	var one struct {
		Name, Description string
		InputSchema       schema.JSON `json:"inputSchema"`
	}
	if json.Unmarshal(raw, &one) == nil && one.Name != "" && one.InputSchema != "" {
		return []dialect.Tool{{Name: one.Name, Description: one.Description, Parameters: one.InputSchema}}
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil {
		for _, item := range items {
			tools = append(tools, collect(item)...)
		}
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) == nil {
		names := make([]string, 0, len(members))
		for name := range members {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			tools = append(tools, collect(members[name])...)
		}
	}
	return tools
}

func TestRealToolsObeyEachProvider(t *testing.T) {
	tools := realTools(t)
	if len(tools) < 600 {
		t.Fatalf("found %d tools, want more than 600", len(tools))
	}
	for _, d := range dialect.All() {
		l := dialect.Convert(d, tools)
		for _, p := range l.Problems {
			if p.LeftOut {
				t.Errorf("%s: %s", d, p)
			}
		}
		lint(t, d, l)
		strict := strings.Count(string(l.JSON()), `"strict":true`)
		t.Logf("%s: %d of %d tools, %d strict, %d problems", d, len(l.Entries), len(tools), strict, len(l.Problems))
		if again := dialect.Convert(d, tools); again.JSON() != l.JSON() {
			t.Errorf("%s: two conversions differ", d)
		}
	}
}

// lint checks a list against the rules of its provider, without the converter's
// own tables.
func lint(t *testing.T, d dialect.Dialect, l *dialect.List) {
	t.Helper()
	legal := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	seen := map[string]bool{}
	var all []map[string]any
	if err := json.Unmarshal([]byte(l.JSON()), &all); err != nil || len(all) != len(l.Entries) {
		t.Fatalf("%s: the list is not JSON: %v", d, err)
	}
	for i, e := range l.Entries {
		if d != dialect.MCP && (!legal.MatchString(e.Wire) || seen[e.Wire]) {
			t.Errorf("%s: name %q is not legal or not alone", d, e.Wire)
		}
		seen[e.Wire] = true
		if name, ok := l.Original(e.Wire); d != dialect.MCP && (!ok || name != e.Name) {
			t.Errorf("%s: Original(%q) = %q, want %q", d, e.Wire, name, e.Name)
		}
		lintTool(t, d, e.Name, all[i])
	}
}

func lintTool(t *testing.T, d dialect.Dialect, name string, tool map[string]any) {
	t.Helper()
	bad := func(format string, args ...any) { t.Errorf("%s: %s: %s", d, name, fmt.Sprintf(format, args...)) }
	params, strict := tool["inputSchema"], false
	switch d {
	case dialect.OpenAI, dialect.OpenAIStrict, dialect.DeepSeek:
		f := tool["function"].(map[string]any)
		if s, _ := f["description"].(string); len([]rune(s)) > 1024 {
			bad("a description of %d characters", len([]rune(s)))
		}
		params = f["parameters"]
		strict, _ = f["strict"].(bool)
		if _, there := f["strict"]; there == (d == dialect.DeepSeek) {
			bad("strict is there: %v", there)
		}
	case dialect.Anthropic:
		params = tool["input_schema"]
	case dialect.Gemini:
		if params = tool["parametersJsonSchema"]; params == nil {
			return
		}
	}
	root, ok := params.(map[string]any)
	if !ok || root["type"] != "object" && d != dialect.MCP {
		bad("the root is %v", params)
		return
	}
	if d == dialect.MCP {
		return
	}
	if _, ok := root["properties"].(map[string]any); !ok {
		bad("no properties at the root")
	}
	if strict || d == dialect.Anthropic || d == dialect.Gemini {
		for _, k := range []string{"anyOf", "oneOf", "allOf"} {
			if root[k] != nil {
				bad("%s at the root", k)
			}
		}
	}
	lintSchema(bad, d, strict, root, "", true)
}

var geminiKey = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
var anthropicKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

func lintSchema(bad func(string, ...any), d dialect.Dialect, strict bool, s map[string]any, at string, root bool) {
	for k := range s {
		switch {
		case k == "$ref" || k == "$defs" || k == "definitions" || k == "$schema":
			bad("%s has %s", at, k)
		case d == dialect.Gemini && !slices.Contains(strings.Fields("type description enum format properties required additionalProperties items minItems maxItems minimum maximum anyOf"), k):
			bad("%s has %s", at, k)
		case strict && !slices.Contains(strings.Fields("type description enum properties required additionalProperties items anyOf pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems"), k):
			bad("%s has %s", at, k)
		}
	}
	types := typesOf(s)
	if slices.Contains(types, "array") && s["items"] == nil && d != dialect.Anthropic {
		bad("%s is an array without items", at)
	}
	props, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	if strict && slices.Contains(types, "object") {
		if s["additionalProperties"] != false || len(required) != len(props) {
			bad("%s is not closed, or has optional properties", at)
		}
	}
	for _, name := range required {
		if _, ok := props[fmt.Sprint(name)]; !ok && (strict || d == dialect.Gemini) {
			bad("%s requires %v, which it does not have", at, name)
		}
	}
	if strict && len(types) == 0 && s["anyOf"] == nil {
		bad("%s has no type", at)
	}
	for name, child := range props {
		if d == dialect.Gemini && !geminiKey.MatchString(name) || d == dialect.Anthropic && root && !anthropicKey.MatchString(name) {
			bad("%s has the member %q", at, name)
		}
		if c, ok := child.(map[string]any); ok {
			lintSchema(bad, d, strict, c, at+"."+name, false)
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		lintSchema(bad, d, strict, items, at+"[]", false)
	} else if s["items"] != nil {
		bad("%s has items that are no schema", at)
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		group, _ := s[k].([]any)
		for _, one := range group {
			if c, ok := one.(map[string]any); ok {
				lintSchema(bad, d, strict, c, at+"|", false)
			}
		}
	}
}

func typesOf(s map[string]any) []string {
	switch v := s["type"].(type) {
	case string:
		return []string{v}
	case []any:
		var ts []string
		for _, x := range v {
			ts = append(ts, fmt.Sprint(x))
		}
		return ts
	}
	return nil
}

func TestNamesAreStable(t *testing.T) {
	tool := func(name string) dialect.Tool { return dialect.Tool{Name: name} }
	wires := func(names ...string) map[string]string {
		var tools []dialect.Tool
		for _, n := range names {
			tools = append(tools, tool(n))
		}
		got := map[string]string{}
		for _, e := range dialect.Convert(dialect.OpenAI, tools).Entries {
			got[e.Name] = e.Wire
		}
		return got
	}
	long := strings.Repeat("x", 100)
	alone, among := wires("a.b"), wires("c", long, "a.b", "d.e")
	if alone["a.b"] != "a_b" || among["a.b"] != "a_b" || len(among[long]) != 64 || among["c"] != "c" {
		t.Errorf("alone %v, among others %v", alone, among)
	}
	one, two := wires("a.b", "a_b", "a-b"), wires("a-b", "a_b", "a.b")
	if !reflect.DeepEqual(one, two) || one["a_b"] != "a_b" || one["a.b"] == "a_b" || one["a-b"] != "a-b" {
		t.Errorf("in one order %v, in the other %v", one, two)
	}
	if w := wires("1a", "", "ä"); w["1a"] != "_1a" || w[""] == "" || w["ä"] == "" {
		t.Errorf("odd names became %v", w)
	}
}

func TestABadToolIsLeftOutAlone(t *testing.T) {
	tools := []dialect.Tool{
		{Name: "good", Parameters: `{"type":"object","properties":{"a":{"type":"string"}}}`},
		{Name: "broken", Parameters: `{"type":`},
		{Name: "array", Parameters: `{"type":"array"}`},
		{Name: "scalar", Parameters: `7`},
		{Name: "away", Parameters: `{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}`},
		{Name: "nowhere", Parameters: `{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`},
		{Name: "deep", Parameters: schema.JSON(strings.Repeat(`{"items":`, 100) + `{}` + strings.Repeat(`}`, 100))},
		{Name: "good"},
	}
	for _, d := range dialect.All() {
		if d == dialect.MCP {
			continue
		}
		l := dialect.Convert(d, tools)
		if len(l.Entries) != 1 || l.Entries[0].Name != "good" || len(l.Problems) != len(tools)-1 {
			t.Errorf("%s: kept %d, problems %v", d, len(l.Entries), l.Problems)
		}
	}
	if l := dialect.Convert(dialect.MCP, tools); len(l.Entries) != 3 {
		t.Errorf("mcp: kept %d, problems %v", len(l.Entries), l.Problems)
	}
}

// What would be too big is told less deeply, not left out.
func TestABigSchemaIsCut(t *testing.T) {
	long := strings.Repeat("long ", 20_000)
	mutual := mutual(40)
	for name, in := range map[string]schema.JSON{
		"bomb":   bomb(),
		"text":   schema.JSON(`{"type":"object","properties":{` + manyRefs(800) + `},"$defs":{"d":{"type":"string","description":"` + long + `"}}}`),
		"mutual": mutual,
	} {
		for _, d := range dialect.All() {
			l := dialect.Convert(d, []dialect.Tool{{Name: "t", Parameters: in}})
			if len(l.Entries) != 1 || len(l.JSON()) > 2<<20 || d != dialect.MCP && len(l.Problems) == 0 {
				t.Errorf("%s in %s: %d entries, %d bytes, %v", name, d, len(l.Entries), len(l.JSON()), l.Problems)
			}
		}
	}
}

func manyRefs(n int) string {
	var refs []string
	for i := range n {
		refs = append(refs, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d"}`, i))
	}
	return strings.Join(refs, ",")
}

// mutual is a schema of n parts, each of which contains all of them.
func mutual(n int) schema.JSON {
	var all, defs []string
	for i := range n {
		all = append(all, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d%d"}`, i, i))
	}
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","properties":{%s}}`, i, strings.Join(all, ",")))
	}
	return schema.JSON(`{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `}}`)
}

func TestAnUnknownDialectPresentsNothing(t *testing.T) {
	l := dialect.Convert("opanai", []dialect.Tool{{Name: "t"}})
	if len(l.Entries) != 0 || len(l.Problems) != 1 || !l.Problems[0].LeftOut {
		t.Errorf("kept %d, problems %v", len(l.Entries), l.Problems)
	}
	if _, err := dialect.Parse("opanai"); err == nil || !strings.Contains(err.Error(), "openai-strict") {
		t.Errorf("Parse: %v", err)
	}
}

// bomb is a small schema that would be huge without its references.
func bomb() schema.JSON {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{"d20":{"type":"string"}`)
	for i := range 20 {
		fmt.Fprintf(&b, `,"d%d":{"type":"object","properties":{"x":{"$ref":"#/$defs/d%d"},"y":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1)
	}
	b.WriteString(`}}`)
	return schema.JSON(b.String())
}

var update = flag.Bool("update", false, "write what the conversions give into testdata")

// TestGolden converts the schema of each file to every dialect.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := &txtar.Archive{Comment: a.Comment, Files: []txtar.File{{Name: "schema", Data: a.Files[0].Data}}}
		for _, d := range dialect.All() {
			got.Files = append(got.Files, txtar.File{Name: string(d), Data: converted(t, d, schema.JSON(a.Files[0].Data))})
		}
		switch want := txtar.Format(a); {
		case *update:
			os.WriteFile(file, txtar.Format(got), 0o644)
		case !bytes.Equal(txtar.Format(got), want):
			t.Errorf("%s: got\n%s", file, txtar.Format(got))
		}
	}
}

// converted is a schema in a dialect, and what was said of it.
func converted(t *testing.T, d dialect.Dialect, in schema.JSON) []byte {
	l := dialect.Convert(d, []dialect.Tool{{Name: "t", Parameters: in}})
	lint(t, d, l)
	var b bytes.Buffer
	for _, e := range l.Entries {
		fmt.Fprintln(&b, parameters(t, e.JSON))
	}
	for _, p := range l.Problems {
		fmt.Fprintln(&b, "#", p.Text)
	}
	return b.Bytes()
}

func parameters(t *testing.T, entry schema.JSON) string {
	var e struct {
		Function             struct{ Parameters json.RawMessage }
		InputSchema          json.RawMessage `json:"input_schema"`
		Shown                json.RawMessage `json:"inputSchema"`
		ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
	}
	if err := json.Unmarshal([]byte(entry), &e); err != nil {
		t.Fatal(err)
	}
	return string(slices.Concat(e.Function.Parameters, e.InputSchema, e.Shown, e.ParametersJSONSchema))
}

func TestArgumentsFindTheWayBack(t *testing.T) {
	in := dialect.Tool{Name: "t", Parameters: `{"type":"object","properties":{"$top":{"type":"integer"},"list":{"type":"array","items":{"type":"object","properties":{"a.b":{"type":"string"},"c":{"type":"string"}},"required":["a.b"]}}},"required":["list"]}`}
	g := dialect.Convert(dialect.Gemini, []dialect.Tool{in})
	if got := string(g.Arguments("t", []byte(`{"_top":12345678901234567890,"list":[{"a_b":"x"}]}`))); got != `{"$top":12345678901234567890,"list":[{"a.b":"x"}]}` {
		t.Errorf("gemini: %s", got)
	}
	o := dialect.Convert(dialect.OpenAIStrict, []dialect.Tool{in})
	if got := string(o.Arguments("t", []byte(`{"$top":null,"list":[{"a.b":"x","c":null},{"a.b":"y","c":"z"}]}`))); got != `{"list":[{"a.b":"x"},{"a.b":"y","c":"z"}]}` {
		t.Errorf("strict: %s", got)
	}
	for _, raw := range []string{`{"broken`, `7`, `{}`} {
		if got := string(g.Arguments("t", []byte(raw))); got != raw {
			t.Errorf("Arguments(%s) = %s", raw, got)
		}
	}
}

// What admission would refuse must reach it as it came.
func TestTheWayBackLaundersNothing(t *testing.T) {
	l := dialect.Convert(dialect.Gemini, []dialect.Tool{{Name: "t", Parameters: `{"type":"object","properties":{"$a":{"type":"string"}}}`}})
	for _, raw := range []string{`{"_a":"\ud800"}`, "{\"_a\":\"\xff\"}", `{"_a":"x","_a":"y"}`, `{"_a":"x"} more`} {
		if got := string(l.Arguments("t", []byte(raw))); got != raw {
			t.Errorf("Arguments(%q) = %q", raw, got)
		}
	}
}

func TestLongArgumentsFindTheWayBackToo(t *testing.T) {
	l := dialect.Convert(dialect.Gemini, []dialect.Tool{{Name: "t", Parameters: `{"type":"object","properties":{"$a":{"type":"array","items":{"type":"integer"}}}}`}})
	items := strings.Repeat("1,", 20_000) + "1]}"
	if got := string(l.Arguments("t", []byte(`{"_a":[`+items))); got != `{"$a":[`+items {
		t.Errorf("Arguments = %.40s…", got)
	}
}

func TestNoTwoToolsShareAName(t *testing.T) {
	for _, names := range [][]string{{"x.y", "x_y", "x_y_b24ca9b7"}, {"x_y_b24ca9b7", "x_y", "x.y"}, {"a.b", "a_b", "a b", "a/b"}} {
		var tools []dialect.Tool
		for _, n := range names {
			tools = append(tools, dialect.Tool{Name: n})
		}
		l := dialect.Convert(dialect.OpenAI, tools)
		for _, e := range l.Entries {
			if own, _ := l.Original(e.Wire); own != e.Name {
				t.Errorf("%v: %q is called as %q, which reaches %q", names, e.Name, e.Wire, own)
			}
		}
	}
}

// The way back reaches into alternatives, and into members of any name.
func TestTheWayBackThroughChoices(t *testing.T) {
	in := dialect.Tool{Name: "t", Parameters: `{"type":"object","properties":{
		"c":{"anyOf":[{"type":"object","properties":{"a.b":{"type":"string"},"n":{"type":"string"}},"required":["a.b"]},{"type":"array","items":{"type":"object","properties":{"c d":{"type":"string"}}}}]},
		"m":{"type":"object","properties":{"fix":{"type":"string"}},"additionalProperties":{"type":"object","properties":{"x.y":{"type":"string"}}}}}}`}
	g := dialect.Convert(dialect.Gemini, []dialect.Tool{in})
	for sent, want := range map[string]string{
		`{"c":{"a_b":"v"}}`:             `{"c":{"a.b":"v"}}`,
		`{"c":[{"c_d":"v"}]}`:           `{"c":[{"c d":"v"}]}`,
		`{"m":{"any_one":{"x_y":"v"}}}`: `{"m":{"any_one":{"x.y":"v"}}}`,
		`{"m":{"fix":{"x_y":"v"}}}`:     `{"m":{"fix":{"x_y":"v"}}}`,
		`{"c":{"a_b":"v","a.b":"w"}}`:   `{"c":{"a.b":"v","a.b":"w"}}`, // for admission to refuse
	} {
		if got := string(g.Arguments("t", []byte(sent))); got != want {
			t.Errorf("gemini: %s became %s, want %s", sent, got, want)
		}
	}
	in.Parameters = `{"type":"object","properties":{"c":{"anyOf":[{"type":"object","properties":{"n":{"type":"string"}}},{"type":"string"}]}},"required":["c"]}`
	o := dialect.Convert(dialect.OpenAIStrict, []dialect.Tool{in})
	if got := string(o.Arguments("t", []byte(`{"c":{"n":null}}`))); got != `{"c":{}}` {
		t.Errorf("strict: %s", got)
	}
}

// The budgets of the strict mode are for the whole tool.
func TestStrictBudgets(t *testing.T) {
	enum := func(n, length int) string {
		var vs []string
		for i := range n {
			vs = append(vs, fmt.Sprintf("%q", fmt.Sprintf("%0*d", length, i)))
		}
		return `{"type":"string","enum":[` + strings.Join(vs, ",") + `]}`
	}
	for _, c := range []struct{ properties, says string }{
		{`"a":` + enum(600, 3) + `,"b":` + enum(600, 3), "more than 1000 values"},
		{`"a":` + enum(251, 60), "more than 15000 characters"},
		{`"a":` + enum(200, 700), "more than 120000 characters"},
		{`"a":` + enum(250, 70), ""},
	} {
		l := dialect.Convert(dialect.OpenAIStrict, []dialect.Tool{{Name: "t", Parameters: schema.JSON(`{"type":"object","properties":{` + c.properties + `}}`)}})
		if said := fmt.Sprint(l.Problems); (c.says == "") != (len(l.Problems) == 0) || !strings.Contains(said, c.says) {
			t.Errorf("%.30s…: %s, want %q", c.properties, said, c.says)
		}
	}
}

func TestNullThatIsMeantStays(t *testing.T) {
	l := dialect.Convert(dialect.OpenAIStrict, []dialect.Tool{{Name: "t", Parameters: `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`}})
	if got := string(l.Arguments("t", []byte(`{"a":null,"b":null}`))); got != `{"a":null,"b":null}` {
		t.Errorf("Arguments = %s", got)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#/properties/a"},"b":{"anyOf":[true,{"type":"null"}]}},"allOf":[{"required":["a"]}]}`))
	f.Add([]byte(bomb()))
	f.Add([]byte(`{"properties":{"":{"items":[{"const":1}],"enum":[null]}},"oneOf":[{},7]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, d := range dialect.All() {
			l := dialect.Convert(d, []dialect.Tool{{Name: "x.y", Description: string(raw), Parameters: schema.JSON(raw)}})
			if !json.Valid([]byte(l.JSON())) {
				t.Fatalf("%s: %s", d, l.JSON())
			}
			lint(t, d, l)
			for _, e := range l.Entries {
				l.Arguments(e.Wire, raw)
			}
		}
	})
}

func BenchmarkConvert(b *testing.B) {
	tools := make([]dialect.Tool, 1000)
	for i := range tools {
		tools[i] = dialect.Tool{Name: fmt.Sprintf("tool.%d", i), Description: "Does it.", Parameters: `{"type":"object","properties":{"path":{"type":"string","description":"Where."},"n":{"type":"integer","minimum":1}},"required":["path"]}`}
	}
	for _, d := range dialect.All() {
		b.Run(string(d), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dialect.Convert(d, tools)
			}
		})
	}
}
