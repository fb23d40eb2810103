package policy

import (
	"path/filepath"
	"strings"

	"github.com/toolfall/toolfall/policy/command"
)

// writers are programs that change the files they are given: all of them, or the
// last one.
var (
	writers     = []string{"rm", "rmdir", "mkdir", "touch", "mv", "tee", "chmod", "chown", "chgrp", "truncate", "shred", "unlink", "mkfifo"}
	lastWriters = []string{"cp", "ln", "install", "rsync", "scp"}
	// editors are those that mode acceptEdits lets run inside the roots.
	editors = []string{"mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"}
	// silent are those whose words are no files.
	silent = []string{"echo", "printf", "true", "false", ":", "exit", "return", "cd", "kill", "sleep", "seq", "basename", "dirname", "which", "type", "test", "["}
)

// operands applies the rules on files to what a command is given. Of a program that
// is not known every word may be a file that it reads.
func (d *decision) operands(c *command.Command, workdir string) {
	name := c.Name()
	if name == "" || contains(silent, name) || !d.guardsFiles && !contains(writers, name) && !contains(lastWriters, name) {
		return
	}
	words := fileWords(c.Argv[1:])
	for i, w := range words {
		write := contains(writers, name) || contains(lastWriters, name) && i == len(words)-1 || name == "sed" && inPlace(c.Argv)
		for _, t := range d.targets(c.Place, workdir, w) {
			d.operand(t, write)
		}
	}
	for _, w := range c.Argv[1:] {
		if name == "dd" && strings.HasPrefix(w.Text, "of=") {
			w.Text = w.Text[3:]
			for _, t := range d.targets(c.Place, workdir, w) {
				d.operand(t, true)
			}
		}
	}
}

// fileWords are the words that may be files: those that are no options, and the
// values of long ones.
func fileWords(args []command.Word) []command.Word {
	var out []command.Word
	for _, w := range args {
		if strings.HasPrefix(w.Text, "-") {
			_, value, ok := strings.Cut(w.Text, "=")
			if !ok {
				continue
			}
			w.Text = value
		}
		if w.Text != "" {
			out = append(out, w)
		}
	}
	return out
}

func inPlace(argv []command.Word) bool {
	for _, w := range argv {
		if strings.HasPrefix(w.Text, "-i") || strings.HasPrefix(w.Text, "--in-place") || strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "i") {
			return true
		}
	}
	return false
}

// operand adds a step only where a rule, or what is protected, speaks against it: the
// command itself has been decided on.
func (d *decision) operand(t target, write bool) {
	s := Step{Does: "read", What: t.shown, Inner: true, reads: !write}
	if write {
		s.Does = "write"
	}
	for _, list := range []*rules{&d.deny, &d.ask} {
		for _, r := range list.all {
			if r.path != nil && r.concerns(write) && (r.path.matches(t.spelt) || r.path.matches(t.real())) {
				d.step(s.by(r))
				return
			}
		}
	}
	if write && protected(t) {
		s.Effect, s.Reason, s.firm = Ask, "it decides what programs do later", true
		d.step(s)
	}
}

// editsInside reports whether a command changes files inside the roots and does
// nothing else.
func (d *decision) editsInside(c *command.Command, name, workdir string) bool {
	if !contains(editors, name) || name != c.Argv[0].Text || len(c.Inner) > 0 || !plain(c.Argv) {
		return false
	}
	if name == "sed" && !simpleSed(c.Argv[1:]) {
		return false
	}
	words := fileWords(c.Argv[1:])
	if name == "sed" && len(words) > 0 {
		words = words[1:]
	}
	for _, w := range words {
		for _, t := range d.targets(c.Place, workdir, w) {
			if !d.inside(t) || within(d.roots, filepath.Clean(t.spelt)) && contains(d.roots, t.spelt) {
				return false
			}
		}
	}
	return len(words) > 0
}

// simpleSed reports whether sed is given one substitution, which neither writes a
// file of its own nor runs anything.
func simpleSed(args []command.Word) bool {
	scripts := 0
	for i, w := range args {
		switch {
		case w.Text == "-i" || w.Text == "-E" || w.Text == "-r" || w.Text == "-n" || w.Text == "-i.bak":
		case w.Text == "-e" || strings.HasPrefix(w.Text, "-"):
			return false
		case scripts == 0:
			scripts++
			if !substitution(w.Text) {
				return false
			}
		default:
			return i > 0
		}
	}
	return false
}

// substitution reports whether a script of sed is s/a/b/ with the flags g, i, I, p or
// a number.
func substitution(script string) bool {
	if len(script) < 4 || script[0] != 's' || strings.ContainsAny(script, "\n;") {
		return false
	}
	parts := strings.Split(script[2:], script[1:2])
	return len(parts) == 3 && strings.Trim(parts[2], "giIp0123456789") == "" && !strings.HasSuffix(parts[0], `\`) && !strings.HasSuffix(parts[1], `\`)
}

// ruinous reports whether a command removes a directory that all else depends on:
// that is asked about in every mode.
func ruinous(d *decision, c *command.Command, name, workdir string) bool {
	if name != "rm" && name != "rmdir" {
		return false
	}
	for _, w := range fileWords(c.Argv[1:]) {
		if strings.HasPrefix(w.Text, command.Unknown) && (w.Text == command.Unknown || strings.HasPrefix(w.Text[1:], "/")) {
			return true // "$VAR"/x is /x when VAR is empty
		}
		for _, t := range d.targets(c.Place, workdir, w) {
			at := t.real()
			if w.Glob {
				at = filepath.Join(at, "x")
				at = filepath.Dir(at)
			}
			if at == "/" || filepath.Dir(at) == "/" || at == d.home || within([]string{at}, d.dir) {
				return true
			}
		}
	}
	return false
}
