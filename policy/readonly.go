package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolfall/toolfall/policy/command"
)

// onlyReads reports whether a command is proven to do nothing but read inside the
// roots, whatever files there are.
func (d *decision) onlyReads(c *command.Command, name, workdir string) bool {
	args := c.Argv[1:]
	if name == "" || strings.Contains(name, " ") || name != c.Argv[0].Text || len(c.Inner) > 0 || unsafe(c.Assigns) != "" {
		return false // a path to a program says nothing about the program
	}
	switch name {
	case "git":
		return d.gitReads(c, args, workdir)
	case "find":
		return d.findReads(c, args, workdir)
	case "command":
		return len(args) > 1 && (args[0].Text == "-v" || args[0].Text == "-V")
	}
	p, ok := programsOnce()[name]
	return ok && d.reads(p, c, name, args, workdir)
}

// reads checks the arguments of a program in the table.
func (d *decision) reads(p program, c *command.Command, name string, args []command.Word, workdir string) bool {
	operands, ok := p.split(args)
	if !ok || searchesAll(name, args) && d.guardsReading() {
		return false
	}
	if p.plus {
		for _, w := range operands {
			if !strings.HasPrefix(w.Text, "+") {
				return false
			}
		}
	}
	switch p.operands {
	case texts:
		return true
	case no:
		return len(operands) == 0
	case pattern1:
		if len(operands) > 0 && !(name == "rg" && slices.Contains(textsOf(args), "--files")) {
			operands = operands[1:]
		}
	}
	if name == "[" && len(operands) > 0 {
		operands = operands[:len(operands)-1]
	}
	return d.readable(operands, c, name, workdir)
}

// searchesAll reports whether a program reads all files of a directory, among which
// may be some that must not be read.
func searchesAll(name string, args []command.Word) bool {
	switch name {
	case "rg":
		return true
	case "grep", "egrep", "fgrep", "diff":
		for _, w := range args {
			if w.Text == "--recursive" || strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "--") && strings.ContainsAny(w.Text, "rR") {
				return true
			}
		}
	}
	return false
}

func textsOf(words []command.Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
	}
	return out
}

// flagSensitive are programs that a file named like an option could turn into
// something else.
var flagSensitive = []string{"sort", "find", "sed", "git", "rg", "date", "file", "tree"}

// readable reports whether all the files are known, inside the roots, and may be
// read.
func (d *decision) readable(operands []command.Word, c *command.Command, name, workdir string) bool {
	for _, w := range operands {
		if w.Dynamic() || w.Glob && (slices.Contains(flagSensitive, name) || d.guardsReading()) {
			return false
		}
		glob := w.Glob
		if glob && !strings.Contains(w.Text, "..") {
			w.Glob = false
		}
		for _, t := range d.targets(c.Place, workdir, w) {
			if glob && !d.holds(t) {
				return false
			}
			if !glob && !d.inside(t) && t.spelt != "/dev/null" {
				return false
			}
		}
	}
	return true
}

// maxMatches is how many files wildcards are followed to.
const maxMatches = 1000

// holds reports whether all that wildcards may become is inside the roots: a name may
// be that of a link that leads out. A part with ? or [ is taken for any name, as what
// the shell makes of it depends on the language.
func (d *decision) holds(t target) bool {
	if t.unsure || !within(d.roots, t.spelt) {
		return false
	}
	found := []string{"/"}
	for _, part := range strings.Split(strings.Trim(t.path, "/"), "/") {
		var next []string
		for _, at := range found {
			if !strings.ContainsAny(part, "*?[") {
				next = append(next, strings.TrimSuffix(at, "/")+"/"+part)
				continue
			}
			if !within(d.realRoots, follow(at)) {
				return false
			}
			entries, _ := os.ReadDir(at) // what cannot be read does not match either
			for _, e := range entries {
				if strings.ContainsAny(part, "?[") || fits(part, "*", e.Name()) {
					next = append(next, at+"/"+e.Name())
				}
			}
		}
		if found = next; len(found) > maxMatches {
			return false
		}
	}
	return !slices.ContainsFunc(found, func(path string) bool { return !within(d.realRoots, follow(path)) })
}

// guardsReading reports whether a rule denies or asks about reading some files.
func (d *decision) guardsReading() bool {
	for _, list := range []*rules{&d.deny, &d.ask} {
		for _, r := range list.all {
			if r.path != nil && r.concerns(false) {
				return true
			}
		}
	}
	return false
}

// gitReads checks a command of git. In another directory git obeys the settings of
// another repository.
func (d *decision) gitReads(c *command.Command, args []command.Word, workdir string) bool {
	if len(args) > 0 && args[0].Text == "--no-pager" {
		args = args[1:]
	}
	if len(args) == 0 || args[0].Dynamic() || c.Place.Lost || len(c.Place.Dirs) != 1 || c.Place.Dirs[0] != "." || d.foreign(workdir) {
		return false
	}
	p, ok := programsOnce()["git "+args[0].Text]
	if !ok {
		return false
	}
	if len(p.long) == 1 && p.long[0] == "list" {
		return len(args) == 1 && args[0].Text == "reflog" || len(args) == 2 && args[1].Text == "list"
	}
	if p.operands == files { // they may be revisions as well, which are no files
		operands, ok := p.split(args[1:])
		return ok && d.readable(operands, c, "git", workdir)
	}
	return d.reads(p, c, "git", args[1:], workdir)
}

// foreign reports whether git would obey, in a directory, a repository that came with the
// files: one without .git can be checked in like anything else, and its settings name
// programs.
func (d *decision) foreign(workdir string) bool {
	for at := follow(workdir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return !slices.ContainsFunc(d.realRoots, func(root string) bool { return within([]string{at}, root) })
		}
		if _, err := os.Lstat(filepath.Join(at, "HEAD")); err == nil {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// findTests are the expressions of find that only test and print. Those in the second
// list take a value.
var (
	findTests  = []string{"-print", "-print0", "-empty", "-prune", "-follow", "-not", "!", "-o", "-or", "-a", "-and", "(", ")", "-depth", "-mount", "-xdev", "-readable", "-writable", "-executable", "-true", "-false", "-ls", "-quit", "-daystart", "-nouser", "-nogroup", "-H", "-L", "-P"}
	findValues = []string{"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-regextype", "-type", "-xtype", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-newer", "-maxdepth", "-mindepth", "-perm", "-user", "-group", "-uid", "-gid", "-links", "-inum", "-samefile", "-printf", "-lname", "-used", "-fstype"}
)

func (d *decision) findReads(c *command.Command, args []command.Word, workdir string) bool {
	for len(args) > 0 && slices.Contains([]string{"-H", "-L", "-P"}, args[0].Text) {
		args = args[1:]
	}
	n := 0
	for n < len(args) && !strings.HasPrefix(args[n].Text, "-") && args[n].Text != "!" && args[n].Text != "(" {
		n++
	}
	if !d.readable(args[:n], c, "find", workdir) {
		return false
	}
	for i := n; i < len(args); i++ {
		switch {
		case args[i].Dynamic() || args[i].Glob:
			return false
		case slices.Contains(findValues, args[i].Text):
			if i++; i < len(args) && (args[i].Dynamic() || args[i].Glob) {
				return false
			}
		case !slices.Contains(findTests, args[i].Text):
			return false
		}
	}
	return true
}
