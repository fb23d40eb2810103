package policy

import (
	"slices"
	"strings"

	"github.com/toolfall/toolfall/policy/command"
)

// run decides about a command line.
func (d *decision) run(line, workdir string) {
	a := command.Scan(line)
	d.Opaque = a.Opaque
	start := d.resolve(".", workdir).spelt
	for _, c := range a.Commands {
		d.command(c, start, false)
	}
	for _, x := range a.Accesses {
		d.redirect(x, start)
	}
	if len(a.Commands) == 0 && len(a.Accesses) == 0 && len(a.Opaque) == 0 {
		d.step(Step{Does: "run", What: "nothing", Effect: Allow, Reason: "there is no command in it", reads: true})
	}
}

// command decides about a simple command, and what it starts.
func (d *decision) command(c *command.Command, workdir string, started bool) (effect Effect) {
	s := Step{Does: "run", What: shown(c), Inner: started}
	at := len(d.Steps)
	d.Steps = append(d.Steps, s)
	innerEffect, all := Allow, len(c.Inner) > 0
	for _, inner := range c.Inner {
		innerEffect = max(innerEffect, d.command(inner, workdir, true))
	}
	s = d.decideCommand(s, c, workdir, all && innerEffect == Allow)
	if all && innerEffect == Deny {
		s.Effect, s.Reason, s.Rule = Deny, "it starts a command that is denied", nil
	}
	if !s.looked {
		s.reads = d.onlyReads(c, c.Name(), workdir)
	}
	s.reads = s.reads || c.Transparent && all && unsafe(c.Assigns) == ""
	d.Steps[at] = s
	d.ReadOnly = d.ReadOnly && s.reads
	if s.Effect == Allow && !c.Transparent {
		d.accept(at+1, s)
	}
	d.operands(c, workdir)
	return s.Effect
}

// accept lets what an allowed command starts run with it, unless a rule says
// otherwise: whoever allowed the one has seen the other.
func (d *decision) accept(from int, by Step) {
	for i := from; i < len(d.Steps); i++ {
		if s := &d.Steps[i]; s.Inner && s.Effect == Ask && s.Rule == nil && !s.firm {
			s.Effect, s.Reason, s.grant = Allow, "started by "+by.What, nil
		}
	}
}

// decideCommand decides about a simple command. Started says that all it starts is
// allowed.
func (d *decision) decideCommand(s Step, c *command.Command, workdir string, started bool) Step {
	text := joined(c.Argv)
	for _, rules := range d.tightening(c) {
		for _, r := range rules {
			if r.names(d.tool) && r.denies(c, text) {
				return s.by(r)
			}
		}
	}
	name := c.Name()
	switch {
	case d.whole != nil && d.whole.Effect != Allow:
		return s.by(d.whole)
	case ruinous(d, c, name, workdir):
		s.Effect, s.Reason, s.firm = Ask, "it removes what everything else depends on", true
		return s
	case d.whole != nil && (name != "" || !d.guarded):
		return s.by(d.whole)
	}
	if v := unsafe(c.Assigns); v != "" {
		s.Effect, s.Reason = d.fallback("it sets " + v + ", which can change what the program does")
		return s
	}
	for _, rules := range d.allow.about(c.Argv[0].Text) {
		for _, r := range rules {
			if r.names(d.tool) && r.allows(c, name, text) {
				return s.by(r)
			}
		}
	}
	return d.decideUnruledCommand(s, c, name, workdir, started)
}

func (d *decision) decideUnruledCommand(s Step, c *command.Command, name, workdir string, started bool) Step {
	if started && c.Transparent {
		s.Effect, s.Reason = Allow, "what it starts is allowed"
		return s
	}
	s.looked, s.reads = true, d.onlyReads(c, name, workdir)
	if s.reads {
		s.Effect, s.Reason = Allow, "it only reads"
		return s
	}
	if d.mode == AcceptEdits && d.editsInside(c, name, workdir) {
		s.Effect, s.Reason = Allow, "mode acceptEdits"
		return s
	}
	switch {
	case name == "" && d.guarded: // it may be what a rule is about
		s.Effect, s.Reason, s.firm = Ask, "which program it is only the running shell can tell", true
		return s
	case name == "":
		s.Effect, s.Reason = d.fallback("which program it is only the running shell can tell")
		return s
	case c.Transparent:
		s.Effect, s.Reason = d.fallback("what it starts is not allowed")
		s.follows = true
		return s
	}
	s.Effect, s.Reason = d.fallback("no rule allows it")
	if len(c.Inner) == 0 && !c.Exact && !interprets(name) && plain(c.Argv) {
		s.grant = &Rule{Effect: Allow, Tool: d.tool, When: When{Command: quoted(c.Argv)}}
	}
	return s
}

