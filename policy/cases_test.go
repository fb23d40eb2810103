package policy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// shared reads a file of vectors, which a clone may lack.
func shared(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "shared", filepath.FromSlash(name)))
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return raw
}

func TestShellPolicyVectors(t *testing.T) {
	var file struct {
		Settings json.RawMessage
		Cases    []struct {
			Row, Command, Why string
			Effect            []string
		}
	}
	if err := json.Unmarshal(shared(t, "cases/shell-policy.json"), &file); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in, err := ParseClaude(file.Settings, "settings.json", true)
	if err != nil || len(in.Problems) > 0 {
		t.Fatal(err, in.Problems)
	}
	p, err := New(Config{Rules: in.Rules, Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range file.Cases {
		t.Run(fmt.Sprintf("%s-%d", c.Row, i), func(t *testing.T) {
			args, _ := json.Marshal(map[string]string{"command": c.Command})
			d := p.Decide("bash", args)
			if !slices.Contains(c.Effect, d.Effect.String()) {
				t.Errorf("%.80q is %s, want one of %v (%s): %s; opaque %v", c.Command, d.Effect, c.Effect, c.Why, d.Reason(), d.Opaque)
			}
		})
	}
}
