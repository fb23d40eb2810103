package hook

import (
	"fmt"
	"regexp"
	"strings"
)

// theirs are the names that others have for our tools.
var theirs = map[string]string{
	"bash": "Bash", "shell": "Bash", "read_file": "Read", "edit_file": "Edit", "write_file": "Write", "list_dir": "LS", "glob": "Glob", "grep": "Grep",
	"web_fetch": "WebFetch", "exit_plan_mode": "ExitPlanMode",
}

// namesOf are the names that a matcher may call a tool by, the one that hooks are told
// first.
func namesOf(tool string) []string {
	if name, ok := theirs[tool]; ok {
		return []string{name, tool}
	}
	return []string{tool}
}

// matcher decides which tools a hook is about.
type matcher struct {
	all   bool
	names []string
	re    *regexp.Regexp
}

// compileMatcher reads a matcher: with nothing but letters, digits, _, -, spaces, | and
// "," in it, it lists names, which must be equal; otherwise it is a regular expression,
// which may match anywhere in a name.
func compileMatcher(text string) (matcher, error) {
	if text == "" || text == "*" {
		return matcher{all: true}, nil
	}
	plain := func(r rune) bool {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("_-, |", r)
	}
	if strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		var names []string
		for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' }) {
			names = append(names, strings.TrimSpace(name))
		}
		return matcher{names: names}, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return matcher{}, fmt.Errorf("matcher %q: %w", text, err)
	}
	return matcher{re: re}, nil
}

func (m matcher) matches(tool string) bool {
	if m.all {
		return true
	}
	for _, name := range namesOf(tool) {
		if m.re != nil && m.re.MatchString(name) {
			return true
		}
		for _, want := range m.names {
			if want == name {
				return true
			}
		}
	}
	return false
}

// Unmatched returns the hooks whose matcher is of none of the tools, which is often a
// mistake.
func Unmatched(hooks []Hook, tools []string) []Hook {
	var out []Hook
	for _, h := range hooks {
		m, err := compileMatcher(h.Matcher)
		if err != nil {
			out = append(out, h)
			continue
		}
		some := false
		for _, tool := range tools {
			some = some || m.matches(tool)
		}
		if !some {
			out = append(out, h)
		}
	}
	return out
}
