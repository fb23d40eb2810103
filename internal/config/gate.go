package config

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/approval"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/plugin/hook"
	"github.com/toolfall/toolfall/plugin/permission"
	"github.com/toolfall/toolfall/plugin/plan"
	"github.com/toolfall/toolfall/policy"
	"github.com/toolfall/toolfall/scope"
)

// Policy compiles the rules that are in force: those of the file, of the settings it
// names, of the command line, and what was granted before.
func (c *Config) Policy() (*policy.Policy, error) {
	pc, err := c.PolicyConfig()
	if err != nil {
		return nil, err
	}
	store, err := c.Grants()
	if err != nil {
		return nil, err
	}
	granted, err := store.Rules()
	if err != nil {
		return nil, err
	}
	pc.Rules = append(pc.Rules, granted...)
	return policy.New(pc)
}

// PolicyConfig is what [Config.Policy] compiles, without the grants.
func (c *Config) PolicyConfig() (policy.Config, error) {
	mode, err := policy.ParseMode(c.Permission.Mode)
	if err != nil {
		return policy.Config{}, err
	}
	pc := policy.Config{Mode: mode, Roots: c.Roots}
	if c.Path != "" {
		if pc.Base, err = filepath.Abs(filepath.Dir(c.Path)); err != nil {
			return policy.Config{}, err
		}
	}
	for i, r := range c.Permission.Rules {
		rule, err := r.rule(fmt.Sprintf("%s: permission.rules[%d]", c.Path, i))
		if err != nil {
			return policy.Config{}, err
		}
		pc.Rules = append(pc.Rules, rule)
	}
	for _, f := range c.settingsFiles() {
		if err := c.settings(&pc, f.path, f.trusted); err != nil {
			return policy.Config{}, err
		}
	}
	for _, text := range c.allow {
		rules, err := policy.ParseRule(policy.Allow, text)
		if err != nil {
			return policy.Config{}, fmt.Errorf("--allow %q: %w", text, err)
		}
		for i := range rules {
			rules[i].Source = "--allow"
		}
		pc.Rules = append(pc.Rules, rules...)
	}
	return pc, nil
}

// settingsFile is a file of another program.
type settingsFile struct {
	path    string
	trusted bool
}

// settingsFiles are those of the configuration and of the command line.
func (c *Config) settingsFiles() []settingsFile {
	var out []settingsFile
	for _, name := range c.Permission.Settings {
		out = append(out, settingsFile{settingsPath(c.Path, name), c.trusted})
	}
	for _, name := range c.named {
		out = append(out, settingsFile{name, true})
	}
	return out
}

// rule converts a rule of the file.
func (r Rule) rule(source string) (policy.Rule, error) {
	var effect policy.Effect
	if err := effect.UnmarshalText([]byte(r.Effect)); err != nil {
		return policy.Rule{}, fmt.Errorf("%s: %w", source, err)
	}
	return policy.Rule{
		Effect: effect, Tool: r.Tool, Server: r.Server, When: policy.When(r.When),
		Reason: r.Reason, Source: source, Match: r.Match, NotMatch: r.NotMatch,
	}, nil
}

// AddSettings names further files of other programs, relative to the current
// directory and trusted: whoever runs the command names them.
func (c *Config) AddSettings(files ...string) { c.named = append(c.named, files...) }

// settings takes in a file of another program. What cannot be honoured is noted.
func (c *Config) settings(pc *policy.Config, path string, trusted bool) error {
	raw, err := readFile(path)
	if err != nil {
		return fmt.Errorf("permission.settings: %w", err)
	}
	in, err := policy.ParseFile(path, raw, trusted)
	if err != nil {
		return err
	}
	for _, p := range in.Problems {
		c.Notes = append(c.Notes, p.String())
	}
	pc.Rules = append(pc.Rules, in.Rules...)
	if in.Mode != "" && c.sources["permission.mode"] == "" {
		pc.Mode = in.Mode
	}
	if in.NoBypass && pc.Mode == policy.Bypass {
		return fmt.Errorf("%s does not permit mode bypass", path)
	}
	for _, dir := range in.Dirs {
		if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(dir, "~/") {
			dir = filepath.Join(home, dir[2:])
		}
		c.Roots = append(c.Roots, settingsPath(path, dir))
		pc.Roots = c.Roots
	}
	return nil
}

