package schema_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/toolfall/toolfall/schema"
)

// shared reads a file of the outside judges, which a clone may lack.
func shared(t testing.TB, name string) []byte {
	raw, err := os.ReadFile(filepath.Join("..", "..", "shared", name))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("%s is not here: %v", name, err)
	}
	return raw
}

type malformed struct {
	Schemas map[string]json.RawMessage
	Cases   []struct {
		Name, Schema, Raw, Code string
		Says                    []string
		Args, Repaired          json.RawMessage
	}
}

func malformedCases(t testing.TB) malformed {
	var m malformed
	if err := json.Unmarshal(shared(t, "cases/malformed-arguments.json"), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func planOf(t testing.TB, raw []byte) *schema.Plan {
	f, err := schema.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := f.Plan()
	if !ok {
		t.Fatalf("%s: not enforced: %v", raw, f.Unenforced())
	}
	return p
}

func TestWhatModelsReallySend(t *testing.T) {
	m := malformedCases(t)
	for _, c := range m.Cases {
		t.Run(c.Name, func(t *testing.T) {
			got, err := planOf(t, m.Schemas[c.Schema]).Canonical([]byte(c.Raw))
			if c.Code == "" {
				if err != nil || !sameJSON(t, got, c.Args) {
					t.Errorf("Canonical(%s) = %s, %v, want %s", c.Raw, got, err, c.Args)
				}
				return
			}
			checkRefusal(t, err, c.Code, c.Says)
		})
	}
}

func checkRefusal(t *testing.T, err error, code string, says []string) {
	t.Helper()
	var coded interface{ Code() string }
	if !errors.As(err, &coded) || coded.Code() != code {
		t.Fatalf("error = %v, want one with code %s", err, code)
	}
	rest := err.Error()
	if len(rest) > 2048 {
		t.Errorf("the text has %d bytes, want at most 2048", len(rest))
	}
	for _, say := range says {
		_, after, ok := strings.Cut(rest, say)
		if !ok {
			t.Fatalf("%q does not say %q in its place", err, say)
		}
		rest = after
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	decode := func(raw []byte) (v any) {
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		return v
	}
	return reflect.DeepEqual(decode(a), decode(b))
}
