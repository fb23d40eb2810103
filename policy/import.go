package policy

import (
	"encoding/json"
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

// Matcher returns a function that says whether a rule, as Claude Code writes it, could
// be of a call. A rule that cannot be read could be of any.
func (p *Policy) Matcher(text string) func(tool string, arguments json.RawMessage) bool {
	rules, err := claudeRules(text, Deny)
	alone := &Policy{mode: Bypass, dir: p.dir, home: p.home, roots: p.roots, realRoots: p.realRoots, input: p.input}
	for _, r := range rules {
		if err == nil {
			err = alone.add(r, "")
		}
	}
	return func(tool string, arguments json.RawMessage) bool {
		d := alone.Decide(tool, arguments)
		return err != nil || d.Effect == Deny || len(d.Opaque) > 0
	}
}

// ParseRule reads a rule as Claude Code writes it, such as Bash(git log *).
func ParseRule(e Effect, text string) ([]Rule, error) { return claudeRules(text, e) }
