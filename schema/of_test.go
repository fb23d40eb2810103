package schema_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/toolfall/toolfall/schema"
)

func ExampleOf() {
	type args struct {
		Path string `json:"path" description:"Where"`
		Mode string `json:"mode,omitempty" enum:"fast,slow" default:"fast"`
	}
	spec, _ := schema.Of[args]()
	raw, _ := json.Marshal(spec)
	fmt.Println(string(raw))
	// Output:
	// {"type":"object","properties":{"path":{"type":"string","description":"Where"},"mode":{"type":"string","enum":["fast","slow"],"default":"fast"}},"required":["path"]}
}

func ExamplePlan_Decode() {
	type args struct {
		ID int64 `json:"id"`
	}
	p, _ := schema.For[args]()
	var a args
	fmt.Println(p.Decode([]byte(`{"id":9007199254740993,"ID":7}`), &a), a.ID)
	fmt.Println(p.Decode([]byte(`{"id":1,"id":2}`), &a))
	// Output:
	// <nil> 9007199254740993
	// invalid JSON at byte 8: duplicate member "id"; send it once; the parameters are: id
}

type level string

type embedded struct {
	Inner bool `json:"inner"`
}

func TestTypesBecomeSchemas(t *testing.T) {
	type args struct {
		embedded
		S     string                  `json:"s" minLength:"1" maxLength:"9" pattern:"^a"`
		Named level                   `json:"named,omitempty" enum:"low,high"`
		I     int8                    `json:"i" minimum:"1" maximum:"5"`
		F     float32                 `json:"f,omitzero"`
		P     *bool                   `json:"p"`
		T     time.Time               `json:"t"`
		B     []byte                  `json:"b"`
		L     []string                `json:"l" enum:"x,y" minItems:"1" maxItems:"2" description:"many"`
		A     [2]int                  `json:"a"`
		M     map[string]int          `json:"m"`
		MA    map[string]any          `json:"ma"`
		Any   any                     `json:"any"`
		R     json.RawMessage         `json:"r"`
		N     json.Number             `json:"n"`
		O     struct{ X int }         `json:"o"`
		Skip  func()                  `json:"-"`
		Mail  string                  `json:"mail" format:"email"`
		Deep  []map[string][]embedded `json:"deep"`
	}
	p, err := schema.For[args]()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"inner":{"type":"boolean"},"s":{"type":"string","minLength":1,"maxLength":9,"pattern":"^a"},` +
		`"named":{"type":"string","enum":["low","high"]},"i":{"type":"integer","minimum":1,"maximum":5},"f":{"type":"number"},"p":{"type":"boolean"},` +
		`"t":{"type":"string","format":"date-time"},"b":{"type":"string"},"l":{"type":"array","description":"many","minItems":1,"maxItems":2,"items":{"type":"string","enum":["x","y"]}},` +
		`"a":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer"}},"m":{"type":"object","additionalProperties":{"type":"integer"}},"ma":{"type":"object"},` +
		`"any":{},"r":{},"n":{"type":"number"},"o":{"type":"object","properties":{"X":{"type":"integer"}},"required":["X"]},"mail":{"type":"string","format":"email"},` +
		`"deep":{"type":"array","items":{"type":"object","additionalProperties":{"type":"array","items":{"type":"object","properties":{"inner":{"type":"boolean"}},"required":["inner"]}}}}},` +
		`"required":["inner","s","i","t","b","l","a","m","ma","any","r","n","o","mail","deep"]}`
	if got := string(p.Schema()); got != want {
		t.Errorf("schema =\n%s\nwant\n%s", got, want)
	}
}

type loop struct {
	Next []*loop `json:"next"`
}

