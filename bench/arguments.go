package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	goccy "github.com/goccy/go-json"
	google "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolfall/toolfall/schema"
)

// A is a small tool: 3 properties.
type argsA struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

var rawA = []byte(`{"path":"/home/ada/projects/toolfall/schema/pass.go","offset":1200,"limit":400}`)

// B is a larger one: 12 properties, and 6 more inside them.
type argsB struct {
	Query   string    `json:"query"`
	Mode    string    `json:"mode" enum:"regex,literal,symbol"`
	Paths   []string  `json:"paths"`
	Range   rangeB    `json:"range"`
	Filters []filterB `json:"filters"`
	Ratio   float64   `json:"ratio"`
	Deep    bool      `json:"deep"`
	Limit   int       `json:"limit"`
	Offset  int       `json:"offset"`
	Lang    string    `json:"lang" enum:"go,rust,c"`
	Sort    string    `json:"sort"`
	Note    *string   `json:"note,omitempty"`
}

type rangeB struct {
	Start int `json:"start"`
	End   int `json:"end"`
	Step  int `json:"step,omitempty"`
}

type filterB struct {
	Field string `json:"field"`
	Op    string `json:"op" enum:"eq,ne,lt,gt"`
	Value string `json:"value"`
}

var rawB = []byte(`{"query":"func main","mode":"regex","paths":["/src/a.go","/src/b.go","/src/c.go"],"range":{"start":10,"end":2000,"step":5},"filters":[{"field":"name","op":"eq","value":"main"},{"field":"size","op":"gt","value":"1000"},{"field":"ext","op":"ne","value":".md"}],"ratio":0.75,"deep":true,"limit":100,"offset":20,"lang":"go","sort":"relevance","note":"look for the entry point of the program"}`)

var badB = []byte(strings.NewReplacer(`"mode":"regex"`, `"mode":"Regexp"`, `"start":10`, `"start":"10"`, `"query":"func main",`, ``).Replace(string(rawB)))

// argsC has few fields, one of which takes 20 KB of source text, and many that the
// text of the case has besides.
type argsC struct {
	P0, P1, P2, P3, P4, P5, P6, P7, P8, P9 string `json:",omitempty"`
	Q0, Q1, Q2, Q3, Q4, Q5, Q6, Q7, Q8, Q9 int    `json:",omitempty"`
	R0, R1, R2, R3, R4, R5, R6, R7, R8, R9 string `json:",omitempty"`
	S0, S1, S2, S3, S4, S5, S6, S7, S8, S9 int    `json:",omitempty"`
	T0, T1, T2, T3, T4, T5, T6, T7, T8, T9 string `json:",omitempty"`
	U0, U1, U2, U3, U4, U5, U6, U7, U8     bool   `json:",omitempty"`
	Content                                string `json:"content"`
}

// textC fills every property of argsC.
func textC() []byte {
	v := reflect.New(reflect.TypeFor[argsC]()).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("a value of some thirty characters " + v.Type().Field(i).Name)
		case reflect.Int:
			f.SetInt(int64(1000 + i))
		case reflect.Bool:
			f.SetBool(true)
		}
	}
	c := v.Interface().(argsC)
	c.Content = strings.Repeat("\tif x := \"a\\b\"; x != nil {\n\t\treturn fmt.Errorf(\"bad: %w\", err)\n\t}\n", 250)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(c); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func arguments() []contender {
	cs := onCase[argsA]("A", rawA)
	cs = append(cs, onCase[argsB]("B", rawB)...)
	cs = append(cs, onCase[argsC]("C", textC())...)
	return append(cs, contender{group: "arguments B", name: "toolfall: 3 violations, rendered", ours: true, setup: violations})
}

// onCase are the contenders on one case.
func onCase[T any](name string, raw []byte) []contender {
	group := "arguments " + name
	decode := func(unmarshal func([]byte, any) error) func() (func(int), func(), error) {
		return func() (func(int), func(), error) {
			return func(n int) {
				for range n {
					var v T
					if err := unmarshal(raw, &v); err != nil {
						panic(err)
					}
				}
			}, nil, nil
		}
	}
	plan := func(use func(*schema.Plan) func(int)) func() (func(int), func(), error) {
		return func() (func(int), func(), error) {
			p, err := schema.For[T]()
			if err != nil {
				return nil, nil, err
			}
			return use(p), nil, p.Check(raw)
		}
	}
	return []contender{
		{group: group, name: "floor: encoding/json, decode", setup: decode(json.Unmarshal)},
		{group: group, name: "json.Valid", setup: func() (func(int), func(), error) {
			return func(n int) {
				for range n {
					json.Valid(raw)
				}
			}, nil, nil
		}},
		{group: group, name: "toolfall: check + decode", ours: true, setup: plan(func(p *schema.Plan) func(int) {
			return func(n int) {
				for range n {
					var v T
					if err := p.Decode(raw, &v); err != nil {
						panic(err)
					}
				}
			}
		})},
		{group: group, name: "toolfall: check", ours: true, setup: plan(func(p *schema.Plan) func(int) {
			return func(n int) {
				for range n {
					if err := p.Check(raw); err != nil {
						panic(err)
					}
				}
			}
		})},
		{group: group, name: "goccy, decode", setup: decode(goccy.Unmarshal)},
		{group: group, name: "any + santhosh + decode", setup: withSanthosh[T](raw)},
		{group: group, name: "any + google + decode", setup: withGoogle[T](raw)},
	}
}

func wire[T any]() ([]byte, error) {
	p, err := schema.For[T]()
	if err != nil {
		return nil, err
	}
	return []byte(p.Schema()), nil
}

func withSanthosh[T any](raw []byte) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		text, err := wire[T]()
		if err != nil {
			return nil, nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, nil, err
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("s.json", doc); err != nil {
			return nil, nil, err
		}
		s, err := c.Compile("s.json")
		if err != nil {
			return nil, nil, err
		}
		return three[T](raw, func(v any) error { return s.Validate(v) }), nil, nil
	}
}

func withGoogle[T any](raw []byte) func() (func(int), func(), error) {
	return func() (func(int), func(), error) {
		text, err := wire[T]()
		if err != nil {
			return nil, nil, err
		}
		var s google.Schema
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, nil, err
		}
		r, err := s.Resolve(nil)
		if err != nil {
			return nil, nil, err
		}
		return three[T](raw, func(v any) error { return r.Validate(v) }), nil, nil
	}
}

// three is the usual way: decode into any, validate that, decode again.
func three[T any](raw []byte, validate func(any) error) func(int) {
	return func(n int) {
		for range n {
			var any any
			var v T
			if err := json.Unmarshal(raw, &any); err != nil {
				panic(err)
			}
			if err := validate(any); err != nil {
				panic(err)
			}
			if err := json.Unmarshal(raw, &v); err != nil {
				panic(err)
			}
		}
	}
}

func violations() (func(int), func(), error) {
	p, err := schema.For[argsB]()
	if err != nil {
		return nil, nil, err
	}
	if err := p.Check(badB); err == nil || strings.Count(err.Error(), ";") < 2 {
		return nil, nil, fmt.Errorf("want three violations, got %w", err)
	}
	return func(n int) {
		for range n {
			_ = p.Check(badB).Error()
		}
	}, nil, nil
}
