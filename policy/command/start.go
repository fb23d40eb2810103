package command

import (
	"slices"
	"strings"
)

// A starter is a command that starts another one, which its arguments name.
type starter struct {
	flags       string   // short options that take a value
	long        []string // long options that take a value, as the next word
	operands    int      // before the command
	assigns     bool     // NAME=value may stand before the command
	transparent bool     // it changes nothing that a rule could care about
	harmless    string   // the short options with which that is so; no others are known
	exact       bool     // people would not expect it to run something
}

// starters are the commands that are seen through.
var starters = map[string]starter{
	"timeout": {flags: "ks", long: []string{"--kill-after", "--signal"}, operands: 1, transparent: true, harmless: "ks"},
	"nice":    {flags: "n", long: []string{"--adjustment"}, transparent: true, harmless: "n0123456789"},
	"nohup":   {transparent: true},
	"stdbuf":  {flags: "ioe", long: []string{"--input", "--output", "--error"}, transparent: true, harmless: "ioe"},
	"time":    {flags: "fo", long: []string{"--format", "--output"}, transparent: true, harmless: "p"},
	"command": {transparent: true}, "builtin": {transparent: true}, "noglob": {transparent: true},

	"exec": {flags: "a"}, "nocorrect": {},
	"sudo":    {flags: "ugpCDhRrtTU", long: []string{"--user", "--group", "--prompt", "--chdir", "--host", "--role", "--type"}, assigns: true},
	"doas":    {flags: "uC"},
	"env":     {flags: "uCS", long: []string{"--unset", "--chdir", "--split-string"}, assigns: true},
	"setsid":  {exact: true},
	"ionice":  {flags: "cnpPu", exact: true},
	"taskset": {flags: "p", operands: 1, exact: true},
	"chrt":    {operands: 1, exact: true},
	"flock":   {flags: "wE", operands: 1, exact: true},
	"watch":   {flags: "nq", long: []string{"--interval"}, exact: true},
	"strace":  {flags: "eopsuEaISOX", exact: true}, "ltrace": {flags: "eopsuax", exact: true},
	"unshare": {exact: true}, "nsenter": {flags: "tSG", exact: true}, "chroot": {operands: 1, exact: true},
	"xargs":   {flags: "aEdILnPs", long: []string{"--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars"}},
	"busybox": {}, "toybox": {}, "caffeinate": {}, "chronic": {}, "unbuffer": {}, "script": {flags: "c", exact: true},
	"parallel": {exact: true}, "entr": {exact: true},
}

// shells run a text that is given with -c.
var shells = []string{"bash", "sh", "dash", "ash", "ksh", "mksh", "zsh", "fish", "rbash"}