func TestTypesThatCannotBeAreRefusedWithTheirPath(t *testing.T) {
	refused := func(err error, says ...string) {
		t.Helper()
		for _, s := range says {
			if err == nil || !strings.Contains(err.Error(), s) {
				t.Errorf("error = %v, want %q in it", err, s)
			}
		}
	}
	_, err := schema.For[loop]()
	refused(err, "next[]", "contains itself")
	_, err = schema.For[struct {
		A struct {
			C chan int `json:"c"`
		} `json:"a"`
	}]()
	refused(err, "a.c: chan int has no JSON form")
	_, err = schema.For[struct {
		embedded
		B int `json:"inner"`
	}]()
	refused(err, `two fields`, `"inner"`)
	_, err = schema.For[struct {
		A int `json:"a" enum:"one"`
	}]()
	refused(err, `a: enum: "one" is not JSON`)
	_, err = schema.For[struct {
		A bool `json:"a" minimum:"1"`
	}]()
	refused(err, "a: minimum cannot be enforced")
	_, err = schema.For[struct {
		A string `json:"a" format:"color"`
	}]()
	refused(err, `format "color" cannot be enforced`)
	_, err = schema.For[struct {
		A string `json:"a" pattern:"("`
	}]()
	refused(err, "a: error parsing regexp")
	_, err = schema.For[struct {
		A int `json:"a,string"`
	}]()
	refused(err, `"string" is not supported`)
	_, err = schema.For[[]int]()
	refused(err, "is not an object")
	_, err = schema.Compile(schema.Spec{{Name: "a", Type: schema.Object, Enum: []any{"x"}}})
	refused(err, "a: enum value x (string) cannot be enforced")
	_, err = schema.Compile(schema.Spec{{Name: "a", Type: "date"}})
	refused(err, `a: unknown type "date"`)
	_, err = schema.Compile(schema.Spec{{Name: "a", Type: schema.Number, Maximum: new(math.NaN())}})
	refused(err, "finite")
	_, err = schema.Compile(schema.Spec{{Name: "a"}, {Name: "a"}})
	refused(err, "twice")
}

