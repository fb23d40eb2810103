//go:build !unix && !windows

package files

import (
	"io/fs"
	"os"
)

const (
	nonBlocking   = 0
	directoryOnly = 0
)

// links cannot be told here: such a system has no hard links.
func links(*os.File, fs.FileInfo) uint64 { return 1 }

// keepOwner does nothing: such a system has no owners to keep.
func keepOwner(*os.File, fs.FileInfo) bool { return true }

// syncDir does nothing: a directory cannot be synced here.
func syncDir(*os.Root) error { return nil }
