package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockByte locks one byte of a file, for as long as the file stays open. ok is false
// when another holds it.
func lockByte(f *os.File, at int64) (ok bool, err error) {
	where := windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &where)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
