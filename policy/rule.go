package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Rule says what becomes of the calls that it matches.
type Rule struct {
	Effect Effect `json:"effect"`
	Tool   string `json:"tool,omitempty"`   // a tool's name, with * for any text; empty stands for any tool
	Server string `json:"server,omitempty"` // an MCP server's name; its tools are called mcp__server__tool
	When   When   `json:"when,omitzero"`
	Reason string `json:"reason,omitempty"` // told to whoever is refused or asked
	Source string `json:"source,omitempty"` // where the rule stands, for people

	// Match and NotMatch are examples: commands, paths, hosts or values that the rule
	// must match, and must not.
	Match    []string `json:"match,omitempty"`
	NotMatch []string `json:"not_match,omitempty"`
}

// When narrows a rule. At most one of its fields is set.
type When struct {
	Command string `json:"command,omitempty"` // a command, word by word; * is any text, a last " *" any words or none
	Path    string `json:"path,omitempty"`    // a pattern as in .gitignore: //abs, ~/home, /from the file, ./here
	Domain  string `json:"domain,omitempty"`  // a host; *.host is any below it
	Param   string `json:"param,omitempty"`   // a top-level argument, and what it must be
	Value   string `json:"value,omitempty"`   // with * for any text
}

// String writes the rule the way Claude Code does.
func (r Rule) String() string {
	tool := r.Tool
	if r.Server != "" {
		tool = "mcp__" + r.Server
		if r.Tool != "" {
			tool += "__" + r.Tool
		}
	}
	if tool == "" {
		tool = "*"
	}
	if spec := r.When.String(); spec != "" {
		tool += "(" + spec + ")"
	}
	return r.Effect.String() + " " + tool
}

// String writes what narrows a rule, or nothing.
func (w When) String() string {
	switch {
	case w.Command != "":
		return w.Command
	case w.Path != "":
		return w.Path
	case w.Domain != "":
		return "domain:" + w.Domain
	case w.Param != "":
		return w.Param + ":" + w.Value
	}
	return ""
}

// rule is a compiled rule.
type rule struct {
	Rule
	tool    string // a glob over tool names
	command *pattern
	path    *pathPattern
	bare    bool // of all calls of the tool
}

// compile prepares a rule. Its path is relative to dir, and a path with a leading
// slash to base.
func compile(r Rule, dir, base, home string) (*rule, error) {
	c := &rule{Rule: r, tool: r.Tool, bare: r.When == When{}}
	if r.Effect != Allow && r.Effect != Ask && r.Effect != Deny {
		return nil, errors.New("a rule must allow, ask or deny")
	}
	if r.Server != "" {
		tool := r.Tool
		if tool == "" {
			tool = "*"
		}
		c.tool = "mcp__" + r.Server + "__" + tool
	}
	if c.tool == "" {
		c.tool = "*"
	}
	if n := r.When.fields(); n > 1 {
		return nil, errors.New("a rule is narrowed by one of command, path, domain and param")
	}
	if r.Effect == Allow && r.When.Param != "" {
		return nil, errors.New("a rule on a param can deny or ask, not allow: the other arguments could be anything")
	}
	if slices.Contains(primary, r.When.Param) {
		return nil, fmt.Errorf("a rule on %q is written as a command, path or domain", r.When.Param)
	}
	if r.When.Command != "" {
		c.command = compilePattern(r.When.Command)
	}
	if r.When.Path != "" {
		c.path = compilePath(r.When.Path, r.Effect, dir, base, home)
	}
	return c, nil
}

// primary are the arguments that command, path and domain speak of.
var primary = []string{"command", "file_path", "path", "notebook_path", "url"}

func (w When) fields() (n int) {
	for _, s := range []string{w.Command, w.Path, w.Domain, w.Param} {
		if s != "" {
			n++
		}
	}
	return n
}

// names reports whether the rule is about a tool.
func (r *rule) names(tool string) bool {
	return r.tool == "*" || glob(r.tool, tool) || tool == stays && r.Effect != Allow && glob(r.tool, "bash")
}

// glob reports whether a text fits a pattern in which * is any text.
func glob(pattern, text string) bool { return fits(pattern, "*", text) }

// fits reports whether a text fits a pattern in which star is any text, in time linear
// in the text for each star.
func fits(pattern, star, text string) bool {
	first, rest, more := strings.Cut(pattern, star)
	if !more {
		return pattern == text
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for {
		part, next, more := strings.Cut(rest, star)
		if !more {
			return strings.HasSuffix(text, part)
		}
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text, rest = text[i+len(part):], next
	}
}
