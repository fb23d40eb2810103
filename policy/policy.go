package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolfall/toolfall/schema"
)

// Config is what a Policy is made of.
type Config struct {
	Rules []Rule
	Mode  Mode // Default when empty

	// Roots are the directories that tools may work in. In the first one relative
	// paths begin. The current directory when empty.
	Roots []string
	// Base is where a path of a rule with a leading slash begins: the directory of the
	// file that holds it. The first root when empty.
	Base string
	// Home is what ~ stands for; the user's when empty.
	Home string
}

// A Policy decides about calls. It does not change.
type Policy struct {
	mode             Mode
	dir, home        string
	roots, realRoots []string
	deny, ask, allow rules
	input            *schema.Plan
	guarded          bool // a rule denies or asks about commands or files
	guardsFiles      bool // a rule denies or asks about files
	guardsParams     bool // a rule denies or asks about single arguments
}

// New compiles a policy. Every example of every rule must hold.
func New(c Config) (*Policy, error) {
	p := &Policy{mode: c.Mode}
	if p.mode == "" {
		p.mode = Default
	}
	if _, err := ParseMode(string(p.mode)); err != nil {
		return nil, err
	}
	if err := p.place(c); err != nil {
		return nil, err
	}
	var err error
	if p.input, err = schema.For[input](); err != nil {
		return nil, err
	}
	for _, r := range c.Rules {
		if err := p.add(r, c.Base); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", r.Source, r, err)
		}
	}
	return p, nil
}

// place finds the directories.
func (p *Policy) place(c Config) error {
	p.home = c.Home
	if p.home == "" {
		p.home, _ = os.UserHomeDir() // without one, ~ is a name like any other
	}
	roots := c.Roots
	if len(roots) == 0 {
		roots = []string{"."}
	}
	for _, root := range roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			return fmt.Errorf("policy: %w", err)
		}
		p.roots = append(p.roots, abs)
		p.realRoots = append(p.realRoots, follow(abs))
	}
	p.dir = p.roots[0]
	return nil
}

// add compiles a rule and tries its examples.
func (p *Policy) add(r Rule, base string) error {
	if base == "" {
		base = p.dir
	}
	c, err := compile(r, p.dir, base, p.home)
	if err != nil {
		return err
	}
	switch r.Effect {
	case Deny:
		p.deny = p.deny.with(c)
	case Ask:
		p.ask = p.ask.with(c)
	default:
		p.allow = p.allow.with(c)
	}
	p.guarded = p.guarded || r.Effect != Allow && !c.bare
	p.guardsParams = p.guardsParams || r.When.Param != ""
	p.guardsFiles = p.guardsFiles || r.Effect != Allow && c.path != nil
	return p.try(c)
}

// With returns a policy with further rules, such as those a person has granted.
func (p *Policy) With(rules ...Rule) (*Policy, error) {
	q := *p
	for _, r := range rules {
		if err := q.add(r, ""); err != nil {
			return nil, fmt.Errorf("%s: %w", r, err)
		}
	}
	return &q, nil
}

// In returns the policy in another mode.
func (p *Policy) In(m Mode) *Policy {
	q := *p
	q.mode = m
	return &q
}

// Mode returns the mode.
func (p *Policy) Mode() Mode { return p.mode }

// Rules returns the rules, the denying ones first.
func (p *Policy) Rules() []Rule {
	var out []Rule
	for _, list := range []*rules{&p.deny, &p.ask, &p.allow} {
		for _, r := range list.all {
			out = append(out, r.Rule)
		}
	}
	return out
}

// Passes reports whether every call of a tool is allowed without a look at it: it reads
// what only it can reach, the roots, and no rule is about it. That allocates nothing.
func (p *Policy) Passes(tool string) bool {
	return kinds[tool] == reads && !p.guardsFiles && !p.guardsParams && p.whole(tool) == nil
}

// HidesFile reports whether reading a file is denied, so that listing it would tell
// what nobody may know. The path is absolute; links are not followed.
func (p *Policy) HidesFile(path string) bool {
	return p.guardsFiles && slices.ContainsFunc(p.deny.all, func(r *rule) bool {
		return r.path != nil && r.concerns(false) && r.path.matches(path)
	})
}

// Hides reports whether every call of a tool is denied, so that a model need not
// know it.
func (p *Policy) Hides(tool string) bool {
	return slices.ContainsFunc(p.deny.all, func(r *rule) bool { return r.bare && r.names(tool) })
}
