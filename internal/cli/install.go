package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// client is a program that can be given our tools, and how it wants to be told.
type client struct {
	file string // where its entry belongs
	key  string // the member of that file which holds the servers; empty for TOML
}

// clients are those that are known.
var clients = map[string]client{
	"claude":         {"~/.claude.json, or .mcp.json of a project", "mcpServers"},
	"claude-desktop": {"claude_desktop_config.json", "mcpServers"},
	"codex":          {"~/.codex/config.toml", ""},
	"cursor":         {"~/.cursor/mcp.json, or .cursor/mcp.json of a project", "mcpServers"},
	"gemini":         {"~/.gemini/settings.json", "mcpServers"},
	"vscode":         {".vscode/mcp.json of a project", "servers"},
	"windsurf":       {"~/.codeium/windsurf/mcp_config.json", "mcpServers"},
}

// install prints the entry for a client.
func (a *app) install(name string) error {
	k, ok := clients[name]
	if !ok {
		return fmt.Errorf("unknown client %q; known are %s", name, strings.Join(slices.Sorted(maps.Keys(clients)), ", "))
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "# into %s:\n", k.file)
	args := []string{"serve", "--stdio"}
	if k.key == "" {
		command, _ := json.Marshal(self) // a text of JSON is one of TOML
		list, _ := json.Marshal(args)
		_, err = fmt.Fprintf(a.stdout, "[mcp_servers.toolfall]\ncommand = %s\nargs = %s\n", command, list)
		return err
	}
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{k.key: map[string]any{"toolfall": map[string]any{"command": self, "args": args}}})
}
