package files

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/toolfall/toolfall"
)

// tree is the allowed directories, each held open, so that renaming one does not
// put another in its place.
type tree struct{ roots []*root }

// root is one allowed directory.
type root struct {
	*os.Root
	spellings []string // its absolute path, as given and with its links resolved
	first     bool     // relative paths start here, and are shown so
}

// openTree opens the directories.
func openTree(dirs []string) (*tree, error) {
	t := new(tree)
	for _, dir := range dirs {
		r, err := openRoot(dir)
		if err != nil {
			t.close()
			return nil, err
		}
		r.first = len(t.roots) == 0
		t.roots = append(t.roots, r)
	}
	return t, nil
}

func openRoot(dir string) (*root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("root %q: %w", dir, err)
	}
	info, err := os.Stat(abs) // before OpenRoot, which would wait for the writer of a FIFO
	if err != nil {
		return nil, fmt.Errorf("root %q: %w", dir, reason(err))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("root %q: not a directory", dir)
	}
	opened, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("root %q: %w", dir, reason(err))
	}
	r := &root{Root: opened, spellings: []string{abs}}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil && resolved != abs {
		r.spellings = append(r.spellings, resolved)
	}
	return r, nil
}

func (t *tree) close() {
	for _, r := range t.roots {
		r.Close()
	}
}

// place is where a path leads: a slash-separated name, free of "..", below a root.
type place struct {
	in   *root
	name string
}

// String is the path as the model knows it: relative below the first root, and
// absolute below the others, since only so can it be given again.
func (p place) String() string {
	if p.in.first {
		return p.name
	}
	return path.Join(filepath.ToSlash(p.in.spellings[0]), p.name)
}

// join returns the place of a name below p.
func (p place) join(name string) place { return place{p.in, path.Join(p.name, name)} }

// place finds where a path from the model leads. The deepest root that holds it
// wins. That it does not leave the root through a link is os.Root's to see.
func (t *tree) place(given string) (place, error) {
	if strings.ContainsRune(given, 0) {
		return place{}, errors.New("the path has a NUL byte in it")
	}
	if !filepath.IsAbs(given) {
		name := filepath.Clean(given)
		if !filepath.IsLocal(name) {
			return place{}, t.outside(given)
		}
		return place{t.roots[0], filepath.ToSlash(name)}, nil
	}
	var found place
	for _, r := range t.roots {
		for _, dir := range r.spellings {
			name, err := filepath.Rel(dir, given)
			if err != nil || !filepath.IsLocal(name) {
				continue
			}
			if found.in == nil || len(name) < len(found.name) {
				found = place{r, filepath.ToSlash(name)}
			}
		}
	}
	if found.in == nil {
		return place{}, t.outside(given)
	}
	return found, nil
}

// outside is the refusal of a path that no root holds.
func (t *tree) outside(given string) error {
	text := fmt.Sprintf("%q is outside the allowed directories; use a path below the working directory", given)
	if more := t.roots[1:]; len(more) > 0 {
		var dirs []string
		for _, r := range more {
			dirs = append(dirs, r.spellings[0])
		}
		text += " or below " + strings.Join(dirs, ", ")
	}
	return toolfall.NewError(Outside, errors.New(text))
}

// maxLinks is how many symbolic links one path may lead through.
const maxLinks = 40

// real returns the place that p is when every symbolic link on its way is
// followed, so that a file has one name to be locked and remembered by, and a
// write through a link changes what the link leads to. The last parts may be
// missing. The answer may be old as soon as it is given: os.Root still guards
// the use of it.
func (p place) real() (place, error) {
	todo := strings.Split(p.name, "/")
	done := place{p.in, "."}
	for links := 0; len(todo) > 0; {
		next := done.join(todo[0])
		todo = todo[1:]
		if next.name == ".." || strings.HasPrefix(next.name, "../") {
			return place{}, p.leadsOut()
		}
		target, err := p.in.Readlink(next.name)
		if err != nil { // not a link, or missing: whoever uses the place will see
			done = next
			continue
		}
		if filepath.IsAbs(target) {
			return place{}, p.leadsOut()
		}
		if links++; links > maxLinks {
			return place{}, p.explain(syscall.ELOOP)
		}
		todo = slices.Concat(strings.Split(filepath.ToSlash(target), "/"), todo)
	}
	return done, nil
}
