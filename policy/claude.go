package policy

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Problem is something in a file that could not be honoured as it stands. What of it
// is safe to honour was.
type Problem struct {
	Source string
	Text   string
}

// String tells the problem on one line.
func (p Problem) String() string { return p.Source + ": " + p.Text }

// Imported is what another program's file says.
type Imported struct {
	Rules    []Rule
	Mode     Mode     // empty when the file names none
	Dirs     []string // further directories to work in
	NoBypass bool     // mode bypass is switched off
	Problems []Problem
}

// ParseClaude reads the permissions of a Claude Code settings.json. Of a file that is
// not trusted, because it came with a repository, only what tightens counts. One bad
// entry does not void the others.
func ParseClaude(raw []byte, source string, trusted bool) (*Imported, error) {
	var file struct {
		Permissions struct {
			Allow, Ask, Deny             []json.RawMessage
			DefaultMode                  string
			AdditionalDirectories        []string
			DisableBypassPermissionsMode string
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	in := &Imported{NoBypass: file.Permissions.DisableBypassPermissionsMode == "disable"}
	for _, list := range []struct {
		effect  Effect
		entries []json.RawMessage
	}{{Deny, file.Permissions.Deny}, {Ask, file.Permissions.Ask}, {Allow, file.Permissions.Allow}} {
		for i, entry := range list.entries {
			at := fmt.Sprintf("%s: permissions.%s[%d]", source, list.effect, i)
			in.claude(entry, list.effect, at, trusted)
		}
	}
	in.claudeMode(file.Permissions.DefaultMode, source, trusted)
	if trusted {
		in.Dirs = file.Permissions.AdditionalDirectories
	} else if len(file.Permissions.AdditionalDirectories) > 0 {
		in.problem(source, "additionalDirectories do not count in a file that is not trusted")
	}
	return in, nil
}

func (in *Imported) problem(source, format string, args ...any) {
	in.Problems = append(in.Problems, Problem{source, fmt.Sprintf(format, args...)})
}

func (in *Imported) claudeMode(name, source string, trusted bool) {
	if name == "" {
		return
	}
	m, err := ParseMode(name)
	switch {
	case err != nil:
		in.problem(source, "defaultMode: %v", err)
	case !trusted && m != Plan && m != DontAsk && m != Default:
		in.problem(source, "defaultMode %q does not count in a file that is not trusted", name)
	default:
		in.Mode = m
	}
}

// claude reads one entry.
func (in *Imported) claude(entry json.RawMessage, effect Effect, at string, trusted bool) {
	var text string
	if json.Unmarshal(entry, &text) != nil {
		in.problem(at, "a rule is a text, not %.40s", entry)
		return
	}
	if effect == Allow && !trusted {
		in.problem(at, "%q does not count: the file is not trusted", text)
		return
	}
	rules, err := claudeRules(text, effect)
	if err != nil {
		in.problem(at, "%q: %v", text, err)
	}
	for _, r := range rules {
		r.Source = at
		in.Rules = append(in.Rules, r)
	}
}

var claudeRule = regexp.MustCompile(`(?s)^([^()\s]+)(?:\((.*)\))?$`)

// claudeRules reads Name or Name(spec), which may be several rules here.
func claudeRules(text string, effect Effect) ([]Rule, error) {
	m := claudeRule.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil, fmt.Errorf("want Name or Name(what)")
	}
	name, spec := m[1], strings.TrimSpace(m[2])
	if spec == "*" {
		spec = ""
	}
	tools, known := theirs[name]
	switch {
	case strings.HasPrefix(name, "mcp__"):
		return claudeServer(name, spec, effect)
	case strings.Contains(name, "*"):
		return claudeGlob(name, spec, effect)
	case !known && kinds[name] != other:
		tools = []string{name} // a name of ours
	case !known:
		tools = []string{name}
	case len(tools) == 0:
		return nil, fmt.Errorf("there is no tool like %s here", name)
	}
	when, err := claudeWhen(name, tools, spec, effect)
	if err != nil {
		return nil, err
	}
	rules := make([]Rule, len(tools))
	for i, tool := range tools {
		rules[i] = Rule{Effect: effect, Tool: tool, When: when}
	}
	if !known && kinds[name] == other && spec != "" && when.Param == "" {
		return nil, fmt.Errorf("what %s takes is not known, so %q cannot be matched", name, spec)
	}
	return rules, nil
}

// claudeServer reads mcp__server, mcp__server__* and mcp__server__tool.
func claudeServer(name, spec string, effect Effect) ([]Rule, error) {
	server, tool, _ := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
	if server == "" || strings.Contains(server, "*") && effect == Allow {
		return nil, fmt.Errorf("an allowing rule names the server")
	}
	if tool == "*" {
		tool = ""
	}
	r := Rule{Effect: effect, Server: server, Tool: tool}
	if spec != "" {
		param, value, ok := strings.Cut(spec, ":")
		if !ok || effect == Allow {
			return nil, fmt.Errorf("of a server's tool only (param:value) can be said, to deny or ask")
		}
		r.When = When{Param: strings.TrimSpace(param), Value: strings.TrimSpace(value)}
	}
	return []Rule{r}, nil
}

func claudeGlob(name, spec string, effect Effect) ([]Rule, error) {
	switch {
	case effect == Allow:
		return nil, fmt.Errorf("an allowing rule names its tool; only mcp__server__* may have a *")
	case spec != "":
		return nil, fmt.Errorf("a rule on many tools cannot be narrowed")
	}
	return []Rule{{Effect: effect, Tool: name}}, nil
}

var paramSpec = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\s*:\s*(.*)$`)

// claudeWhen reads what stands in the parentheses.
func claudeWhen(name string, tools []string, spec string, effect Effect) (When, error) {
	if spec == "" {
		return When{}, nil
	}
	k := kinds[tools[0]]
	param := paramSpec.FindStringSubmatch(spec)
	switch {
	case k == runs && !(param != nil && effect != Allow && ours[param[1]]):
		return When{Command: spec}, nil
	case k == visits && strings.HasPrefix(spec, "domain:"):
		return When{Domain: strings.TrimPrefix(spec, "domain:")}, nil
	case param != nil && effect != Allow && !slices.Contains(primary, param[1]):
		return When{Param: param[1], Value: param[2]}, nil
	case k == visits:
		return When{}, fmt.Errorf("%s is narrowed by domain:host", name)
	case name == "Write" || name == "NotebookEdit" || name == "Glob" || name == "Grep" || name == "LS":
		return When{}, fmt.Errorf("paths are ruled by Read(…) and Edit(…); a path on %s is not looked at", name)
	case k == reads || k == edits:
		return When{Path: spec}, nil
	}
	return When{}, fmt.Errorf("%q cannot be matched", spec)
}

// ours are the arguments of bash that a rule on a parameter can be about; anything
// else before a colon is a command.
var ours = map[string]bool{"timeout": true, "workdir": true, "description": true}
