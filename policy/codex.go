package policy

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxSteps bounds the program that a .rules file is.
const maxSteps = 1_000_000

// ParseCodex reads the prefix rules of a .rules file of Codex CLI. Of a file that is
// not trusted only what tightens counts.
func ParseCodex(raw []byte, source string, trusted bool) (*Imported, error) {
	in := &Imported{}
	c := &codex{Imported: in, source: source, trusted: trusted}
	thread := &starlark.Thread{Name: source, Print: func(*starlark.Thread, string) {}}
	thread.SetMaxExecutionSteps(maxSteps)
	known := starlark.StringDict{
		"prefix_rule":     starlark.NewBuiltin("prefix_rule", c.prefixRule),
		"host_executable": starlark.NewBuiltin("host_executable", c.hostExecutable),
	}
	if _, err := starlark.ExecFileOptions(&syntax.FileOptions{}, thread, source, raw, known); err != nil {
		return nil, fmt.Errorf("codex rules: %w", err)
	}
	return in, nil
}

// codex collects what the calls in a file say.
type codex struct {
	*Imported
	source  string
	trusted bool
}

var codexEffects = map[string]Effect{"": Allow, "allow": Allow, "prompt": Ask, "forbidden": Deny}

func (c *codex) prefixRule(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
	var pattern, match, notMatch *starlark.List
	var decision, reason string
	err := starlark.UnpackArgs(b.Name(), args, named, "pattern", &pattern, "decision?", &decision, "justification?", &reason, "match?", &match, "not_match?", &notMatch)
	if err != nil {
		return nil, err
	}
	at := fmt.Sprintf("%s:%d", c.source, thread.CallFrame(1).Pos.Line)
	effect, ok := codexEffects[decision]
	if !ok {
		return nil, fmt.Errorf("unknown decision %q; want allow, prompt or forbidden", decision)
	}
	prefixes, err := alternatives(pattern)
	if err != nil {
		return nil, err
	}
	if effect == Allow && !c.trusted {
		c.problem(at, "a rule that allows does not count: the file is not trusted")
		return starlark.None, nil
	}
	for _, prefix := range prefixes {
		c.Rules = append(c.Rules, Rule{Effect: effect, Tool: "bash", When: When{Command: prefix + " *"}, Reason: reason, Source: at})
	}
	return starlark.None, c.examples(at, prefixes, effect, match, notMatch)
}

// examples checks those of a rule, which several of ours may stand for.
func (c *codex) examples(at string, prefixes []string, effect Effect, match, notMatch *starlark.List) error {
	for _, list := range []struct {
		examples *starlark.List
		want     bool
	}{{match, true}, {notMatch, false}} {
		texts, err := exampleTexts(list.examples)
		if err != nil {
			return err
		}
		for _, text := range texts {
			fits := false
			for _, prefix := range prefixes {
				r := &rule{Rule: Rule{Effect: effect}, command: compilePattern(prefix + " *")}
				fits = fits || r.fitsCommand(text)
			}
			if fits != list.want {
				return fmt.Errorf("the example %q of the rule at %s does not hold", text, at)
			}
		}
	}
	return nil
}

func (c *codex) hostExecutable(thread *starlark.Thread, b *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	c.problem(fmt.Sprintf("%s:%d", c.source, thread.CallFrame(1).Pos.Line), "host_executable is not looked at: a program is matched by the name that is called")
	return starlark.None, nil
}

// maxAlternatives is how many rules one of theirs may become.
const maxAlternatives = 256

// alternatives are the prefixes that a pattern stands for: each of its elements is a
// word, or a list of words of which one stands there.
func alternatives(pattern *starlark.List) ([]string, error) {
	if pattern == nil || pattern.Len() == 0 {
		return nil, errors.New("a pattern is a list of words")
	}
	out := []string{""}
	for i := range pattern.Len() {
		words, err := wordsOf(pattern.Index(i))
		if err != nil {
			return nil, err
		}
		var next []string
		for _, prefix := range out {
			for _, w := range words {
				next = append(next, strings.TrimPrefix(prefix+" "+quotedWord(w), " "))
			}
		}
		if out = next; len(out) > maxAlternatives {
			return nil, fmt.Errorf("a pattern of more than %d alternatives", maxAlternatives)
		}
	}
	return out, nil
}

// wordsOf returns a string, or the strings of a list.
func wordsOf(v starlark.Value) ([]string, error) {
	if s, ok := starlark.AsString(v); ok {
		return []string{s}, nil
	}
	list, ok := v.(*starlark.List)
	if !ok || list.Len() == 0 {
		return nil, fmt.Errorf("a pattern has words and lists of words, not %s", v.Type())
	}
	var out []string
	for i := range list.Len() {
		s, ok := starlark.AsString(list.Index(i))
		if !ok {
			return nil, fmt.Errorf("a pattern has words and lists of words, not %s", list.Index(i).Type())
		}
		out = append(out, s)
	}
	return out, nil
}

// exampleTexts are examples as command lines: they are texts, or lists of words.
func exampleTexts(list *starlark.List) ([]string, error) {
	if list == nil {
		return nil, nil
	}
	var out []string
	for i := range list.Len() {
		v := list.Index(i)
		if s, ok := starlark.AsString(v); ok {
			out = append(out, s)
			continue
		}
		words, err := wordsOf(v)
		if err != nil {
			return nil, err
		}
		for j, w := range words {
			words[j] = quotedWord(w)
		}
		out = append(out, strings.Join(words, " "))
	}
	return out, nil
}
