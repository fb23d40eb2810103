package schema_test

import (
	"strings"
	"testing"

	"github.com/toolfall/toolfall/schema"
)

func TestRepairMendsWhatIsKnownAndNothingElse(t *testing.T) {
	m := malformedCases(t)
	for _, c := range m.Cases {
		p := planOf(t, m.Schemas[c.Schema])
		if c.Code == "" {
			continue
		}
		fixed, edits, ok := p.Repair([]byte(c.Raw))
		switch {
		case c.Repaired == nil && ok:
			t.Errorf("%s: repaired to %s by %q, want a refusal", c.Name, fixed, edits)
		case c.Repaired != nil && (!ok || !sameJSON(t, fixed, c.Repaired) || len(edits) == 0):
			t.Errorf("%s: %s by %q (%v), want %s", c.Name, fixed, edits, ok, c.Repaired)
		}
	}
}

func TestRepairSaysWhatItDid(t *testing.T) {
	p, err := schema.Compile(schema.Spec{
		{Name: "n", Type: schema.Integer}, {Name: "s", Type: schema.String}, {Name: "b", Type: schema.Boolean},
		{Name: "list", Type: schema.Array, Items: &schema.Prop{Type: schema.Object, Properties: schema.Spec{{Name: "n", Type: schema.Number, Required: true}}}},
		{Name: "mode", Type: schema.String, Enum: []any{"fast", "Slow"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		`{"n":"7"}`:                         `{"n":7} "n" was a text; took the number in it`,
		`{"s":007}`:                         ``,
		`{"s":12.50}`:                       `{"s":"12.50"} "s" was the number 12.50; made it a text`,
		`{"b":"true","n":""}`:               `{"b":true} "b" was a text; took the boolean in it; "n" was empty; left it out`,
		`{"b":"TRUE"}`:                      ``,
		`{"list":"[{\"n\":\"1.5\"}]"}`:      `{"list":[{"n":1.5}]} "list" was a text; took the array in it; "list[0].n" was a text; took the number in it`,
		`{"list":[{"n":null}]}`:             ``,
		`{"mode":"SLOW"}`:                   `{"mode":"Slow"} "mode" was "SLOW"; made it "Slow"`,
		`{'s':'it\'s "so"', }`:              `{"s":"it's \"so\""} "arguments" had single quotes; made them double; "arguments" had a trailing comma; dropped it`,
		`{"s":"a`:                           ``,
		`{"n":[1`:                           ``,
		`{"input":{"n":null,"b":true}}`:     `{"b":true} "arguments" were inside a member "input"; took them out; "n" was null; left it out`,
		`{"n":1}{"n":2}`:                    ``,
		`{"n":1,"n":2}`:                     ``,
		"```json\n{\"n\":1}\n```\n```\n```": ``,
		`{"n":1} // note`:                   ``,
	} {
		fixed, edits, ok := p.Repair([]byte(raw))
		got := ""
		if ok {
			got = string(fixed) + " " + strings.Join(edits, "; ")
		}
		if got != want {
			t.Errorf("Repair(%s) = %s\nwant %s", raw, got, want)
		}
	}
}

func FuzzRepairedIsAdmitted(f *testing.F) {
	p, err := schema.Compile(schema.Spec{
		{Name: "n", Type: schema.Integer, Required: true},
		{Name: "l", Type: schema.Array, Items: &schema.Prop{Type: schema.String}},
		{Name: "o", Type: schema.Object, Properties: schema.Spec{{Name: "m", Type: schema.String, Enum: []any{"a", "b"}}}},
	})
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{`{"n":"1",}`, "```\n{'n':1}\n```", `{"arguments":{"n":1}}`, `"{\"n\":1}"`, `{"n":1,"l":"[\"a\"]","o":{"m":"A"}}`, `{"n":1}}`, "{\"n\":1,\"l\":[\"a\nb\"]}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		fixed, edits, ok := p.Repair(raw)
		if !ok {
			return
		}
		if err := p.Check(fixed); err != nil || len(edits) == 0 || len(fixed) > 8*len(raw)+16 {
			t.Fatalf("Repair(%q) = %q by %q: %v", raw, fixed, edits, err)
		}
	})
}
