package policy

import (
	"fmt"
	"path/filepath"
)

// ParseFile reads a file of another program, which its name tells: .json is Claude
// Code's, .rules Codex's and .toml Gemini CLI's.
func ParseFile(path string, raw []byte, trusted bool) (*Imported, error) {
	switch ext := filepath.Ext(path); ext {
	case ".json":
		return ParseClaude(raw, path, trusted)
	case ".rules":
		return ParseCodex(raw, path, trusted)
	case ".toml":
		return ParseGemini(raw, path, trusted)
	}
	return nil, fmt.Errorf("%s: not a file of settings: want .json (Claude Code), .rules (Codex) or .toml (Gemini CLI)", path)
}

// ParseRule reads a rule as Claude Code writes it, such as Bash(git log *).
func ParseRule(e Effect, text string) ([]Rule, error) { return claudeRules(text, e) }
