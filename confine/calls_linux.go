//go:build amd64 || arm64

package confine

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// capabilities drops all of them, and the means to get any.
func (h *inside) capabilities() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0)
		if err != nil || has == 0 { // the kernel does not know it, or it is gone already
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// forbidden are the system calls that no command needs and that could undo a sandbox,
// or reach what it does not cover.
var forbidden = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSMOUNT,
	unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
}

// newNamespaces are the flags of clone that make namespaces.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Instructions and answers of a filter (linux/filter.h, linux/seccomp.h).
const (
	load, equal, atLeast, anyBit, answer = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ, unix.BPF_JMP | unix.BPF_JGE, unix.BPF_JMP | unix.BPF_JSET, unix.BPF_RET

	callAllowed = 0x7fff0000
	callKills   = 0x80000000
	callFails   = 0x00050000 // and an error number

	atNumber, atArch, atFirst, atSecond = 0, 4, 16, 24 // of struct seccomp_data
)

// noFamily is what no socket is of.
const noFamily = 1<<32 - 1

func op(code uint16, yes, no uint8, k uint32) unix.SockFilter {
	return unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k}
}

// filter is the program that the kernel runs for every system call. A call by the
// numbers of another architecture would pass under another name: it kills.
// Without internet there are no sockets at all.
func filter(internet bool) []unix.SockFilter {
	const eperm, enosys = callFails | uint32(unix.EPERM), callFails | uint32(unix.ENOSYS)
	family, family6 := uint32(unix.AF_INET), uint32(unix.AF_INET6)
	if !internet {
		family, family6 = noFamily, noFamily
	}
	f := []unix.SockFilter{
		op(load, 0, 0, atArch), op(equal, 1, 0, nativeArch), op(answer, 0, 0, callKills),
		op(load, 0, 0, atNumber), op(atLeast, 0, 1, 0x40000000), op(answer, 0, 0, callKills), // x32
		op(equal, 0, 1, unix.SYS_CLONE3), op(answer, 0, 0, enosys), // its flags are out of sight: libraries go on with clone
	}
	for _, number := range forbidden {
		f = append(f, op(equal, 0, 1, number), op(answer, 0, 0, eperm))
	}
	f = append(f, // clone, unless it makes namespaces
		op(equal, 0, 4, unix.SYS_CLONE), op(load, 0, 0, atFirst), op(anyBit, 0, 1, newNamespaces), op(answer, 0, 0, eperm), op(answer, 0, 0, callAllowed))
	f = append(f, // sockets of the internet alone, and of no raw kind
		op(equal, 0, 9, unix.SYS_SOCKET), op(load, 0, 0, atFirst),
		op(equal, 2, 0, family), op(equal, 1, 0, family6), op(answer, 0, 0, eperm),
		op(load, 0, 0, atSecond), op(unix.BPF_ALU|unix.BPF_AND, 0, 0, 0xf), op(equal, 0, 1, unix.SOCK_RAW), op(answer, 0, 0, eperm), op(answer, 0, 0, callAllowed))
	f = append(f, // a pair of sockets, unless one of them could send to another address: only datagrams can
		op(equal, 0, 6, unix.SYS_SOCKETPAIR), op(load, 0, 0, atSecond), op(unix.BPF_ALU|unix.BPF_AND, 0, 0, 0xf),
		op(equal, 2, 0, unix.SOCK_STREAM), op(equal, 1, 0, unix.SOCK_SEQPACKET), op(answer, 0, 0, eperm), op(answer, 0, 0, callAllowed))
	f = append(f, // typing into a terminal for somebody else
		op(equal, 0, 5, unix.SYS_IOCTL), op(load, 0, 0, atSecond), op(equal, 1, 0, unix.TIOCSTI), op(equal, 0, 1, unix.TIOCLINUX), op(answer, 0, 0, eperm), op(answer, 0, 0, callAllowed))
	return append(f, op(answer, 0, 0, callAllowed))
}

// restrictCalls puts the filter on the calling thread and what it starts.
func restrictCalls(internet bool) error {
	f := filter(internet)
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := syscall.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
