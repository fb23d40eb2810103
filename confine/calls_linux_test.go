//go:build amd64 || arm64

package confine

import (
	"testing"

	"golang.org/x/sys/unix"
)

// call is what the kernel shows to a filter.
type call struct{ number, arch, first, second uint32 }

// judge runs a filter as the kernel would.
func judge(t *testing.T, f []unix.SockFilter, c call) uint32 {
	t.Helper()
	words := map[uint32]uint32{atNumber: c.number, atArch: c.arch, atFirst: c.first, atSecond: c.second}
	var a uint32
	for at := 0; at < len(f); at++ {
		in := f[at]
		jump := false
		switch in.Code {
		case load:
			a = words[in.K]
			continue
		case unix.BPF_ALU | unix.BPF_AND:
			a &= in.K
			continue
		case answer:
			return in.K
		case equal:
			jump = a == in.K
		case atLeast:
			jump = a >= in.K
		case anyBit:
			jump = a&in.K != 0
		default:
			t.Fatalf("instruction %d: code %#x", at, in.Code)
		}
		if jump {
			at += int(in.Jt)
		} else {
			at += int(in.Jf)
		}
	}
	t.Fatal("the filter has no end")
	return 0
}

// X14, X10, X13, X15, X17: what the filter says of a call. A kernel without 32-bit
// programs cannot be asked, so the filter is run here.
func TestFilter(t *testing.T) {
	const fails, gone = callFails | uint32(unix.EPERM), callFails | uint32(unix.ENOSYS)
	for _, c := range []struct {
		row      string
		call     call
		internet bool
		want     uint32
	}{
		{"X14 i386", call{number: 359, arch: unix.AUDIT_ARCH_I386}, true, callKills},
		{"X14 arm", call{number: 281, arch: unix.AUDIT_ARCH_ARM}, true, callKills},
		{"X14 x32", call{number: 0x40000000 | 41, arch: nativeArch}, true, callKills},
		{"X10 unix", call{unix.SYS_SOCKET, nativeArch, unix.AF_UNIX, unix.SOCK_STREAM}, true, fails},
		{"X10 netlink", call{unix.SYS_SOCKET, nativeArch, unix.AF_NETLINK, unix.SOCK_DGRAM}, true, fails},
		{"X10 vsock", call{unix.SYS_SOCKET, nativeArch, unix.AF_VSOCK, unix.SOCK_STREAM}, true, fails},
		{"X10 pair of datagrams", call{unix.SYS_SOCKETPAIR, nativeArch, unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, true, fails},
		{"X10 raw pair", call{unix.SYS_SOCKETPAIR, nativeArch, unix.AF_UNIX, unix.SOCK_RAW}, true, fails},
		{"pair of streams", call{unix.SYS_SOCKETPAIR, nativeArch, unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_NONBLOCK}, true, callAllowed},
		{"pair of packets", call{unix.SYS_SOCKETPAIR, nativeArch, unix.AF_UNIX, unix.SOCK_SEQPACKET}, true, callAllowed},
		{"internet", call{unix.SYS_SOCKET, nativeArch, unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, true, callAllowed},
		{"internet 6", call{unix.SYS_SOCKET, nativeArch, unix.AF_INET6, unix.SOCK_DGRAM}, true, callAllowed},
		{"no internet", call{unix.SYS_SOCKET, nativeArch, unix.AF_INET, unix.SOCK_STREAM}, false, fails},
		{"X9 raw", call{unix.SYS_SOCKET, nativeArch, unix.AF_INET, unix.SOCK_RAW | unix.SOCK_CLOEXEC}, true, fails},
		{"X13 clone", call{unix.SYS_CLONE, nativeArch, unix.CLONE_NEWUSER | uint32(unix.SIGCHLD), 0}, true, fails},
		{"clone", call{unix.SYS_CLONE, nativeArch, uint32(unix.SIGCHLD), 0}, true, callAllowed},
		{"X13 clone3", call{unix.SYS_CLONE3, nativeArch, 0, 0}, true, gone},
		{"X13 unshare", call{unix.SYS_UNSHARE, nativeArch, unix.CLONE_NEWNS, 0}, true, fails},
		{"X11 mount", call{unix.SYS_MOUNT, nativeArch, 0, 0}, true, fails},
		{"X15", call{unix.SYS_IO_URING_SETUP, nativeArch, 0, 0}, true, fails},
		{"X17", call{unix.SYS_IOCTL, nativeArch, 0, unix.TIOCSTI}, true, fails},
		{"X17 console", call{unix.SYS_IOCTL, nativeArch, 0, unix.TIOCLINUX}, true, fails},
		{"ioctl", call{unix.SYS_IOCTL, nativeArch, 0, unix.TIOCGWINSZ}, true, callAllowed},
		{"read", call{unix.SYS_READ, nativeArch, 0, 0}, true, callAllowed},
	} {
		t.Run(c.row, func(t *testing.T) {
			if got := judge(t, filter(c.internet), c.call); got != c.want {
				t.Errorf("%+v: %#x, want %#x", c.call, got, c.want)
			}
		})
	}
}
