package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Decision is what becomes of a call, and why.
type Decision struct {
	Effect Effect   `json:"effect"`
	Mode   Mode     `json:"mode"`
	Steps  []Step   `json:"steps"`            // what the call would do, each with its own effect
	Opaque []string `json:"opaque,omitempty"` // why it may do more
	Grants []Rule   `json:"grants,omitempty"` // what would have to be allowed for it to run unasked; none when nothing short of everything would do

	// ReadOnly says that nothing but reading was found, and that nothing can hide.
	ReadOnly bool `json:"readOnly"`
}

// A Step is one thing that a call would do.
type Step struct {
	Does   string `json:"does"` // "run", "read", "write", "visit" or "call"
	What   string `json:"what"` // the command, path, host or tool
	Effect Effect `json:"effect"`
	Reason string `json:"reason,omitempty"`
	Rule   *Rule  `json:"rule,omitempty"`  // that decided, if one did
	Inner  bool   `json:"inner,omitempty"` // another step starts it

	reads   bool
	looked  bool // whether reads has been found out
	grant   *Rule
	follows bool // its effect is that of the steps it starts
	firm    bool // asked about whatever is allowed
}

// Unruled reports whether the call is asked about only because nothing allows it: no
// rule asks, and nothing about it is always asked.
func (d *Decision) Unruled() bool {
	for _, s := range d.Steps {
		if s.Effect == Deny || s.Effect == Ask && (s.Rule != nil || s.firm) {
			return false
		}
	}
	return d.Effect == Ask
}

// Reason tells in one sentence why the call is not simply allowed, or nothing.
func (d *Decision) Reason() string {
	for _, s := range d.Steps {
		if s.Effect == d.Effect && s.Effect != Allow {
			return s.sentence()
		}
	}
	return ""
}

// maxGrounds is how many steps are told of an allowed call.
const maxGrounds = 3

// Grounds says in one line why a call is allowed.
func (d *Decision) Grounds() string {
	var all []string
	for _, s := range d.Steps {
		if why := s.Because(); !slices.Contains(all, why) {
			all = append(all, why)
		}
	}
	if len(all) > maxGrounds {
		all = append(all[:maxGrounds], "…")
	}
	return strings.Join(all, "; ")
}

func (s Step) sentence() string { return fmt.Sprintf("%s %s: %s", s.Does, s.What, s.Because()) }

// Because tells the rule or the reason behind the effect.
func (s Step) Because() string {
	if s.Rule == nil {
		return s.Reason
	}
	why := fmt.Sprintf("the rule %q", s.Rule.String())
	if s.Rule.Source != "" {
		why += " (" + s.Rule.Source + ")"
	}
	if s.Rule.Reason != "" {
		why += ": " + s.Rule.Reason
	}
	return why
}

// input is what of a call's arguments a policy understands.
type input struct {
	Command string `json:"command,omitempty"`
	Workdir string `json:"workdir,omitempty"`
	Path    string `json:"path,omitempty"`
	URL     string `json:"url,omitempty"`
}

// Decide says what becomes of a call of tool with these arguments, which must be
// strict JSON.
func (p *Policy) Decide(tool string, arguments json.RawMessage) *Decision {
	d := &decision{Policy: p, tool: tool, arguments: arguments}
	d.Decision.Mode = p.mode
	d.ReadOnly = true
	k := kinds[tool]
	var in input
	if k != other {
		if err := p.input.Decode(orObject(arguments), &in); err != nil {
			d.step(Step{Does: "call", What: tool, Effect: Deny, Reason: err.Error()})
			return d.settle()
		}
	}
	d.whole = p.whole(tool)
	switch k {
	case reads:
		d.access(p.resolve(".", orDot(in.Path)), false)
	case edits:
		d.access(p.resolve(".", in.Path), true)
	case runs:
		d.run(in.Command, orDot(in.Workdir))
		if tool == stays {
			d.Opaque = append(d.Opaque, "what it means depends on what ran in the shell before")
		}
	case visits:
		d.visit(in.URL)
	case asks:
		d.step(d.decideHarmless("it asks by itself"))
	case recalls:
		d.step(d.decideHarmless("it shows again what calls of the same agent have put out"))
	case recants:
		s := d.decideHarmless("it ends what the same agent has started")
		s.reads = false
		d.step(s)
	default:
		d.step(d.decideTool())
	}
	d.params()
	return d.settle()
}

func orObject(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return []byte("{}")
	}
	return raw
}

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// decision is a Decision in the making.
type decision struct {
	*Policy
	Decision
	tool      string
	arguments json.RawMessage
	whole     *rule // that speaks of all calls of the tool
}

func (d *decision) step(s Step) {
	d.ReadOnly = d.ReadOnly && s.reads
	d.Steps = append(d.Steps, s)
}

// whole returns the strictest rule about all calls of a tool.
func (p *Policy) whole(tool string) *rule {
	for _, list := range []*rules{&p.deny, &p.ask, &p.allow} {
		for _, r := range list.all {
			if r.bare && r.names(tool) {
				return r
			}
		}
	}
	return nil
}

// by makes a step that a rule decides.
func (s Step) by(r *rule) Step {
	s.Effect, s.Rule, s.Reason = r.Effect, &r.Rule, r.Reason
	return s
}

// decideTool is about a tool of which nobody knows what it does.
func (d *decision) decideTool() Step {
	s := Step{Does: "call", What: d.tool}
	if d.whole != nil {
		return s.by(d.whole)
	}
	s.Effect, s.Reason = d.fallback("no rule speaks of it")
	s.grant = &Rule{Effect: Allow, Tool: d.tool}
	return s
}

