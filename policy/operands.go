package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolfall/toolfall/policy/command"
)

// writers are programs that change the files they are given: all of them, or the
// last one.
var (
	writers     = []string{"rm", "rmdir", "mkdir", "touch", "mv", "tee", "chmod", "chown", "chgrp", "truncate", "shred", "unlink", "mkfifo"}
	lastWriters = []string{"cp", "ln", "install", "rsync", "scp"}
	// editors are those that mode acceptEdits lets run inside the roots, with the options
	// that name neither a file nor a script. sed -e and cp -t do.
	editors = map[string]program{
		"mkdir": {short: "pv"}, "touch": {short: "acm"}, "rm": {short: "rRfdvi"}, "rmdir": {short: "pv"},
		"mv": {short: "fnvuiT"}, "cp": {short: "fnvuiTp", long: []string{"-r", "-R"}}, "sed": {short: "nErs", long: []string{"-i", "-i.bak"}},
	}
	// silent are those whose words are no files.
	silent = []string{"echo", "printf", "true", "false", ":", "exit", "return", "cd", "kill", "sleep", "seq", "basename", "dirname", "which", "type", "test", "["}
)

// operands applies the rules on files to what a command is given. Of a program that
// is not known every word may be a file that it reads.
func (d *decision) operands(c *command.Command, workdir string) {
	name := c.Name()
	if name == "" || slices.Contains(silent, name) || !d.guardsFiles && !slices.Contains(writers, name) && !slices.Contains(lastWriters, name) {
		return
	}
	words := fileWords(c.Argv[1:])
	for i, w := range words {
		write := slices.Contains(writers, name) || slices.Contains(lastWriters, name) && i == len(words)-1 || name == "sed" && inPlace(c.Argv)
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
	if editors[name].short == "" || name != c.Argv[0].Text || len(c.Inner) > 0 || !plain(c.Argv) {
		return false
	}
	words, ok := editors[name].split(c.Argv[1:])
	if !ok || len(words) == 0 || name == "sed" && !substitution(words[0].Text) {
		return false
	}
	if name == "sed" {
		words = words[1:]
	}
	words, ok = d.landings(c, name, workdir, words)
	for _, w := range words {
		for _, t := range d.targets(c.Place, workdir, w) {
			if !d.inside(t) || protected(t) || within(d.roots, filepath.Clean(t.spelt)) && slices.Contains(d.roots, t.spelt) {
				return false
			}
		}
	}
	return ok && len(words) > 0
}

// landings are the operands, and the files that cp or mv would put into a directory:
// what has the name there may be a link that leads out. Of a whole directory that is
// copied over another nobody knows all names.
func (d *decision) landings(c *command.Command, name, workdir string, words []command.Word) ([]command.Word, bool) {
	if name != "cp" && name != "mv" || len(words) < 2 {
		return words, true
	}
	last := words[len(words)-1]
	for _, t := range d.targets(c.Place, workdir, last) {
		if info, err := os.Stat(t.path); err != nil || !info.IsDir() {
			continue
		}
		if name == "cp" && slices.Contains(textsOf(c.Argv), "-r") || name == "cp" && slices.Contains(textsOf(c.Argv), "-R") {
			return words, false
		}
		for _, w := range words[:len(words)-1] {
			words = append(words[:len(words):len(words)], command.Word{Text: last.Text + "/" + filepath.Base(w.Text)})
		}
		break
	}
	return words, true
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
