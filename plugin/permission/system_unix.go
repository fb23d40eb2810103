//go:build unix

package permission

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// identity tells a directory from another one of the same name.
func identity(dir string) string {
	info, err := os.Stat(dir)
	if err != nil {
		return dir + " is not there"
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%s %d:%d", dir, s.Dev, s.Ino)
	}
	return dir
}

// lock waits for a file that says who may write.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
