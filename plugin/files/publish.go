package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
)

// draft is a file on its way to take the place of another, or of none. It is
// complete and on disk before anybody can see it under its name.
type draft struct {
	place place
	dir   *os.Root    // the directory, held open: it may be renamed, not exchanged
	temp  string      // the name of the draft in it
	old   fs.FileInfo // of the file it replaces, from an opened handle; nil for a new file
}

// publish makes data the content of p. When it fails, what was at p before is
// still there, unharmed, and nothing new is. With old it replaces that very file;
// without, it fails if there is a file by then.
func (p place) publish(ctx context.Context, data []byte, old fs.FileInfo) error {
	dir, err := p.in.OpenRoot(path.Dir(p.name))
	if err != nil {
		return p.explain(err)
	}
	defer dir.Close()
	d := &draft{place: p, dir: dir, temp: ".toolfall-" + rand.Text() + ".tmp", old: old}
	if err := d.write(data); err != nil {
		return p.explainWrite(err)
	}
	if err = ctx.Err(); err == nil { // the last moment at which cancelling changes nothing
		err = d.rename()
	}
	if err != nil {
		dir.Remove(d.temp)
		return p.explainWrite(err)
	}
	if err := syncDir(dir); err != nil {
		return fmt.Errorf("%s is written, but may be lost if the machine stops now: %w", p, reason(err))
	}
	return nil
}

// write makes the draft, or leaves nothing.
func (d *draft) write(data []byte) error {
	f, err := d.dir.OpenFile(d.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, d.mode())
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && d.old != nil {
		err = f.Chmod(d.keep(f))
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		d.dir.Remove(d.temp)
	}
	return err
}

// mode is what the draft is created with. One that is to get the mode of another
// file is nobody else's to read until it has.
func (d *draft) mode() fs.FileMode {
	if d.old != nil {
		return 0o600
	}
	return 0o644
}

// keep gives f the owner of the old file and returns the mode it is to have. A
// file that cannot have the same owner must not run as another one.
func (d *draft) keep(f *os.File) fs.FileMode {
	mode := d.old.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	if !keepOwner(f, d.old) {
		mode &= fs.ModePerm
	}
	return mode
}

// rename puts the draft in its place, if that is still as it was.
func (d *draft) rename() error {
	name := path.Base(d.place.name)
	if d.old == nil {
		return d.create(name)
	}
	now, err := d.dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return d.place.changed()
	}
	if err != nil {
		return err
	}
	if !os.SameFile(now, d.old) || now.Size() != d.old.Size() || !now.ModTime().Equal(d.old.ModTime()) {
		return d.place.changed()
	}
	return d.dir.Rename(d.temp, name)
}

// create gives the draft its name without taking the name from a file that came
// in the meantime: a link fails where a rename would replace. On a file system
// without links there is a moment left between the look and the rename.
func (d *draft) create(name string) error {
	err := d.dir.Link(d.temp, name)
	if err == nil {
		return d.dir.Remove(d.temp)
	}
	if errors.Is(err, fs.ErrExist) {
		return d.place.appeared()
	}
	if _, err := d.dir.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return d.place.appeared()
	}
	return d.dir.Rename(d.temp, name)
}

// explainWrite is explain, for an error after which the old file is unharmed.
func (p place) explainWrite(err error) error {
	var coded interface{ Code() string }
	switch {
	case errors.As(err, &coded), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%s was not written: the disk is full; what was there before is unchanged", p)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s was not written: the file system is read-only", p)
	}
	return p.explain(err)
}

// makeParents makes the directories above p that are missing. undo takes them
// out again, as far as they are empty.
func (p place) makeParents() (undo func(), err error) {
	var made []string
	undo = func() {
		for _, dir := range made {
			p.in.Remove(dir)
		}
	}
	for dir := range ancestors(p.name) {
		err := p.in.Mkdir(dir, 0o755)
		if err == nil {
			made = append([]string{dir}, made...) // the deepest first, for undo
			continue
		}
		if info, statErr := p.in.Stat(dir); statErr == nil && info.IsDir() {
			continue
		}
		undo()
		if errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s cannot be made: %s is not a directory", p, place{p.in, dir})
		}
		return nil, p.explainWrite(err)
	}
	return undo, nil
}

// ancestors yields the directories above a name, the outermost first.
func ancestors(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range name {
			if name[i] == '/' && !yield(name[:i]) {
				return
			}
		}
	}
}