// Grants is where grants are kept, for the project of the first root.
func (c *Config) Grants() (permission.Store, error) {
	dir, err := stateDir()
	if err != nil {
		return permission.Store{}, err
	}
	project, err := filepath.Abs(c.Roots[0])
	if err != nil {
		return permission.Store{}, fmt.Errorf("grants: %w", err)
	}
	return permission.Store{Path: filepath.Join(dir, "grants.json"), Project: project}, nil
}

// gates makes the plugins that decide: hooks; the policy; and planning, which a policy
// in mode plan begins with and which only a person ends.
func (c *Config) gates(s *scope.Scope, b *approval.Broker) ([]toolfall.Plugin, error) {
	p, err := c.Policy()
	if err != nil {
		return nil, err
	}
	c.policy, c.hidden = p, p.HidesFile
	store, err := c.Grants()
	if err != nil {
		return nil, err
	}
	hooks, err := c.hooks(s, p)
	if err != nil {
		return nil, err
	}
	planning := p.Mode() == policy.Plan
	after := p
	if planning {
		after = p.In(policy.Default)
	}
	gate := permission.Config{Policy: after, Broker: b, Save: store.Save}
	var plugins []toolfall.Plugin
	if hooks != nil {
		gate.Request = func(ctx context.Context, call toolfall.Call, _ *policy.Decision) (policy.Effect, string) {
			v, why := hooks.Request(ctx, call)
			return effects[v], why
		}
		plugins = append(plugins, hooks.Plugin())
	}
	return append(plugins, permission.New(gate), plan.New(plan.Config{Policy: p, Broker: b, Planning: planning})), nil
}

// effects are what verdicts of hooks mean to a policy.
var effects = map[hook.Verdict]policy.Effect{hook.Allowed: policy.Allow, hook.Asked: policy.Ask, hook.Denied: policy.Deny}

// hooks prepares the hooks of the settings, or returns nil when there are none.
func (c *Config) hooks(s *scope.Scope, p *policy.Policy) (*hook.Runner, error) {
	var all []hook.Hook
	for _, f := range c.settingsFiles() {
		if filepath.Ext(f.path) != ".json" {
			continue
		}
		raw, err := readFile(f.path)
		if err != nil {
			return nil, fmt.Errorf("permission.settings: %w", err)
		}
		hooks, problems, err := hook.ParseSettings(raw, f.path, f.trusted)
		if err != nil {
			return nil, err
		}
		for _, problem := range problems {
			c.Notes = append(c.Notes, problem.String())
		}
		all = append(all, hooks...)
	}
	if len(all) == 0 {
		return nil, nil
	}
	dir, err := filepath.Abs(c.Roots[0])
	if err != nil {
		return nil, fmt.Errorf("hooks: %w", err)
	}
	conditions := make(map[string]func(string, json.RawMessage) bool)
	for _, h := range all {
		conditions[h.If] = p.Matcher(h.If)
	}
	return hook.NewRunner(s, hook.Config{
		Hooks: all, Dir: dir, SessionID: rand.Text(), Env: confine.Scrub(os.Environ(), nil),
		Mode:    func() string { return string(p.Mode()) },
		Matches: func(rule string, call toolfall.Call) bool { return conditions[rule](call.Name, call.Arguments) },
		Carry: func(ctx context.Context, v hook.Verdict, why string) context.Context {
			return permission.WithVerdict(ctx, effects[v], why)
		},
	})
}