// denies reports whether a rule that denies or asks is of a command: of its words,
// of its program by whatever path, or of what it may turn out to be. Of a program that
// is not known either, that would be everything: such a command is asked about.
func (r *rule) denies(c *command.Command, text string) bool {
	if c.Argv[0].Dynamic() {
		return r.command.matches(text)
	}
	if r.command.may(text) {
		return true
	}
	if i := strings.LastIndexByte(c.Argv[0].Text, '/'); i >= 0 {
		_, rest, _ := strings.Cut(text, " ")
		return r.command.may(strings.TrimSpace(c.Argv[0].Text[i+1:] + " " + rest))
	}
	return false
}

// allows reports whether a rule that allows is of a command.
func (r *rule) allows(c *command.Command, name, text string) bool {
	if name == "" || c.Exact && !r.command.exact {
		return false
	}
	return r.command.matches(text)
}

// unsafe returns a variable that is not harmless to set, or nothing.
func unsafe(names []string) string {
	for _, name := range names {
		if !command.Harmless(name) {
			return name
		}
	}
	return ""
}

// interprets reports whether a program runs what it is given: remembering one such
// command would be remembering a program.
func interprets(name string) bool {
	for _, prefix := range []string{"python", "node", "perl", "ruby", "php", "lua", "deno", "bun", "ssh", "awk", "gawk", "npx", "bunx", "uvx", "docker", "podman", "kubectl"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{"bash", "sh", "dash", "zsh", "ksh", "fish", "eval", "source", ".", "env", "sudo", "doas", "exec", "xargs"}, name)
}

// plain reports whether every word is known.
func plain(argv []command.Word) bool {
	for _, w := range argv {
		if w.Dynamic() || w.Glob || strings.Contains(w.Text, command.Home) {
			return false
		}
	}
	return true
}

// quoted writes a command as a pattern that matches nothing else.
func quoted(argv []command.Word) string {
	out := make([]string, len(argv))
	for i, w := range argv {
		out[i] = quotedWord(w.Text)
	}
	return strings.Join(out, " ")
}

var wordEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `"`, `\"`, `'`, `\'`)

func quotedWord(text string) string {
	text = wordEscapes.Replace(text)
	if text == "" || strings.ContainsAny(text, " \t\n") {
		return `"` + text + `"`
	}
	return text
}

// marks are how people see what stands for the unknown.
var marks = strings.NewReplacer(command.Unknown, "…", command.Home, "~")

// shown is a command for people.
func shown(c *command.Command) string {
	if c.Text != "" {
		return marks.Replace(c.Text)
	}
	return joined(c.Argv)
}

// redirect decides about a file that a redirection opens.
func (d *decision) redirect(x command.Access, workdir string) {
	path := x.Path.Text
	switch {
	case strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/"):
		s := Step{Does: "visit", What: path}
		s.Effect, s.Reason = d.fallback("it opens a connection")
		d.step(s)
	case path == "/dev/null" || path == "/dev/stdout" || path == "/dev/stderr" || path == "/dev/stdin":
	default:
		for _, t := range d.targets(x.Place, workdir, x.Path) {
			d.access(t, x.Write)
		}
	}
}

// targets are the files that a word may mean where a command may run.
func (d *decision) targets(at command.Place, workdir string, w command.Word) []target {
	path := w.Text
	absolute := strings.HasPrefix(path, "/") || strings.HasPrefix(path, command.Home)
	unsure := w.Dynamic() || w.Glob || at.Lost && !absolute
	known, _, _ := strings.Cut(path, command.Unknown)
	dirs := at.Dirs
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	var out []target
	for _, dir := range dirs {
		if !strings.HasPrefix(dir, "/") && !strings.HasPrefix(dir, command.Home) {
			dir = workdir + "/" + dir
		}
		t := d.resolve(dir, known)
		t.shown, t.unsure = marks.Replace(path), unsure
		out = append(out, t)
	}
	return out
}

// visit decides about a URL.
func (d *decision) visit(url string) {
	d.step(d.decideVisit(Step{Does: "visit", What: url}, hostOf(url)))
}

func (d *decision) decideVisit(s Step, host string) Step {
	for _, list := range []*rules{&d.deny, &d.ask} {
		for _, r := range list.all {
			if r.When.Domain != "" && r.names(d.tool) && domain(r.When.Domain, host) {
				return s.by(r)
			}
		}
	}
	if d.whole != nil {
		return s.by(d.whole)
	}
	for _, r := range d.allow.all {
		if r.When.Domain != "" && r.names(d.tool) && domain(r.When.Domain, host) {
			return s.by(r)
		}
	}
	s.Effect, s.Reason = d.fallback("no rule allows the host")
	if host != "" {
		s.grant = &Rule{Effect: Allow, Tool: d.tool, When: When{Domain: host}}
	}
	return s
}
