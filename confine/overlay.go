package confine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// An Overlay takes what confined commands change, so that it can be looked at before
// it is kept. Commands under the same overlay see each other's changes.
type Overlay struct {
	dir   string
	roots []string
}

// A Change is a path that commands have changed, below one of the roots.
type Change struct {
	Root string
	Path string // relative to Root, with slashes
	Kind ChangeKind
}

// A ChangeKind says what became of a path.
type ChangeKind string

// The kinds.
const (
	Created ChangeKind = "created"
	Changed ChangeKind = "changed"
	Deleted ChangeKind = "deleted"
)

// NewOverlay makes an overlay over the directories that a policy lets be written. What
// it holds lies in a new directory below parent, which must be on a disk and outside
// of them. The caller must call Drop.
func NewOverlay(parent string, p Policy) (*Overlay, error) {
	dir, err := os.MkdirTemp(parent, "toolfall-overlay-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("overlay: %w", err)
	}
	o := &Overlay{dir: dir, roots: slices.Clone(p.Write)}
	for _, root := range o.roots {
		if below(dir, root) {
			return nil, errors.Join(fmt.Errorf("overlay: %s is inside %s", dir, root), o.Drop())
		}
		for _, part := range []string{"up", "work"} {
			if err := os.MkdirAll(filepath.Join(dir, layerName(root), part), 0o755); err != nil {
				return nil, errors.Join(fmt.Errorf("overlay: %w", err), o.Drop())
			}
		}
	}
	return o, nil
}

// layerName is the directory of an overlay that is about a root.
func layerName(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:8])
}

// Policy returns p with its changes taken by the overlay.
func (o *Overlay) Policy(p Policy) Policy {
	p.Overlay = o.dir
	return p
}

// Drop forgets what was changed.
func (o *Overlay) Drop() error {
	filepath.WalkDir(o.dir, func(path string, d fs.DirEntry, err error) error { // the work directory may be closed to us
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(o.dir)
}

// Changes returns what was changed, sorted by path. A directory that was replaced is
// deleted and created.
func (o *Overlay) Changes() ([]Change, error) {
	var out []Change
	for _, root := range o.roots {
		up := filepath.Join(o.dir, layerName(root), "up")
		err := filepath.WalkDir(up, func(path string, d fs.DirEntry, err error) error {
			if err != nil || path == up {
				return err
			}
			rel, err := filepath.Rel(up, path)
			if err != nil {
				return err
			}
			changes, err := changesOf(root, filepath.ToSlash(rel), path, d)
			out = append(out, changes...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("overlay: %w", err)
		}
	}
	return out, nil
}

// changesOf says what an entry of the upper layer means.
func changesOf(root, rel, path string, d fs.DirEntry) ([]Change, error) {
	info, err := d.Info()
	if err != nil {
		return nil, err
	}
	below, err := os.Lstat(filepath.Join(root, filepath.FromSlash(rel)))
	there := err == nil
	change := func(k ChangeKind) Change { return Change{root, rel, k} }
	switch {
	case isWhiteout(info):
		return []Change{change(Deleted)}, nil
	case d.IsDir() && there && below.IsDir() && isOpaque(path):
		return []Change{change(Deleted), change(Created)}, nil
	case d.IsDir() && there && below.IsDir():
		return nil, nil // only so that something below it could be changed
	case there && below.IsDir() != d.IsDir():
		return []Change{change(Deleted), change(Created)}, nil
	case there:
		return []Change{change(Changed)}, nil
	}
	return []Change{change(Created)}, nil
}

// Open opens a changed or created file as the commands left it.
func (o *Overlay) Open(c Change) (*os.File, error) {
	up, err := os.OpenRoot(filepath.Join(o.dir, layerName(c.Root), "up"))
	if err != nil {
		return nil, fmt.Errorf("overlay: %w", err)
	}
	defer up.Close()
	info, err := up.Lstat(filepath.FromSlash(c.Path))
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", c.Path)
	}
	if err != nil {
		return nil, err
	}
	return up.Open(filepath.FromSlash(c.Path))
}

// Keep makes the changes in the roots. Each file is replaced at once; if one cannot be,
// those before it stay, and the error says so.
func (o *Overlay) Keep() error {
	changes, err := o.Changes()
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := o.keep(c); err != nil {
			return fmt.Errorf("keep %s: %w", c.Path, err)
		}
	}
	return nil
}

func (o *Overlay) keep(c Change) error {
	to, err := os.OpenRoot(c.Root)
	if err != nil {
		return err
	}
	defer to.Close()
	name := filepath.FromSlash(c.Path)
	if c.Kind == Deleted {
		return to.RemoveAll(name)
	}
	from, err := os.OpenRoot(filepath.Join(o.dir, layerName(c.Root), "up"))
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Lstat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return to.MkdirAll(name, info.Mode().Perm())
	case info.Mode()&fs.ModeSymlink != 0:
		return keepLink(from, to, name)
	case info.Mode().IsRegular():
		return keepFile(from, to, name, info.Mode().Perm())
	}
	return fmt.Errorf("it is neither a file, a directory nor a link (%s)", info.Mode().Type())
}

func keepLink(from, to *os.Root, name string) error {
	target, err := from.Readlink(name)
	if err != nil {
		return err
	}
	if err := to.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return to.Symlink(target, name)
}

// keepFile copies a file beside its place and then puts it there.
func keepFile(from, to *os.Root, name string, mode fs.FileMode) error {
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	beside := filepath.Join(filepath.Dir(name), ".toolfall-keep-"+filepath.Base(name))
	out, err := to.OpenFile(beside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Chmod(mode), out.Sync(), out.Close())
	if err == nil {
		err = to.Rename(beside, name)
	}
	if err != nil {
		return errors.Join(err, to.Remove(beside))
	}
	return nil
}