// decideHarmless is about a tool that does nothing which has not been decided on.
func (d *decision) decideHarmless(why string) Step {
	s := Step{Does: "call", What: d.tool, Effect: Allow, Reason: why, reads: true}
	if d.whole != nil {
		return s.by(d.whole)
	}
	return s
}

// fallback is the effect of what no rule allows.
func (d *decision) fallback(why string) (Effect, string) {
	if d.mode == Bypass {
		return Allow, "mode bypass"
	}
	return Ask, why
}

// access decides about a file.
func (d *decision) access(t target, write bool) {
	s := Step{Does: "read", What: t.shown, reads: !write}
	if write {
		s.Does = "write"
	}
	d.step(d.decideAccess(s, t, write))
}

func (d *decision) decideAccess(s Step, t target, write bool) Step {
	for _, list := range []*rules{&d.deny, &d.ask} {
		for _, r := range list.all {
			if r.path != nil && r.concerns(write) && (r.path.matches(t.spelt) || r.path.matches(t.real())) {
				return s.by(r)
			}
		}
	}
	if d.whole != nil && d.whole.Effect != Allow {
		return s.by(d.whole)
	}
	if write && protected(t) {
		s.Effect, s.Reason, s.firm = Ask, "it decides what programs do later", true
		return s
	}
	if d.whole != nil && !t.unsure {
		return s.by(d.whole)
	}
	for _, r := range d.allow.all {
		if r.path != nil && !t.unsure && r.concerns(write) && r.path.matches(t.spelt) && r.path.matches(t.real()) {
			return s.by(r)
		}
	}
	return d.decideUnruled(s, t, write)
}

// decideUnruled is about a file that no rule speaks of.
func (d *decision) decideUnruled(s Step, t target, write bool) Step {
	inside := d.inside(t)
	switch {
	case !write && inside:
		s.Effect, s.Reason = Allow, "reading inside the roots"
		return s
	case write && inside && d.mode == AcceptEdits:
		s.Effect, s.Reason = Allow, "mode acceptEdits"
		return s
	case !inside && kinds[d.tool] != runs:
		s.Effect, s.Reason = Deny, "it is outside the allowed directories, which the tool cannot leave"
		return s
	case t.unsure:
		s.Effect, s.Reason = d.fallback("which file it is only the running shell can tell")
		return s
	case inside:
		s.Effect, s.Reason = d.fallback("no rule allows it")
	default:
		s.Effect, s.Reason = d.fallback("it is outside the roots")
	}
	tool := "read_file"
	if write {
		tool = "edit_file"
	}
	s.grant = &Rule{Effect: Allow, Tool: tool, When: When{Path: "/" + escapeGlob(t.real())}}
	return s
}

// params applies the rules on single arguments.
func (d *decision) params() {
	var members map[string]json.RawMessage
	for _, list := range []*rules{&d.deny, &d.ask} {
		for _, r := range list.all {
			if r.When.Param == "" || !r.names(d.tool) {
				continue
			}
			if members == nil && json.Unmarshal(d.arguments, &members) != nil {
				return // not an object: nothing is there to match
			}
			if v, ok := scalar(members[r.When.Param]); ok && glob(r.When.Value, v) {
				d.step(Step{Does: "call", What: d.tool, reads: d.ReadOnly}.by(r))
			}
		}
	}
}

// scalar returns a string's text, and a number, true or false as it is written.
func scalar(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || raw[0] == 'n' {
		return "", false
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	return string(raw), true
}

// settle sums the steps up.
func (d *decision) settle() *Decision {
	for _, s := range d.Steps {
		d.Effect = max(d.Effect, s.Effect)
	}
	if len(d.Opaque) > 0 {
		d.opaque()
	}
	if d.Effect == None {
		d.Effect = Ask
	}
	if d.mode == Plan && d.Effect != Deny && !d.ReadOnly {
		d.Effect = Deny
		d.Steps = append(d.Steps, Step{Does: "call", What: d.tool, Effect: Deny, Reason: "while planning only what is proven to read may run"})
	}
	if d.mode == DontAsk && d.Effect == Ask {
		d.Effect = Deny
		d.Steps = append(d.Steps, Step{Does: "call", What: d.tool, Effect: Deny, Reason: "mode dontAsk: " + d.askReason()})
	}
	if d.Effect == Ask {
		d.Grants = d.grants()
	}
	return &d.Decision
}

// opaque keeps what cannot be seen through from being allowed where a rule could be
// about what is hidden.
func (d *decision) opaque() {
	d.ReadOnly = false
	all := d.whole != nil && d.whole.Effect == Allow && !d.guarded
	if !all && d.mode != Bypass {
		d.step(Step{Does: "run", What: d.tool, Effect: Ask, Reason: strings.Join(d.Opaque, "; ")})
		d.Effect = max(d.Effect, Ask)
	}
}

func (d *decision) askReason() string {
	for _, s := range d.Steps {
		if s.Effect == Ask {
			return s.sentence()
		}
	}
	return "it would have been asked"
}

// maxGrants is how many rules an answer may save.
const maxGrants = 5

// grants are the rules that would let the call run unasked: none when something
// about it can only be allowed by seeing it.
func (d *decision) grants() []Rule {
	var out []Rule
	for _, s := range d.Steps {
		if s.Effect != Ask || s.follows {
			continue
		}
		if s.grant == nil || len(out) == maxGrants {
			return nil
		}
		out = append(out, *s.grant)
	}
	return out
}
