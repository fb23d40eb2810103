//go:build amd64 || arm64

package confine

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A limit on the address space has to be there when the command starts, and cannot be
// the helper's, which as a Go program reserves a lot. So there is one program between
// them, which takes the limit and then becomes the command.

// limitName is what the program is called when it is to do that.
const limitName = "toolfall-limit"

// limited are the arguments for it.
func limited(bytes uint64, path string, args []string) []string {
	return append([]string{limitName, strconv.FormatUint(bytes, 10), path}, args...)
}

// limit becomes the command. It returns, with what a shell would, if it cannot.
func limit(bytes, path string, args []string) (status int) {
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil || unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: n, Max: n}) != nil {
		return 126
	}
	syscall.Exec(path, args, os.Environ()) // returns when it failed
	return 127
}
