package files

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/toolfalltest"
)

// What a call claims is the file that it touches, by whichever name.
func TestClaimsAreTheFilesTouched(t *testing.T) {
	outer, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(outer, "real")
	for _, err := range []error{os.Mkdir(dir, 0o755), os.Mkdir(filepath.Join(dir, "sub"), 0o755), os.WriteFile(filepath.Join(dir, "sub", "f"), nil, 0o644),
		os.Symlink("sub/f", filepath.Join(dir, "link")), os.Symlink("real", filepath.Join(outer, "root"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	reg := toolfalltest.Attach(t, New(Config{Roots: []string{filepath.Join(outer, "root")}}))
	var got []toolfall.Claim
	reg.Use(t, toolfall.Middleware{Name: "look", Stage: toolfall.Contain, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
		got = c.Claims()
		return toolfall.Result{Content: toolfall.Text("")}
	}})
	for _, row := range []struct {
		tool  string
		args  map[string]any
		key   string
		write bool
	}{
		{"read_file", map[string]any{"path": "link"}, "sub/f", false},
		{"edit_file", map[string]any{"path": filepath.Join(outer, "root", "sub", "f"), "old_string": "a", "new_string": "b"}, "sub/f", true},
		{"write_file", map[string]any{"path": "new/../new2", "content": ""}, "new2", true},
		{"grep", map[string]any{"pattern": "x"}, ".", false},
		{"glob", map[string]any{"pattern": "*", "path": "sub"}, "sub", false},
		{"list_dir", map[string]any{}, ".", false},
	} {
		raw, err := json.Marshal(row.args)
		if err != nil {
			t.Fatal(err)
		}
		got = nil
		if r := reg.Execute(t.Context(), toolfall.Call{Name: row.tool, Arguments: raw}); r.IsError {
			t.Errorf("%s: %s", row.tool, r.Text())
			continue
		}
		if want := (toolfall.Claim{Resource: toolfall.Path, Key: filepath.Join(dir, row.key), Write: row.write}); len(got) != 1 || got[0] != want {
			t.Errorf("%s %s claims %v, want %v", row.tool, raw, got, want)
		}
	}
}
