//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock can be told to handle, by its ABI (Documentation/userspace-api/landlock.rst).
const (
	readRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	deviceRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	fileRights   = readRights&^unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	scopes       = 3 // abstract sockets and signals
)

// ruleset is what landlock_create_ruleset takes.
type ruleset struct{ fs, net, scoped uint64 }

// ruleset returns all that the kernel can handle, or an error when it has no Landlock.
func handled() (r ruleset, abi int, err error) {
	n, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return r, 0, fmt.Errorf("the kernel has no Landlock: %w", errno)
	}
	abi = int(n)
	r.fs = 1<<13 - 1
	if abi >= 2 {
		r.fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		r.fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 5 {
		r.fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		r.scoped = scopes
	}
	return r, abi, nil
}

func (r ruleset) open() (int, error) {
	fd, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&r)), unsafe.Sizeof(r), 0)
	if errno != 0 {
		return -1, fmt.Errorf("landlock: %w", errno)
	}
	return int(fd), nil
}

// allow grants rights below a path, or of a file.
func (r ruleset) allow(set int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("landlock %s: %w", path, err)
	}
	defer unix.Close(fd)
	var rule struct {
		rights uint64
		fd     int32
	}
	rule.rights, rule.fd = rights&r.fs, int32(fd)
	_, _, errno := syscall.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock %s: %w", path, errno)
	}
	return nil
}

// confineFiles restricts the calling thread, and what it starts, to reading, and to
// writing in some directories.
func confineFiles(write []string) error {
	r, _, err := handled()
	if err != nil {
		return err
	}
	set, err := r.open()
	if err != nil {
		return err
	}
	defer unix.Close(set)
	err = r.allow(set, "/", readRights)
	for _, dir := range write {
		err = errors.Join(err, r.allow(set, dir, r.fs))
	}
	for _, name := range append([]string{"ptmx"}, devices...) {
		if _, missing := os.Stat("/dev/" + name); missing == nil {
			err = errors.Join(err, r.allow(set, "/dev/"+name, deviceRights))
		}
	}
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := syscall.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(set), 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

func (h *inside) landlock() error {
	write := append([]string{Tmp, "/dev/shm"}, h.Policy.Write...)
	if _, err := os.Stat("/dev/pts/ptmx"); err == nil {
		write = append(write, "/dev/pts")
	}
	return confineFiles(write)
}
