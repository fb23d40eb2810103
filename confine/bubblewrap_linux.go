//go:build amd64 || arm64

package confine

import (
	"errors"
	"os"
	"os/exec"
	"slices"
)

// Some systems let no ordinary program make a user namespace, but do let bubblewrap.
// There bwrap makes the namespaces and the mounts, and starts the helper in them, which
// has no capability then and needs none for what is left: Landlock, limits, and the
// filter of system calls.

// Bubblewrap returns the path of bwrap where systems keep it, or nothing. It is not
// looked for elsewhere: what is found on PATH may be anybody's.
func Bubblewrap() string {
	for _, path := range []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// innerHelper is the helper as bwrap starts it: by the descriptor that it inherits, as
// the path of the program may not be there inside.
const innerHelper = "/proc/self/fd/4"

// wrapped reports whether this process is the helper, started by bwrap.
func wrapped(args []string) bool {
	return len(args) == 2 && args[0] == innerHelper && args[1] == helperName
}

// bubblewrap is the command that starts the helper under bwrap, with its end of the
// control socket. It is staged: the helper is bwrap's child.
func (l *Launcher) bubblewrap(s setup, theirs, self *os.File) (cmd *exec.Cmd, staged bool, err error) {
	if s.Policy.Overlay != "" {
		return nil, false, errors.New("an overlay is not to be had with bubblewrap")
	}
	args := append([]string{"bwrap"}, s.wrapping()...)
	return &exec.Cmd{
		Path: l.config.Bubblewrap, Args: append(args, "--", innerHelper, helperName), Env: []string{}, Dir: "/",
		ExtraFiles: []*os.File{theirs, self}, SysProcAttr: apart(),
	}, true, nil
}

// wrapping says in the words of bwrap what [inside.mounts] and [namespaces] do.
func (s setup) wrapping() []string {
	args := []string{"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"}
	if s.Policy.Net.Mode != NetHost {
		args = append(args, "--unshare-net", "--hostname", "sandbox")
	}
	args = append(args, "--cap-drop", "ALL", "--new-session", "--die-with-parent", "--as-pid-1",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", Tmp, "--dir", Home)
	bind := func(how, from, to string) { args = append(args, how, from, to) }
	if s.Policy.Home != "" {
		bind("--bind", s.Policy.Home, Home)
	}
	for _, dir := range slices.Sorted(slices.Values(s.Policy.Write)) { // the outer ones first
		bind("--bind", dir, dir)
	}
	for _, path := range s.Pins {
		bind("--bind", path, path)
	}
	for _, path := range s.Locks {
		bind("--ro-bind", path, path)
	}
	for _, path := range s.Hide {
		switch info, err := os.Stat(path); {
		case err != nil:
		case info.IsDir():
			args = append(args, "--tmpfs", path, "--remount-ro", path)
		default:
			bind("--ro-bind", os.DevNull, path)
		}
	}
	return args
}
