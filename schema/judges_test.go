package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolfall/toolfall/schema"
)

// TestTheSuiteAgrees plays the JSON Schema Test Suite: every schema is parsed, and
// those that stay inside our keywords must judge as the suite does.
func TestTheSuiteAgrees(t *testing.T) {
	shared(t, "data/README.md") // skips, or fails in CI, where the judges are not
	files, err := filepath.Glob(filepath.Join("..", "..", "shared", "data", "json-schema-suite", "*.json"))
	if err != nil || len(files) < 30 {
		t.Fatalf("found %d files: %v", len(files), err)
	}
	groups, cases := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var suite []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(raw, &suite); err != nil {
			t.Fatal(err)
		}
		for _, group := range suite {
			s, err := schema.Parse(group.Schema)
			if err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(file), group.Description, err)
				continue
			}
			if len(s.Unenforced()) > 0 {
				continue
			}
			groups++
			for _, c := range group.Tests {
				cases++
				if err := s.Check(c.Data); (err == nil) != c.Valid {
					t.Errorf("%s: %s: %s: %s is valid: %v, Check = %v", filepath.Base(file), group.Description, c.Description, c.Data, c.Valid, err)
				}
			}
		}
	}
	t.Logf("judged %d groups with %d cases", groups, cases)
	if groups < 60 || cases < 250 {
		t.Errorf("judged only %d groups with %d cases", groups, cases)
	}
}

// wrongGold are the calls of the leaderboard whose gold answer breaks its own
// schema: null or a number for a text, a value outside the enum, a key left out.
var wrongGold = strings.Fields(`
	live_simple_71-35-0 live_multiple_1038-265-0 live_simple_112-68-0 live_multiple_756-169-11
	live_multiple_731-167-2 live_multiple_735-167-6 live_multiple_1041-268-0 live_multiple_947-197-0
	live_multiple_152-58-6 live_parallel_multiple_2-2-0 live_multiple_596-158-2 live_multiple_595-158-1
	live_multiple_507-149-4 live_simple_106-63-0 live_multiple_750-169-5`)

func TestRealCallsStayValidAndMutationsAreFound(t *testing.T) {
	raw := shared(t, "data/bfcl-half.jsonl")
	judged, wrong, mutations := 0, 0, 0
	for line := range bytes.Lines(raw) {
		var c struct {
			ID     string
			Schema json.RawMessage
			Args   map[string]json.RawMessage
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		f, err := schema.Parse(c.Schema)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if len(f.Unenforced()) > 0 {
			continue
		}
		judged++
		if err := f.Check(encode(t, c.Args)); err != nil {
			wrong++
			if !slices.Contains(wrongGold, c.ID) {
				t.Errorf("%s: a valid call was refused: %v", c.ID, err)
			}
			continue
		}
		mutations += mutate(t, c.ID, c.Schema, f, c.Args)
	}
	t.Logf("judged %d calls and %d mutations; %d gold answers break their schema", judged, mutations, wrong)
	if judged < 1000 || mutations < 5000 || wrong != len(wrongGold) {
		t.Errorf("judged %d calls and %d mutations, %d wrong", judged, mutations, wrong)
	}
}

func encode(t *testing.T, args map[string]json.RawMessage) []byte {
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// mutate breaks each member in each way that its own schema forbids, and returns
// how many breaks there were.
func mutate(t *testing.T, id string, raw json.RawMessage, f *schema.Foreign, args map[string]json.RawMessage) int {
	t.Helper()
	var s struct {
		Properties map[string]struct{ Type any }
		Required   []string
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	n := 0
	refused := func(what string, broken map[string]json.RawMessage) {
		t.Helper()
		n++
		var args *schema.ArgsError
		if err := f.Check(encode(t, broken)); !errors.As(err, &args) {
			t.Errorf("%s: %s went unnoticed: %v", id, what, err)
		}
	}
	for name, p := range s.Properties {
		if _, there := args[name]; !there {
			continue
		}
		typ, plain := p.Type.(string)
		if !plain {
			continue
		}
		with := func(value string) map[string]json.RawMessage {
			m := make(map[string]json.RawMessage, len(args))
			for k, v := range args {
				m[k] = v
			}
			m[name] = json.RawMessage(value)
			return m
		}
		refused(name+" as null", with("null"))
		for kind, value := range map[string]string{"string": `"x y z"`, "object": `{}`, "array": `[]`, "boolean": `true`, "number": `1.5`} {
			if kind != typ {
				refused(name+" as "+kind, with(value))
			}
		}
		if strings.Contains(" "+strings.Join(s.Required, " ")+" ", " "+name+" ") {
			m := with("0")
			delete(m, name)
			refused(name+" left out", m)
		}
	}
	extra := map[string]json.RawMessage{"surely_unknown": json.RawMessage(`1`)}
	for k, v := range args {
		extra[k] = v
	}
	if err := f.Check(encode(t, extra)); err != nil {
		t.Errorf("%s: an extra member was refused: %v", id, err)
	}
	return n
}
