package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolfall/toolfall/schema"
)

type richInner struct {
	A string  `json:"a" enum:"x,yy,zzz"`
	B []int8  `json:"b,omitempty" maxItems:"3"`
	C *uint16 `json:"c,omitempty"`
}

// rich has every kind of field.
type rich struct {
	S   string               `json:"s,omitempty" minLength:"1" maxLength:"10"`
	N   int                  `json:"n,omitempty" minimum:"-5"`
	U   uint64               `json:"u,omitempty"`
	F   float64              `json:"f,omitempty" maximum:"100"`
	F32 float32              `json:"f32,omitempty"`
	B   bool                 `json:"b,omitempty"`
	T   time.Time            `json:"t,omitzero"`
	By  []byte               `json:"by,omitempty"`
	M   map[string]richInner `json:"m,omitempty"`
	MA  map[string]any       `json:"ma,omitempty"`
	A   any                  `json:"a,omitempty"`
	R   json.RawMessage      `json:"r,omitempty"`
	In  richInner            `json:"in,omitzero"`
	L   []richInner          `json:"l,omitempty"`
	LL  [][]string           `json:"ll,omitempty"`
	Fix *[2]int              `json:"fix,omitempty"`
	Num json.Number          `json:"num,omitempty"`
	E   int                  `json:"e,omitempty" enum:"1,2,300"`
	P   **string             `json:"p,omitempty"`
}

// What is checked can be decoded, what is decoded was checked, and encoding/json
// agrees on the value of whatever we accept.
func FuzzCheckedIsDecoded(f *testing.F) {
	p, err := schema.For[rich]()
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{
		`{}`, `null`, ``, `{"s":"\ud83d\ude00"}`, `{"n":1.0,"x":[{"a":1,"b":2}]}`, `{"x":{"y":[[[]]]},"X":1, "s" : "b"}`,
		"{\"s\":\"\xff\"}", `{"n":9223372036854775808}`, `{"n":1e999999999}`, `{"u":18446744073709551615,"e":3e2}`,
		`{"s":"a\u0041b","n":3,"f":1e1,"f32":1.5,"b":true,"t":"2026-01-02T03:04:05Z","by":"aGk=","m":{"k":{"a":"x"}},"ma":{"z":[1,{"q":null}]},` +
			`"a":[1,{"b":2}],"r":{"x":1},"in":{"a":"yy","b":[1,2],"c":7},"l":[{"a":"zzz"}],"ll":[["a"],[]],"fix":[1,2],"num":1e3,"e":300,"p":"q"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var v rich
		checked, decoded := p.Check(raw), p.Decode(raw, &v)
		if (checked == nil) != (decoded == nil) {
			t.Fatalf("Check = %v, Decode = %v", checked, decoded)
		}
		if checked != nil {
			if text := checked.Error(); !utf8.ValidString(text) || len(text) > 2048 {
				t.Fatalf("text = %q", text)
			}
			if !equal(v, rich{}) {
				t.Fatalf("after an error the value is %+v", v)
			}
			return
		}
		canonical, err := p.Canonical(raw)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, p, canonical, v)
	})
}

func agree(t *testing.T, p *schema.Plan, canonical []byte, v rich) {
	t.Helper()
	var ours, theirs rich
	if err := p.Decode(canonical, &ours); err != nil || !equal(v, ours) {
		t.Fatalf("the canonical form %s decodes to another value: %v", canonical, err)
	}
	if again, _ := p.Canonical(canonical); !bytes.Equal(again, canonical) {
		t.Fatalf("canonical %s, and again %s", canonical, again)
	}
	if err := json.Unmarshal(canonical, &theirs); err != nil || !equal(v, theirs) {
		t.Fatalf("encoding/json reads %s as %+v (%v), and we as %+v", canonical, theirs, err, v)
	}
}

func equal(a, b rich) bool {
	var ra, rb bytes.Buffer
	json.Compact(&ra, a.R)
	json.Compact(&rb, b.R)
	sameTime := a.T.Equal(b.T)
	a.T, b.T, a.R, b.R = time.Time{}, time.Time{}, nil, nil
	return sameTime && ra.String() == rb.String() && reflect.DeepEqual(a, b)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"type":["object","null"],"properties":{"a":{"enum":[1,"x",null]}},"required":["b"],"items":[{}],"pattern":"("}`), []byte(`{"a":1}`))
	f.Add([]byte(`true`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, raw, value []byte) {
		s, err := schema.Parse(raw)
		if err != nil {
			return
		}
		if string(s.JSON()) != string(raw) {
			t.Fatalf("kept %q of %q", s.JSON(), raw)
		}
		_ = s.Check(value)
		if p, ok := s.Plan(); ok {
			p.Canonical(value)
		}
	})
}
