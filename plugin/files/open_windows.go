package files

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	nonBlocking   = 0 // there is no file in a directory whose opening waits
	directoryOnly = 0
)

// links returns how many names the open file has.
func links(f *os.File, _ fs.FileInfo) uint64 {
	var d syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &d); err != nil {
		return 1
	}
	return uint64(d.NumberOfLinks)
}

// keepOwner does nothing: a new file inherits what its directory says.
func keepOwner(*os.File, fs.FileInfo) bool { return true }

// syncDir does nothing: a directory cannot be synced here.
func syncDir(*os.Root) error { return nil }
