//go:build linux || darwin

package journal

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockByte locks one byte of a file, for as long as the file stays open (a lock of the
// open file description). ok is false when another holds it.
func lockByte(f *os.File, at int64) (ok bool, err error) {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: at, Len: 1}
	for {
		err = unix.FcntlFlock(f.Fd(), setLock, &lock)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
			return false, nil
		}
		return err == nil, err
	}
}