// start adds the commands that c starts.
func (s *scanner) start(c *Command) {
	if s.depth++; s.depth > MaxDepth {
		s.opaque("commands are nested more than %d deep", MaxDepth)
	} else if name := strings.TrimPrefix(c.Name(), `\`); slices.Contains(shells, name) {
		s.shell(c, name)
	} else if st, ok := starters[name]; ok {
		s.starter(c, name, st)
	} else if slices.Contains(wrappers, name) {
		s.wrapper(c)
	} else if name == "find" {
		s.find(c)
	} else if name == "git" {
		s.git(c)
	}
	c.Exact = c.Exact || surprises(c)
	s.depth--
}

// starter finds the command behind the options.
func (s *scanner) starter(c *Command, name string, st starter) {
	c.Exact = st.exact
	rest, plain := st.skip(c.Argv[1:])
	if name == "env" {
		s.splitString(c)
	}
	if name == "flock" || name == "script" {
		s.texts(c)
	}
	inner := &Command{Argv: rest, Place: c.Place}
	for st.assigns && len(inner.Argv) > 0 && strings.Contains(inner.Argv[0].Text, "=") {
		variable, _, _ := strings.Cut(inner.Argv[0].Text, "=")
		inner.Assigns = append(inner.Assigns, variable)
		inner.Argv = inner.Argv[1:]
	}
	if len(inner.Argv) == 0 {
		return // env alone prints the environment
	}
	if name == "command" && looksOnly(c.Argv[1:len(c.Argv)-len(rest)]) {
		return
	}
	inner.Text = spaced(inner.Argv)
	c.Transparent = c.Argv[0].Text == name && (st.transparent && st.mild(c.Argv[1:len(c.Argv)-len(rest)]) || name == "xargs" && plain)
	if name == "xargs" { // what it adds is only known when it runs
		inner.Argv = append(inner.Argv[:len(inner.Argv):len(inner.Argv)], Word{Text: Unknown, Glob: true})
	}
	c.Inner = append(c.Inner, inner)
	s.start(inner)
	if name == "watch" || name == "flock" || name == "script" || name == "parallel" {
		c.Inner = append(c.Inner, s.sub(spaced(rest), c.Place)...)
	}
}

// wrappers start a command too, behind options that are not known here.
var wrappers = []string{
	"su", "runuser", "sg", "pkexec", "systemd-run", "setpriv", "prlimit", "numactl", "cpulimit", "choom", "dbus-run-session", "xvfb-run",
	"eatmydata", "fakeroot", "firejail", "bwrap", "torsocks", "torify", "proxychains", "proxychains4", "setarch", "linux32", "linux64", "i386", "x86_64",
	"catchsegv", "start-stop-daemon", "gdb", "valgrind", "perf", "rlwrap", "faketime", "direnv", "ld.so", "ld-linux-x86-64.so.2", "ld-linux.so.2",
}

// maxStarts is how many words of a wrapper are taken for a command.
const maxStarts = 8

// wrapper takes every word for the one in which the command may begin.
func (s *scanner) wrapper(c *Command) {
	starts := 0
	for i, w := range c.Argv {
		if i == 0 || strings.HasPrefix(w.Text, "-") {
			continue
		}
		if starts++; starts > maxStarts {
			s.opaque("%s is given more than %d words", c.Name(), maxStarts)
			break
		}
		inner := &Command{Text: spaced(c.Argv[i:]), Argv: c.Argv[i:], Place: Place{Lost: true}}
		c.Inner = append(c.Inner, inner)
	}
	s.texts(c)
}

// texts scans what stands behind -c, or a like option.
func (s *scanner) texts(c *Command) {
	for i, w := range c.Argv {
		if text, ok := strings.CutPrefix(w.Text, "--command="); ok {
			c.Inner = append(c.Inner, s.sub(text, c.Place)...)
		} else if i > 0 && behindC(c.Argv[i-1].Text) {
			c.Inner = append(c.Inner, s.sub(w.Text, c.Place)...)
		}
	}
}

func behindC(option string) bool {
	return option == "--command" || strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--") && strings.HasSuffix(option, "c")
}

// looksOnly reports whether the options of command make it only tell what a name is.
func looksOnly(options []Word) bool {
	return slices.ContainsFunc(options, func(w Word) bool { return strings.ContainsAny(w.Text, "vV") })
}

// skip drops options and operands, and reports whether there were no options.
func (st starter) skip(args []Word) (rest []Word, plain bool) {
	plain = true
	for len(args) > 0 && strings.HasPrefix(args[0].Text, "-") && len(args[0].Text) > 1 {
		option := args[0].Text
		plain, args = false, args[1:]
		if option == "--" {
			break
		}
		if st.takesNext(option) && len(args) > 0 {
			args = args[1:]
		}
	}
	return args[min(st.operands, len(args)):], plain
}

// mild reports whether a starter with these options does no more than start: time -o
// writes a file.
func (st starter) mild(args []Word) bool {
	for _, w := range args {
		if len(w.Text) < 2 || w.Text[0] != '-' || w.Text == "--" {
			continue
		}
		if w.Dynamic() || w.Glob || strings.Trim(w.Text[1:2], st.harmless) != "" {
			return false
		}
	}
	return true
}

// takesNext reports whether the value of an option is the next word.
func (st starter) takesNext(option string) bool {
	if strings.HasPrefix(option, "--") {
		return slices.ContainsFunc(st.long, func(long string) bool { return strings.HasPrefix(long, option) }) // or short for it
	}
	for i := 1; i < len(option); i++ {
		if strings.IndexByte(st.flags, option[i]) >= 0 {
			return i == len(option)-1 // otherwise the rest of the word is the value
		}
	}
	return false
}

// splitString scans what env is told to split into a command.
func (s *scanner) splitString(c *Command) {
	for i, w := range c.Argv {
		text, ok := strings.CutPrefix(w.Text, "--split-string=")
		switch {
		case ok:
		case w.Text == "--split-string", strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.HasSuffix(w.Text, "S"):
			if i+1 < len(c.Argv) {
				text = c.Argv[i+1].Text
			}
		case strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "S") && !strings.HasPrefix(w.Text, "--"):
			_, text, _ = strings.Cut(w.Text, "S")
		default:
			continue
		}
		s.opaque("env is told to split a text into a command")
		c.Inner = append(c.Inner, s.sub(text, c.Place)...)
		return
	}
}

// shell scans the text that a shell is given.
func (s *scanner) shell(c *Command, name string) {
	args := c.Argv[1:]
	given, odd := false, false
	for len(args) > 0 && len(args[0].Text) > 1 && (args[0].Text[0] == '-' || args[0].Text[0] == '+') {
		option := args[0].Text
		args = args[1:]
		switch {
		case option == "--":
		case strings.HasPrefix(option, "--"):
			odd = odd || option != "--norc" && option != "--noprofile" && option != "--posix"
			if (option == "--rcfile" || option == "--init-file") && len(args) > 0 {
				args = args[1:]
			}
			continue
		case strings.ContainsAny(option, "oO"):
			if len(args) > 0 {
				args = args[1:]
			}
		}
		given = given || option[0] == '-' && strings.Contains(option, "c")
		odd = odd || strings.ContainsAny(option, "lisOr\x00")
		if option == "--" {
			break
		}
	}
	switch {
	case !given || len(args) == 0:
		s.opaque("%s runs a script that is not in the text", name)
		return
	case odd || name != "bash" && name != "sh" && name != "dash":
		s.opaque("%s is started in a way that reads more than its text", name)
	}
	c.Transparent = c.Argv[0].Text == name // by a path it may be any program
	c.Inner = append(c.Inner, s.sub(args[0].Text, c.Place)...)
}

// find finds the commands that find runs for each file.
func (s *scanner) find(c *Command) {
	for i := 0; i < len(c.Argv); i++ {
		switch c.Argv[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			c.Exact = true
			end := i + 1
			for end < len(c.Argv) && c.Argv[end].Text != ";" && c.Argv[end].Text != "+" {
				end++
			}
			if argv := c.Argv[i+1 : end]; len(argv) > 0 {
				inner := &Command{Text: spaced(argv), Argv: argv, Place: Place{Lost: true}}
				c.Inner = append(c.Inner, inner)
				s.start(inner)
			}
			i = end - 1 // what is in between is the other command's
		case "-delete", "-fprint", "-fprint0", "-fprintf", "-fls":
			c.Exact = true
		}
	}
}

// git finds the settings that are given to git for this once: many of them are
// commands, and an alias may be.
func (s *scanner) git(c *Command) {
	s.gitRuns(c)
	for i, w := range c.Argv {
		if strings.HasPrefix(w.Text, "--config-env") || strings.HasPrefix(w.Text, "--exec-path=") {
			c.Exact = true
		}
		if w.Text != "-c" || i+1 >= len(c.Argv) {
			continue
		}
		key, value, _ := strings.Cut(c.Argv[i+1].Text, "=")
		if quiet(key) {
			continue
		}
		c.Exact = true
		c.Inner = append(c.Inner, guess(strings.TrimPrefix(value, "!"))...)
	}
}

// quiet reports whether a setting of git only changes how it prints, or who says so.
func quiet(key string) bool {
	section, _, _ := strings.Cut(strings.ToLower(key), ".")
	switch section {
	case "user", "author", "committer", "color", "column", "advice", "log":
		return true
	}
	return strings.EqualFold(key, "core.quotepath") || strings.EqualFold(key, "core.abbrev")
}

// gitCommands are the words behind which git takes a command, by its own command.
var gitCommands = map[string][]string{
	"submodule": {"foreach"}, "bisect": {"run"}, "rebase": {"-x", "--exec"}, "difftool": {"-x", "--extcmd"}, "mergetool": {"-t", "--tool"},
	"filter-branch": {"--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter", "--parent-filter", "--tag-name-filter"},
}

// gitRuns finds the commands that git is told to run.
func (s *scanner) gitRuns(c *Command) {
	var behind []string
	found := 0
	for i, w := range c.Argv {
		if names, ok := gitCommands[w.Text]; ok {
			behind = names
		}
		name, value, _ := strings.Cut(w.Text, "=")
		if slices.Contains(behind, name) {
			if found++; found > maxStarts {
				s.opaque("git is given more than %d commands", maxStarts)
				return
			}
			c.Exact = true
			c.Inner = append(c.Inner, guess(value+" "+spaced(c.Argv[i+1:]))...)
		}
	}
}
