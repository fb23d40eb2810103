//go:build linux

package confine

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// isWhiteout reports whether an entry stands for one that was deleted: a character
// device without a number (Documentation/filesystems/overlayfs.rst).
func isWhiteout(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode()&fs.ModeCharDevice != 0 && s.Rdev == 0
}

// isOpaque reports whether nothing of the directory below shows through.
func isOpaque(path string) bool {
	var value [1]byte
	n, err := unix.Lgetxattr(path, "user.overlay.opaque", value[:])
	return err == nil && n == 1 && value[0] == 'y'
}