func TestEveryLimitHasItsSentence(t *testing.T) {
	two, three := 2, 3
	p, err := schema.Compile(schema.Spec{
		{Name: "s", Type: schema.String, MinLength: &two, MaxLength: &three},
		{Name: "n", Type: schema.Number, Minimum: new(1.5), Maximum: new(2.0)},
		{Name: "l", Type: schema.Array, MinItems: &two, MaxItems: &three},
		{Name: "p", Type: schema.String, Pattern: "^a+$"},
		{Name: "t", Type: schema.String, Format: "date-time"},
		{Name: "u", Type: schema.String, Format: "uri"},
		{Name: "m", Type: schema.String, Format: "email"},
		{Name: "id", Type: schema.String, Format: "uuid"},
		{Name: "e", Type: schema.Integer, Enum: []any{1, 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		`{"s":"ä"}`:       `"s" must have at least 2 characters (it has 1)`,
		`{"s":"ääää"}`:    `"s" must have at most 3 characters (it has 4)`,
		`{"n":1}`:         `"n" must be at least 1.5 (got 1)`,
		`{"n":2.5}`:       `"n" must be at most 2 (got 2.5)`,
		`{"l":[1]}`:       `"l" must have at least 2 items (it has 1)`,
		`{"l":[1,2,3,4]}`: `"l" must have at most 3 items (it has 4)`,
		`{"p":"b"}`:       `"p" must match the pattern ^a+$ (got "b")`,
		`{"t":"today"}`:   `"t" must be a date-time such as 2026-01-31T12:00:00Z (got "today")`,
		`{"u":"a b"}`:     `"u" must be a URI with its scheme, such as https://example.com/a (got "a b")`,
		`{"m":"a@"}`:      `"m" must be an email address such as ada@example.com (got "a@")`,
		`{"id":"1"}`:      `"id" must be a UUID such as 123e4567-e89b-12d3-a456-426614174000 (got "1")`,
		`{"e":3}`:         `"e" must be one of [1,2] (got "3")`,
		`{"s":"äöü","n":2,"l":[1,2],"p":"aa","t":"2026-01-31T12:00:00+01:00","u":"urn:x","m":"a.b@c.de","id":"123E4567-e89b-12d3-a456-426614174000","e":2.0}`: "",
	} {
		got := ""
		if err := p.Check([]byte(raw)); err != nil {
			got = strings.TrimPrefix(err.Error(), "invalid arguments: ")
		}
		if got != want {
			t.Errorf("Check(%s) = %s\nwant %s", raw, got, want)
		}
	}
}

func TestManyViolationsAreCapped(t *testing.T) {
	p, err := schema.Compile(schema.Spec{{Name: "list", Type: schema.Array, Items: &schema.Prop{Type: schema.String}}})
	if err != nil {
		t.Fatal(err)
	}
	raw := []byte(`{"list":[` + strings.Repeat("1,", 99_999) + `1]}`)
	err = p.Check(raw)
	if err == nil || len(err.Error()) > 2048 || !strings.HasSuffix(err.Error(), "more") || !strings.Contains(err.Error(), `"list[0]" must be a string`) {
		t.Errorf("Check = %v", err)
	}
}

func TestManyPropertiesAndManyExtras(t *testing.T) {
	var spec schema.Spec
	var whole []string
	for i := range 200 {
		spec = append(spec, schema.Prop{Name: fmt.Sprintf("p%d", i), Type: schema.Integer, Required: true})
		whole = append(whole, fmt.Sprintf(`"p%d":%d`, 199-i, i), fmt.Sprintf(`"x%d":[]`, i))
	}
	p, err := schema.Compile(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check([]byte("{" + strings.Join(whole, ",") + "}")); err != nil {
		t.Error(err)
	}
	for _, again := range []string{`"p150":1`, `"x150":1`, `"x15\u0030":1`, `"p1\u00350":2`} {
		if err := p.Check([]byte("{" + strings.Join(append(whole, again), ",") + "}")); err == nil || !strings.Contains(err.Error(), "duplicate member") {
			t.Errorf("%s again: %v", again, err)
		}
	}
	if err := p.Check([]byte("{" + strings.Join(whole[2:], ",") + "}")); err == nil || !strings.Contains(err.Error(), `missing required property "p199"`) {
		t.Errorf("one left out: %v", err)
	}
}

func TestGoodArgumentsAreNotCopied(t *testing.T) {
	p, _ := schema.Compile(schema.Spec{{Name: "a", Type: schema.String}})
	raw := []byte(`{"a":"x"}`)
	if got, err := p.Admit(raw, nil); err != nil || &got[0] != &raw[0] {
		t.Errorf("Admit copied %s: %v", got, err)
	}
	if got, err := p.Admit([]byte(`{"b":1,"a":"x"}`), nil); err != nil || string(got) != `{"a":"x"}` {
		t.Errorf("Admit = %s, %v", got, err)
	}
	if n := testing.AllocsPerRun(100, func() { p.Check(raw) }); n != 0 {
		t.Errorf("Check allocates %v times", n)
	}
}

func TestHostileNumbersTakeNoTime(t *testing.T) {
	p, _ := schema.Compile(schema.Spec{{Name: "n", Type: schema.Integer}})
	for raw, ok := range map[string]bool{
		`{"n":1e18}`: true, `{"n":100e-2}`: true, `{"n":-0.0}`: true, `{"n":-9223372036854775808}`: true, `{"n":9223372036854775807.0}`: true,
		`{"n":1e19}`: false, `{"n":1e-1}`: false, `{"n":1e999999999}`: false, `{"n":1e-999999999}`: false, `{"n":-9223372036854775809}`: false,
		`{"n":0e999999999999}`: true, `{"n":` + strings.Repeat("9", 100_000) + `}`: false, `{"n":1.` + strings.Repeat("0", 100_000) + `}`: true,
	} {
		if err := p.Check([]byte(raw)); (err == nil) != ok {
			t.Errorf("Check(%.40s) = %v, want ok = %v", raw, err, ok)
		}
	}
}
