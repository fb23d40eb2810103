package policy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// geminiRule is a [[rule]] of a policy file of Gemini CLI.
type geminiRule struct {
	ToolName      any            `toml:"toolName"`
	MCPName       string         `toml:"mcpName"`
	Subagent      string         `toml:"subagent"`
	Annotations   map[string]any `toml:"toolAnnotations"`
	ArgsPattern   string         `toml:"argsPattern"`
	CommandPrefix any            `toml:"commandPrefix"`
	CommandRegex  string         `toml:"commandRegex"`
	Decision      string         `toml:"decision"`
	Priority      int            `toml:"priority"`
	Modes         []string       `toml:"modes"`
	Interactive   *bool          `toml:"interactive"`
	Redirection   bool           `toml:"allowRedirection"`
	DenyMessage   string         `toml:"denyMessage"`
}

// ParseGemini reads the rules of a policy file of Gemini CLI. There the highest
// priority decides and here the strictest effect, so where a rule that allows would
// beat one that does not, the file is stricter here, and that is reported. Conditions
// that we do not have make a rule ask where it would deny or ask, and not count where
// it would allow.
func ParseGemini(raw []byte, source string, trusted bool) (*Imported, error) {
	var file struct {
		Rule []geminiRule `toml:"rule"`
	}
	if err := toml.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	in := &Imported{}
	allowed := 0
	slices.SortStableFunc(file.Rule, func(a, b geminiRule) int { return cmp.Compare(b.Priority, a.Priority) })
	for i, g := range file.Rule {
		at := fmt.Sprintf("%s: rule of priority %d, number %d", source, g.Priority, i+1)
		rules, err := g.rules(in, at)
		switch {
		case err != nil:
			in.problem(at, "%v", err)
			continue
		case g.Decision == "allow" && !trusted:
			in.problem(at, "a rule that allows does not count: the file is not trusted")
			continue
		case g.Decision == "allow":
			allowed++
		case allowed > 0:
			in.problem(at, "rules of a higher priority allow; here what denies or asks comes first")
		}
		in.Rules = append(in.Rules, rules...)
	}
	return in, nil
}

var geminiEffects = map[string]Effect{"allow": Allow, "ask_user": Ask, "deny": Deny}

// rules converts a rule.
func (g geminiRule) rules(in *Imported, at string) ([]Rule, error) {
	effect, ok := geminiEffects[g.Decision]
	if !ok {
		return nil, fmt.Errorf("unknown decision %q", g.Decision)
	}
	if missing := g.beyond(effect); missing != "" {
		if effect == Allow {
			return nil, fmt.Errorf("%s is not known here, so the rule does not allow", missing)
		}
		in.problem(at, "%s is not known here, so the rule asks about every call that it could be of", missing)
		effect = Ask
	}
	base := Rule{Effect: effect, Server: g.MCPName, Reason: g.DenyMessage, Source: at}
	tools, err := geminiTools(g.ToolName, effect)
	if err != nil {
		return nil, err
	}
	prefixes := stringsOf(g.CommandPrefix)
	var out []Rule
	for _, tool := range tools {
		base.Tool = tool
		if len(prefixes) == 0 {
			out = append(out, base)
		}
		for _, prefix := range prefixes {
			r := base
			r.Tool, r.When.Command = "bash", prefix+" *"
			out = append(out, r)
		}
	}
	return out, nil
}

// beyond names a condition that we do not have, or nothing.
func (g geminiRule) beyond(effect Effect) string {
	switch {
	case g.ArgsPattern != "":
		return "argsPattern"
	case g.CommandRegex != "":
		return "commandRegex"
	case g.Subagent != "":
		return "subagent"
	case len(g.Annotations) > 0:
		return "toolAnnotations"
	case g.Interactive != nil:
		return "interactive"
	case len(g.Modes) > 0 && (effect == Allow || !slices.Contains(g.Modes, "default")):
		return "modes"
	}
	return ""
}

// geminiTools are our tools for theirs.
func geminiTools(name any, effect Effect) ([]string, error) {
	names := stringsOf(name)
	if len(names) == 0 {
		names = []string{"*"}
	}
	var out []string
	for _, n := range names {
		ours, known := theirs[n]
		switch {
		case n == "*" && effect == Allow:
			return nil, fmt.Errorf("an allowing rule names its tool")
		case known:
			out = append(out, ours...)
		case n == "*":
			out = append(out, "")
		default:
			out = append(out, n)
		}
	}
	return out, nil
}

// stringsOf returns a string, or the strings of an array.
func stringsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}
