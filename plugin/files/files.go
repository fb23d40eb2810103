// Package files lets a model read, write and search files, inside the
// directories it was given and nowhere else.
//
// Every access goes through an [os.Root], so neither "..", nor an absolute path,
// nor a symbolic link leads out. What os.Root cannot see is checked on the
// opened handle, at the moment of use: only regular files are read, and a file
// with a second name (a hard link), which may be a file of somewhere else, is
// refused. A write makes a new file and renames it over the old one, so that
// nobody ever sees half of it, and it happens only when the file on disk still is
// what the same agent has read before. The owner and the mode bits of the old
// file are kept; its extended attributes are not.
//
// A path is resolved to a place, a place is opened or searched, and what goes
// wrong is explained in words that tell the model what would be right.
package files

import (
	"runtime"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// The codes of refusals, for [toolfall.Code].
const (
	Outside = "PATH_OUTSIDE" // the path, or what it links to, is not in an allowed directory
	Unread  = "FILE_UNREAD"  // an existing file was to be changed that the agent has not read
	Changed = "FILE_CHANGED" // the file is no longer what the agent has read
)

// Config says where the tools may work, and how much they return at once. The
// zero value is the current directory with bounds that suit a model.
type Config struct {
	Roots []string // the allowed directories; relative paths start at the first; the current directory when empty

	MaxLines   int   // the most lines of one read; 2,000 when zero
	MaxBytes   int   // the most bytes of text that one call returns; 256 KiB when zero
	MaxLine    int   // the most characters shown of one line; 2,000 when zero
	MaxResults int   // the most entries, paths or matches that one call returns; 1,000 when zero
	MaxFile    int64 // the largest file that may be edited, in bytes; 10 MiB when zero
	MaxImage   int64 // the largest image that is returned, in bytes; 5 MiB when zero
	Workers    int   // how many files are searched at once; the number of processors, but at least 4, when zero

	// AllowHardLinks lets the tools open files that have more than one name.
	// Such a file may be the same file as one outside the allowed directories,
	// so this is for trees that use hard links by design, like those of pnpm. A
	// write still never changes the other name: it makes a new file.
	AllowHardLinks bool

	// AllowUnread lets a file be changed that the agent has not read. It is for
	// single calls by a person; what was read must be unchanged all the same.
	AllowUnread bool

	// Hidden says which files are left out of what is listed and searched, by their
	// absolute path. It does not keep them from being read. Nil hides none.
	Hidden func(path string) bool
}

// withDefaults returns c with every zero value filled in.
func (c Config) withDefaults() Config {
	if len(c.Roots) == 0 {
		c.Roots = []string{"."}
	}
	fill(&c.MaxLines, 2000)
	fill(&c.MaxBytes, 256<<10)
	fill(&c.MaxLine, 2000)
	fill(&c.MaxResults, 1000)
	fill(&c.MaxFile, 10<<20)
	fill(&c.MaxImage, 5<<20)
	fill(&c.Workers, max(4, runtime.GOMAXPROCS(0)))
	return c
}

func fill[T int | int64](p *T, value T) {
	if *p <= 0 {
		*p = value
	}
}

// tools is what the tools of one plugin share.
type tools struct {
	Config
	*tree
	versions *versions
	locks    locks
}

// New returns a plugin with the tools read_file, write_file, edit_file, list_dir,
// glob and grep. Attaching it fails if one of the roots is not a directory. What
// an agent has read is remembered by the attached plugin, not across two of them.
func New(c Config) toolfall.Plugin {
	c = c.withDefaults()
	return toolfall.Plugin{Name: "files", Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		tree, err := openTree(c.Roots)
		if err != nil {
			return err
		}
		s.Cleanup(tree.close)
		t := &tools{Config: c, tree: tree, versions: newVersions(maxVersions)}
		_, err = r.Register(s, t.definitions()...)
		return err
	}}
}

func (t *tools) definitions() []toolfall.Definition {
	return []toolfall.Definition{
		hinted(t.claiming(false, toolfall.Define("read_file", readDescription, t.readFile)), reads("Read a file")),
		hinted(t.claiming(true, toolfall.Define("write_file", writeDescription, t.writeFile)), writes("Write a file", toolfall.Yes)),
		hinted(t.claiming(true, toolfall.Define("edit_file", editDescription, t.editFile)), writes("Edit a file", toolfall.No)),
		hinted(t.claiming(false, toolfall.Define("list_dir", listDescription, t.listDir)), reads("List a directory")),
		hinted(t.claiming(false, toolfall.Define("glob", globDescription, t.glob)), reads("Find files by name")),
		hinted(t.claiming(false, toolfall.Define("grep", grepDescription, t.grep)), reads("Search in files")),
	}
}

func hinted(d toolfall.Definition, h toolfall.Hints) toolfall.Definition {
	d.Hints = h
	return d
}

func reads(title string) toolfall.Hints {
	return toolfall.Hints{Title: title, ReadOnly: toolfall.Yes, OpenWorld: toolfall.No}
}

func writes(title string, idempotent toolfall.Hint) toolfall.Hints {
	return toolfall.Hints{Title: title, ReadOnly: toolfall.No, Destructive: toolfall.Yes,
		Idempotent: idempotent, OpenWorld: toolfall.No}
}
