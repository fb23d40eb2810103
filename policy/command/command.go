// Package command says what a line of shell would run, read and write, as far as
// its text shows it.
//
// [Scan] parses a line as bash does and lists every simple command in it: those of
// pipelines, lists, subshells, substitutions and here-documents, and those that
// another command starts, as `timeout 5 git status` does. Words are given as the
// shell would make them of quotes and escapes. What only the running shell can know
// is marked in the words, and whatever else the text may hide is named in
// [Analysis.Opaque]. Nothing is run and no file is read.
//
// An Analysis errs to one side: it may show more commands than will run, and where
// it is not opaque it shows all.
package command

import (
	"slices"
	"strings"
)

// What stands in a word for what its text does not say.
const (
	Unknown = "\x00" // only the running shell can tell
	Home    = "\x01" // the home directory
)

// Bounds on what is looked at. Beyond them an Analysis is opaque.
const (
	MaxLength = 10_000 // bytes of a line
	MaxParts  = 50     // simple commands in it
	MaxDepth  = 8      // commands inside commands
)

// An Analysis is what a line would do.
type Analysis struct {
	Commands []*Command // in the order of the text
	Accesses []Access   // by redirection
	Opaque   []string   // why there may be more than this; empty when there is not
	Err      error      // the line does not parse; Commands are then only a guess
}

// A Command is a simple command: a program or builtin, and its arguments.
type Command struct {
	Text    string   // as it is written
	Argv    []Word   // with the name; never empty
	Assigns []string // names of variables that are set for it
	Place   Place    // where it runs

	// Inner are the commands that it starts, where its arguments say so.
	Inner []*Command
	// Transparent says that it does no more than start its inner commands.
	Transparent bool
	// Exact says that what it starts can hide in arguments that look harmless.
	Exact bool
}

// Name returns the last element of the program's path, or nothing when only the
// running shell can tell.
func (c *Command) Name() string {
	if c.Argv[0].Dynamic() || c.Argv[0].Glob {
		return ""
	}
	return base(c.Argv[0].Text)
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// A Word is an argument as the shell would make it.
type Word struct {
	Text string // with Unknown for each part that is not known
	Glob bool   // it has wildcards, so it may become any number of words
}

// Dynamic reports whether only the running shell knows all of the word.
func (w Word) Dynamic() bool { return strings.Contains(w.Text, Unknown) }

// An Access is a file that a redirection opens.
type Access struct {
	Path  Word
	Write bool
	Place Place
}

// A Place is where a command may run.
type Place struct {
	Dirs []string // the possible directories, relative to the first one or absolute
	Lost bool     // there are others
}

// moved returns a place after a change to dir, which may have failed unless sure.
func (p Place) moved(dir string, sure bool) Place {
	var dirs []string
	for _, from := range p.Dirs {
		to := join(from, dir)
		if !sure {
			dirs = append(dirs, from)
		}
		dirs = append(dirs, to)
	}
	if len(dirs) > maxDirs {
		return Place{Dirs: dirs[:maxDirs], Lost: true}
	}
	return Place{Dirs: dirs, Lost: p.Lost}
}

// maxDirs is how many directories a place keeps apart.
const maxDirs = 8

// either returns a place that is p or q.
func (p Place) either(q Place) Place {
	out := Place{Dirs: append([]string(nil), p.Dirs...), Lost: p.Lost || q.Lost}
	for _, d := range q.Dirs {
		if !slices.Contains(out.Dirs, d) {
			out.Dirs = append(out.Dirs, d)
		}
	}
	if len(out.Dirs) > maxDirs {
		out.Dirs, out.Lost = out.Dirs[:maxDirs], true
	}
	return out
}

// join is like path.Join, except that it leaves `..` alone: what it means depends
// on links.
func join(from, to string) string {
	switch {
	case strings.HasPrefix(to, "/") || strings.HasPrefix(to, Home):
		return to
	case from == "" || from == ".":
		return to
	}
	return strings.TrimSuffix(from, "/") + "/" + to
}

// Each calls f for every command, outer before inner.
func (a *Analysis) Each(f func(*Command)) { each(a.Commands, f) }

func each(cs []*Command, f func(*Command)) {
	for _, c := range cs {
		f(c)
		each(c.Inner, f)
	}
}
