package cli

import "golang.org/x/sys/unix"

// flush drops what was typed before.
func flush(fd int) { unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
