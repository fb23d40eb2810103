package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	walkAhead = 4   // directories of one level that are listed ahead of the walk
	maxLevels = 100 // levels below the start that are walked
	readBatch = 1024
)

// entry is something in a directory.
type entry struct {
	place
	mode fs.FileMode // its type alone
}

// walk goes through a tree in the order of its paths, part by part. The
// directories that come next are listed while the caller is busy, and no more is
// held than the listings on the way down and those few.
type walk struct {
	tools   *tools
	start   place
	ignored bool // also what .gitignore files say to leave out
	levels  int  // how deep to go below start: 1 is its own entries

	crew    *crew // makes the listings
	skipped skipped
}

// skipped is what a search could not look at.
type skipped struct {
	n    int
	some []error // the first few of the reasons
}

// maxReasons is how many reasons for leaving something out are told.
const maxReasons = 3

func (s *skipped) add(err error) {
	if s.n++; len(s.some) < maxReasons {
		s.some = append(s.some, err)
	}
}

func (s *skipped) String() string {
	if s.n == 0 {
		return ""
	}
	text := fmt.Sprintf("[%s left out:", plural(s.n, "path"))
	for _, err := range s.some {
		text += "\n " + err.Error()
	}
	if s.n > len(s.some) {
		text += "\n …"
	}
	return text + "]\n"
}

// entries yields everything below the start, directories before what is in them.
// It never follows a symbolic link, and leaves out ".git". It ends early when ctx
// does. The walk must not be used twice.
func (w *walk) entries(ctx context.Context) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		w.crew, ctx = newCrew(ctx)
		defer w.crew.dismiss()
		w.visit(ctx, w.list(ctx, w.start, w.rulesAbove()), 1, yield)
	}
}

// listing is the entries of a directory, once done is closed.
type listing struct {
	done    chan struct{}
	dir     place
	entries []entry
	rules   *ignores
	err     error
}

// list begins to list a directory.
func (w *walk) list(ctx context.Context, dir place, above *ignores) *listing {
	l := &listing{done: make(chan struct{}), dir: dir, rules: above}
	w.crew.do(func() {
		defer close(l.done)
		l.err = w.fill(ctx, l)
	})
	return l
}

// visit yields the entries of a listing and of all below. It returns false when
// the walk is over.
func (w *walk) visit(ctx context.Context, l *listing, level int, yield func(entry) bool) bool {
	<-l.done
	if l.err != nil {
		w.skipped.add(l.err)
	}
	dirs := w.descend(l, level)
	next := w.window(ctx, dirs, l.rules)
	for _, e := range l.entries {
		if ctx.Err() != nil || !yield(e) {
			return false
		}
		if e.mode.IsDir() && len(dirs) > 0 && !w.visit(ctx, next(), level+1, yield) {
			return false
		}
	}
	return true
}

// descend returns the directories in a listing that are to be walked.
func (w *walk) descend(l *listing, level int) []place {
	var dirs []place
	for _, e := range l.entries {
		if e.mode.IsDir() {
			dirs = append(dirs, e.place)
		}
	}
	if level < w.levels {
		return dirs
	}
	if w.levels == maxLevels && len(dirs) > 0 { // not what was asked for, but all that is done
		w.skipped.add(fmt.Errorf("%s: more than %d levels deep", l.dir, maxLevels))
	}
	return nil
}

// window returns a function that returns the listing of one of dirs after the
// other, while the next few are made already.
func (w *walk) window(ctx context.Context, dirs []place, rules *ignores) (next func() *listing) {
	var begun []*listing
	return func() *listing {
		for len(begun) < walkAhead && len(dirs) > 0 {
			begun = append(begun, w.list(ctx, dirs[0], rules))
			dirs = dirs[1:]
		}
		l := begun[0]
		begun = begun[1:]
		return l
	}
}

// fill reads the entries of a directory, without those that are ignored.
func (w *walk) fill(ctx context.Context, l *listing) error {
	d, err := l.dir.in.OpenFile(l.dir.name, os.O_RDONLY|directoryOnly, 0)
	if err != nil {
		return l.dir.explain(err)
	}
	defer d.Close()
	for ctx.Err() == nil {
		batch, err := d.ReadDir(readBatch)
		for _, e := range batch {
			if p := l.dir.join(e.Name()); e.Name() != ".git" && !w.tools.hides(p) {
				l.entries = append(l.entries, entry{p, e.Type()})
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return l.dir.explain(err)
		}
	}
	if !w.ignored {
		w.leaveOut(l)
	}
	slices.SortFunc(l.entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return nil
}

// hides reports whether a file is not to be listed.
func (t *tools) hides(p place) bool {
	return t.Hidden != nil && t.Hidden(filepath.Join(p.in.spellings[0], filepath.FromSlash(p.name)))
}

// leaveOut takes out of a listing what is ignored.
func (w *walk) leaveOut(l *listing) {
	for _, e := range l.entries {
		if path.Base(e.name) == ".gitignore" && e.mode.IsRegular() {
			l.rules = w.readRules(e.place, l.rules)
		}
	}
	if l.rules == nil {
		return
	}
	l.entries = slices.DeleteFunc(l.entries, func(e entry) bool { return l.rules.match(e.name, e.mode.IsDir()) })
}

// rulesAbove returns the rules of the directories above the start, and those that
// git keeps for itself. Above the root nothing can be read, so nothing counts.
func (w *walk) rulesAbove() *ignores {
	if w.ignored {
		return nil
	}
	rules := w.readRulesOf(place{w.start.in, ".git/info/exclude"}, ".", nil)
	if w.start.name == "." {
		return rules
	}
	rules = w.readRules(place{w.start.in, ".gitignore"}, rules)
	for dir := range ancestors(w.start.name) {
		rules = w.readRules(place{w.start.in, dir}.join(".gitignore"), rules)
	}
	return rules
}

// readRules reads a .gitignore file about the directory that it is in.
func (w *walk) readRules(p place, above *ignores) *ignores {
	return w.readRulesOf(p, path.Dir(p.name), above)
}

// readRulesOf reads a file of rules about the directory base. One that cannot be
// read has none: what is searched too much is shown, and harms less than what is
// silently left out.
func (w *walk) readRulesOf(p place, base string, above *ignores) *ignores {
	if info, err := p.in.Lstat(p.name); err != nil || !info.Mode().IsRegular() {
		return above // git does not follow a link here either
	}
	f, _, err := w.tools.openChecked(p, os.O_RDONLY)
	if err != nil {
		return above
	}
	defer f.Close()
	return parseIgnores(above, base, f)
}
