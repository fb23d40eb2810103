//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	nonBlocking   = syscall.O_NONBLOCK // opening a FIFO must not wait for its other end
	directoryOnly = syscall.O_DIRECTORY | syscall.O_NONBLOCK
)

// links returns how many names the open file has.
func links(_ *os.File, info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// keepOwner gives f the owner of the file that it is to replace, and reports
// whether it has it now.
func keepOwner(f *os.File, old fs.FileInfo) bool {
	s, ok := old.Sys().(*syscall.Stat_t)
	return ok && f.Chown(int(s.Uid), int(s.Gid)) == nil
}

// syncDir makes the names in a directory durable.
func syncDir(d *os.Root) error {
	f, err := d.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
