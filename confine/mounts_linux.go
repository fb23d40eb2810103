//go:build amd64 || arm64

package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// devices are those that a command finds.
var devices = []string{"null", "zero", "full", "random", "urandom", "tty"}

// mounts makes the file system read-only but for the directories of the policy, with
// private devices, processes and temporary files.
func (h *inside) mounts() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	write := slices.Clone(h.Policy.Write)
	slices.Sort(write) // the outer ones first
	var trees []int
	for _, dir := range write {
		fd, err := cloneTree(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		trees = append(trees, fd)
	}
	over, err := optionalTree(h.Policy.Overlay)
	if err != nil {
		return err
	}
	home, err := optionalTree(h.Policy.Home)
	if err != nil {
		return err
	}
	dev := make(map[string]int)
	for _, name := range devices {
		if fd, err := cloneTree("/dev/" + name); err == nil {
			dev[name] = fd
		}
	}
	if err := setattr("/", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return h.devices(dev) },
		temporary,
		func() error { return settle(home) },
		func() error { return h.writable(write, trees) },
		func() error { return h.overlay(over) },
		h.lock, h.hide, processes,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// cloneTree takes a copy of a mount tree that outlives what happens to the original.
func cloneTree(path string) (int, error) {
	return unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
}

// optionalTree is that of a directory, or -1 for none.
func optionalTree(path string) (int, error) {
	if path == "" {
		return -1, nil
	}
	fd, err := cloneTree(path)
	if err != nil {
		return -1, fmt.Errorf("%s: %w", path, err)
	}
	return fd, nil
}

// settle puts a home directory in its place.
func settle(home int) error {
	if home < 0 {
		return nil
	}
	if err := move(home, Home); err != nil {
		return fmt.Errorf("home: %w", err)
	}
	return nil
}

func setattr(path string, set uint64) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: set})
}

func move(fd int, to string) error {
	defer unix.Close(fd)
	return unix.MoveMount(fd, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// onto mounts a path on itself, so that it is a mount of its own.
func onto(path string) error { return unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, "") }

func (h *inside) devices(dev map[string]int) error {
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=755,size=64k"); err != nil {
		return err
	}
	for name, fd := range dev {
		path := "/dev/" + name
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			return err
		}
		if err := move(fd, path); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(to, "/dev/"+name); err != nil {
			return err
		}
	}
	for _, dir := range []string{"/dev/shm", "/dev/pts"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=1777,size=64m"); err != nil {
		return err
	}
	unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620") // without it there are no pseudo-terminals
	return unix.Mount("", "/dev", "", unix.MS_REMOUNT|unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NOEXEC, "mode=755,size=64k")
}

func temporary() error {
	if err := unix.Mount("tmpfs", Tmp, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777,size=1g"); err != nil {
		return err
	}
	return os.MkdirAll(Home, 0o700)
}

func (h *inside) writable(dirs []string, trees []int) error {
	for i, dir := range dirs {
		if _, err := os.Stat(dir); err != nil {
			if err := os.MkdirAll(dir, 0o755); err != nil { // below /tmp, which is new
				return err
			}
		}
		if err := move(trees[i], dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// lock makes parts of what is writable read-only, and keeps the directories on the way
// to them from being renamed away.
func (h *inside) lock() error {
	for _, path := range h.Pins {
		if err := onto(path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, path := range h.Locks {
		if err := onto(path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := setattr(path, unix.MOUNT_ATTR_RDONLY); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// hide empties what must not be read.
func (h *inside) hide() error {
	for _, path := range h.Hide {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			continue // hidden with something above it, or not there
		case info.IsDir():
			err = unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY, "mode=555,size=4k")
		default:
			err = unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// processes shows those of the namespace alone, and keeps the kernel's settings from
// whoever is root: there only the number of the user counts.
func processes() error {
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0) // the filter of system calls refuses them too
	for _, name := range []string{"sys", "sysrq-trigger", "irq", "bus", "fs"} {
		path := filepath.Join("/proc", name)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if err := onto(path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := setattr(path, unix.MOUNT_ATTR_RDONLY); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}
