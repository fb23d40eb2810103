//go:build unix

package shell

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalName returns the name of a signal, or nothing for none.
func signalName(s os.Signal) string {
	if n, ok := s.(syscall.Signal); ok {
		return unix.SignalName(n)
	}
	return ""
}
