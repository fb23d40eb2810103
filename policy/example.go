package policy

import (
	"fmt"

	"github.com/toolfall/toolfall/policy/command"
)

// try checks the examples of a rule.
func (p *Policy) try(r *rule) error {
	for _, example := range r.Match {
		if !p.fits(r, example) {
			return fmt.Errorf("its example %q does not match", example)
		}
	}
	for _, example := range r.NotMatch {
		if p.fits(r, example) {
			return fmt.Errorf("its example %q matches, and must not", example)
		}
	}
	return nil
}

// fits reports whether a rule is of an example, which is a command, a path, a host, a
// value, or the name of a tool.
func (p *Policy) fits(r *rule, example string) bool {
	switch {
	case r.command != nil:
		return r.fitsCommand(example)
	case r.path != nil:
		t := p.resolve(".", example)
		if r.Effect == Allow {
			return r.path.matches(t.spelt) && r.path.matches(t.real())
		}
		return r.path.matches(t.spelt) || r.path.matches(t.real())
	case r.When.Domain != "":
		return domain(r.When.Domain, example)
	case r.When.Param != "":
		return glob(r.When.Value, example)
	}
	return r.names(example)
}

// fitsCommand reports whether a rule is of a line: an allowing one of each command in
// it, another one of any.
func (r *rule) fitsCommand(line string) bool {
	all, some := true, false
	command.Scan(line).Each(func(c *command.Command) {
		if r.Effect == Allow {
			ok := r.allows(c, c.Name(), joined(c.Argv))
			all, some = all && ok, some || ok
			return
		}
		some = some || r.denies(c, joined(c.Argv))
	})
	return some && (all || r.Effect != Allow)
}

// An Outcome is what became of a rule's examples.
type Outcome struct {
	Rule Rule
	Err  error // nil when all hold
}

// Try runs the examples of rules, also of those that a Policy would not take.
func Try(c Config) []Outcome {
	var out []Outcome
	for _, r := range c.Rules {
		alone := c
		alone.Rules = []Rule{r}
		_, err := New(alone)
		out = append(out, Outcome{r, err})
	}
	return out
}
