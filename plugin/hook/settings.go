package hook

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/toolfall/toolfall/schema"
)

// A Problem is an entry of a settings file that cannot be honoured.
type Problem struct{ Source, Text string }

// String tells the problem on one line.
func (p Problem) String() string { return p.Source + ": " + p.Text }

// ParseSettings reads the hooks of a Claude Code settings.json. Those of a file that is
// not trusted are left out. A bad entry does not void the others.
func ParseSettings(raw []byte, source string, trusted bool) ([]Hook, []Problem, error) {
	var file struct {
		DisableAllHooks bool
		Hooks           map[string]json.RawMessage
	}
	if _, err := schema.Arguments(raw); err != nil { // a member that is there twice would hide the first
		return nil, nil, fmt.Errorf("%s: %w", source, err)
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", source, err)
	}
	p := &parser{source: source}
	switch {
	case file.DisableAllHooks:
		return nil, nil, nil
	case !trusted && len(file.Hooks) > 0:
		return nil, []Problem{{source, "its hooks do not run: the file is not trusted"}}, nil
	}
	events := make([]string, 0, len(file.Hooks))
	for event := range file.Hooks {
		events = append(events, event)
	}
	slices.Sort(events)
	for _, event := range events {
		at := fmt.Sprintf("%s: hooks.%s", source, event)
		var groups []json.RawMessage
		if err := json.Unmarshal(file.Hooks[event], &groups); err != nil {
			p.problem(at, "want a list: %v", err)
			continue
		}
		if !slices.Contains(happening, Event(event)) {
			p.problem(at, "the event %s does not happen here", event)
			continue
		}
		for i, group := range groups {
			p.group(Event(event), fmt.Sprintf("%s[%d]", at, i), group)
		}
	}
	return p.hooks, p.problems, nil
}

// happening are the events that there are.
var happening = []Event{PreToolUse, PostToolUse, PostToolUseFailure, PermissionRequest}

type parser struct {
	source   string
	hooks    []Hook
	problems []Problem
}

func (p *parser) problem(at, format string, args ...any) {
	p.problems = append(p.problems, Problem{at, fmt.Sprintf(format, args...)})
}

// group reads the hooks that share a matcher.
func (p *parser) group(event Event, at string, raw json.RawMessage) {
	var g struct {
		Matcher string
		Hooks   []json.RawMessage
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		p.problem(at, "%v", err)
		return
	}
	if _, err := compileMatcher(g.Matcher); err != nil {
		p.problem(at, "%v", err)
		return
	}
	for i, one := range g.Hooks {
		here := fmt.Sprintf("%s.hooks[%d]", at, i)
		h, err := readHook(one)
		if err != nil {
			p.problem(here, "%v", err)
			continue
		}
		h.Event, h.Matcher, h.Source = event, g.Matcher, here
		p.hooks = append(p.hooks, h)
	}
}

// entry is a hook as the file has it.
type entry struct {
	Type           string
	Command        string
	Args           []string
	URL            string
	Headers        map[string]string
	AllowedEnvVars []string
	If             string
	Timeout        float64
	Async          bool
	Shell          string
	FailOpen       bool
}

func readHook(raw json.RawMessage) (Hook, error) {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return Hook{}, err
	}
	h := Hook{
		Command: e.Command, Args: e.Args, URL: e.URL, Headers: e.Headers, AllowedEnv: e.AllowedEnvVars, If: e.If,
		Timeout: time.Duration(e.Timeout * float64(time.Second)), Async: e.Async,
	}
	if e.FailOpen {
		h.OnFailure = Pass
	}
	switch {
	case e.Timeout < 0 || e.Timeout > 3600:
		return h, fmt.Errorf("timeout %v: want seconds, at most 3600", e.Timeout)
	case e.Type == "command" && e.Command == "", e.Type == "http" && e.URL == "":
		return h, fmt.Errorf("a hook of type %s needs its %s", e.Type, map[string]string{"command": "command", "http": "url"}[e.Type])
	case e.Type == "command":
		h.URL = ""
		return h, nil
	case e.Type == "http":
		h.Command, h.Args = "", nil
		return h, nil
	}
	return h, fmt.Errorf("hooks of type %q do not run here", e.Type)
}
