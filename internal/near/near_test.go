package near_test

import (
	"slices"
	"testing"

	"github.com/toolfall/toolfall/internal/near"
)

func TestNames(t *testing.T) {
	known := []string{"read_file", "write_file", "edit_file", "grep", "glob", "bash", "mcp.server.tool"}
	for want, close := range map[string][]string{
		"ReadFile":        {"read_file"},
		"reed_file":       {"read_file"},
		"gerp":            {"grep"},
		"grap":            {"grep"},
		"mcp_server_tool": {"mcp.server.tool"},
		"delete":          nil,
		"":                nil,
	} {
		got := near.Names(want, slices.Values(known))
		if !slices.Equal(got, close) {
			t.Errorf("Names(%q) = %v, want %v", want, got, close)
		}
	}
}

func TestIs(t *testing.T) {
	for _, c := range []struct {
		sent, name string
		want       bool
	}{
		{"pth", "path", true}, {"Path", "path", true}, {"filePath", "file_path", true},
		{"offset", "limit", false}, {"x", "y", false}, {"", "", true},
	} {
		if got := near.Is(c.sent, c.name); got != c.want {
			t.Errorf("Is(%q, %q) = %v, want %v", c.sent, c.name, got, c.want)
		}
	}
}
