package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// open opens the regular file at p, with a flag of os.OpenFile that creates
// nothing. What p is, is looked at first, since opening a device can have
// effects of its own.
func (t *tools) open(p place, flag int) (*os.File, fs.FileInfo, error) {
	info, err := p.in.Stat(p.name)
	if err != nil {
		return nil, nil, p.explain(err)
	}
	if err := p.mustBeFile(info.Mode()); err != nil {
		return nil, nil, err
	}
	return t.openChecked(p, flag)
}

// openChecked opens p without waiting, whatever p has become since it was looked
// at, and checks the handle, which can no longer be exchanged.
func (t *tools) openChecked(p place, flag int) (*os.File, fs.FileInfo, error) {
	f, err := p.in.OpenFile(p.name, flag|nonBlocking, 0)
	if err != nil {
		return nil, nil, p.explain(err)
	}
	info, err := t.check(p, f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// check refuses a handle that is not a regular file with one name.
func (t *tools) check(p place, f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, p.explain(err)
	}
	if err := p.mustBeFile(info.Mode()); err != nil {
		return nil, err
	}
	if n := links(f, info); n > 1 && !t.AllowHardLinks {
		return nil, fmt.Errorf("%s has %d names (hard links), and may be a file from outside the allowed directory: refused", p, n)
	}
	return info, nil
}

// mustBeFile refuses what is not a regular file, by name.
func (p place) mustBeFile(m fs.FileMode) error {
	switch {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return fmt.Errorf("%s is a directory, not a file; list_dir lists it", p)
	}
	return fmt.Errorf("%s is a %s, not a regular file: refused", p, kind(m))
}

// kind names the type of a file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "file"
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "named pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// openDir opens the directory at p.
func (p place) openDir() (*os.File, error) {
	info, err := p.in.Stat(p.name)
	if err != nil {
		return nil, p.explain(err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is a %s, not a directory", p, kind(info.Mode()))
	}
	d, err := p.in.OpenFile(p.name, os.O_RDONLY|directoryOnly, 0)
	return d, p.explain(err)
}

// interruptible is a reader that fails when its context has ended.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (r interruptible) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// content reads a file whole that may be changed, and so must be short.
func (t *tools) content(ctx context.Context, p place, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(interruptible{ctx, r}, t.MaxFile+1))
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil, err
	case err != nil:
		return nil, p.explain(err)
	case int64(len(data)) > t.MaxFile:
		return nil, fmt.Errorf("%s is larger than %s, the most that can be edited", p, size(t.MaxFile))
	}
	return data, nil
}
