package command

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call scans a simple command.
func (s *scanner) call(c *syntax.CallExpr, at *Place, sure bool) {
	for _, w := range c.Args {
		s.inside(w, *at)
	}
	var assigns []string
	for _, a := range c.Assigns {
		s.inside(a, *at)
		if a.Name != nil {
			assigns = append(assigns, a.Name.Value)
		}
		if a.Index != nil || a.Array != nil {
			s.opaque("it sets an array")
		}
	}
	if len(c.Args) == 0 {
		for _, name := range assigns {
			s.assigned(name)
		}
		return
	}
	argv := s.words(c.Args, *at)
	if len(argv) > 1 && argv[0].Text == "--" { // behind time
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return
	}
	cmd := &Command{Text: s.source(c), Argv: argv, Assigns: assigns, Place: *at}
	s.add(cmd)
	s.start(cmd)
	s.effects(cmd, at, sure)
}

// source is the text of a node.
func (s *scanner) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(s.text) || from > to {
		return ""
	}
	return s.text[from:to]
}

// Harmless reports whether setting a variable changes nothing but how programs
// print, or is only seen by the script itself.
func Harmless(name string) bool {
	switch name {
	case "LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
		"CI", "DEBUG", "VERBOSE", "NODE_ENV", "RUST_LOG", "RUST_BACKTRACE", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
		"GOOS", "GOARCH", "CGO_ENABLED", "GOMAXPROCS", "GODEBUG", "GOTRACEBACK":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}

// assigned notes a variable that stays set. One that programs and the shell know
// can change what later commands do.
func (s *scanner) assigned(name string) {
	s.set[name] = true
	if !Harmless(name) && !private(name) {
		s.opaque("it sets the variable %s", name)
	}
}

// private reports whether a name is one that only scripts use: in small letters,
// and not one of those that programs look for.
func private(name string) bool {
	if name == "histchars" || name == "auto_resume" || name == "prompt" || name == "path" || strings.HasSuffix(name, "_proxy") || strings.HasPrefix(name, "npm_") || strings.HasPrefix(name, "pnpm_") {
		return false
	}
	return name == strings.ToLower(name)
}

// effects follows what builtins do to the rest of the script.
func (s *scanner) effects(c *Command, at *Place, sure bool) {
	args := c.Argv[1:]
	switch name := c.Argv[0].Text; name {
	case "cd":
		s.cd(args, at, sure)
	case "command", "builtin":
		for _, inner := range c.Inner {
			s.effects(inner, at, sure)
		}
	case "pushd", "popd":
		at.Lost = true
	case "eval":
		s.opaque("it uses eval")
		c.Inner = append(c.Inner, s.sub(spaced(args), *at)...)
		at.Lost = true
	case "trap":
		s.opaque("it sets a trap")
		if len(args) > 0 {
			c.Inner = append(c.Inner, s.sub(args[0].Text, *at)...)
		}
	case "source", ".":
		s.opaque("it reads a script into the shell")
		at.Lost = true
	case "printf":
		if len(args) > 0 && (strings.HasPrefix(args[0].Text, "-v") || args[0].Dynamic() || counting.MatchString(args[0].Text)) {
			s.opaque("it may set a variable by name")
		}
	case "test", "[":
		for _, a := range args {
			if a.Text == "-v" || a.Text == "-R" {
				s.opaque("it tests a variable by name")
			}
		}
	case "read", "mapfile", "readarray", "unset", "shopt", "set", "enable", "hash", "alias", "unalias", "let", "getopts", "fc",
		"history", "complete", "compgen", "bind", "export", "declare", "typeset", "local", "readonly", "wait":
		s.opaque("it uses %s", name)
	}
}

// counting is the conversion of printf that sets a variable.
var counting = regexp.MustCompile(`%[^A-Za-z%]*n`)

func (s *scanner) cd(args []Word, at *Place, sure bool) {
	for len(args) > 0 && (args[0].Text == "-P" || args[0].Text == "-L" || args[0].Text == "--") {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		*at = at.moved(Home, sure)
	case len(args) > 1, args[0].Dynamic(), args[0].Glob, args[0].Text == "-", args[0].Text == "":
		at.Lost = true
	default:
		*at = at.moved(args[0].Text, sure)
	}
}

// spaced joins words as eval does.
func spaced(words []Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// sub scans a script that a command starts, as far as its text is known.
func (s *scanner) sub(text string, at Place) []*Command {
	if strings.Contains(text, Unknown) {
		s.opaque("it runs a script that is only known when it runs")
		return guess(text)
	}
	return s.script(strings.ReplaceAll(text, Home, "~"), &at)
}

// guess splits a text that cannot be parsed at whatever may end a command. It is
// good for denying only.
func guess(text string) []*Command {
	var out []*Command
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(";&|\n\r(){}`<>", r) })
	for _, part := range parts {
		var argv []Word
		for _, field := range strings.Fields(part) {
			field = strings.NewReplacer(`"`, "", `'`, "", `\`, "", "$", "").Replace(field)
			if field != "" && (len(argv) > 0 || !reserved(field)) {
				argv = append(argv, Word{Text: field})
			}
		}
		if len(argv) > 0 {
			c := &Command{Text: strings.TrimSpace(part), Argv: argv, Place: Place{Lost: true}}
			out = append(out, c)
		}
	}
	return out
}

// reserved reports whether a word can stand before a command.
func reserved(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "do", "while", "until", "!", "time", "fi", "done", "case", "in":
		return true
	}
	return strings.Contains(word, "=")
}
