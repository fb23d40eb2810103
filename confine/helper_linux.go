//go:build amd64 || arm64

package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Main sets up a sandbox if this process was started to do that, and then does not
// return. Otherwise it returns at once.
//
// It ends without what the Go runtime does then, for which the race detector takes a
// second.
func Main() {
	if len(os.Args) == 2 && os.Args[0] == probeName {
		attempt(os.Args[1])
		unix.Exit(0)
	}
	if len(os.Args) > 3 && os.Args[0] == limitName {
		unix.Exit(limit(os.Args[1], os.Args[2], os.Args[3:]))
	}
	if len(os.Args) == 2 && os.Args[0] == forkName {
		unix.Exit(fork(os.Args[1]))
	}
	if len(os.Args) == 0 || os.Args[0] != helperName && !wrapped(os.Args) {
		return
	}
	runtime.LockOSThread() // what is restricted is this thread, and what it starts
	h := &inside{control: 3}
	err := h.run() // it returns when the command could not be started
	var own commandError
	h.say(message{Failed: err.Error(), Command: errors.As(err, &own)})
	unix.Exit(126)
}

// commandError is a failure of the command, not of the sandbox.
type commandError struct{ error }

// inside is the helper: the first process of the new namespaces.
type inside struct {
	setup
	control int
	child   *os.Process
}

func (h *inside) run() error {
	if err := h.hear(); err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"mounts", h.mounts}, {"directory", h.enter}, {"network", h.network}, {"limits", h.limits}, {"descriptors", h.descriptors},
		{"files", h.landlock}, {"capabilities", h.capabilities}, {"memory", withdraw}, {"system calls", func() error { return restrictCalls(true) }},
	} {
		if h.Ready && step.name == "mounts" {
			continue
		}
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return h.command()
}

// hear reads what to do.
func (h *inside) hear() error {
	buffer := make([]byte, maxSetup+1)
	n, _, err := unix.Recvfrom(h.control, buffer, 0)
	if err != nil {
		return err
	}
	unix.CloseOnExec(h.control)
	return json.Unmarshal(buffer[:n], &h.setup)
}

func (h *inside) say(m message) {
	if raw, err := json.Marshal(m); err == nil {
		unix.Sendmsg(h.control, raw, nil, nil, 0)
	}
}

func (h *inside) enter() error { return os.Chdir(h.Dir) }

// network brings up the loopback of the namespace, and hands out a socket that listens
// there: what connects to it inside is answered outside.
func (h *inside) network() error {
	if h.Policy.Net.Mode == NetHost {
		return nil
	}
	if !h.Ready {
		unix.Sethostname([]byte("sandbox")) // a courtesy
		if err := loopback(); err != nil {
			return err
		}
	}
	if h.Policy.Net.Mode != NetProxy {
		return nil
	}
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	if err := unix.Bind(s, &unix.SockaddrInet4{Port: proxyPort, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := unix.Listen(s, 64); err != nil {
		return err
	}
	return unix.Sendmsg(h.control, []byte("{}"), unix.UnixRights(s), nil, 0)
}

func loopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo)
}

func (h *inside) limits() error {
	l := h.Policy.Limits
	for _, limit := range []struct {
		what  int
		value uint64
	}{{unix.RLIMIT_CPU, l.CPU}, {unix.RLIMIT_FSIZE, l.FileSize}, {unix.RLIMIT_NOFILE, l.OpenFiles}, {unix.RLIMIT_NPROC, l.Processes}} {
		if limit.value == 0 {
			continue
		}
		if err := unix.Setrlimit(limit.what, &unix.Rlimit{Cur: limit.value, Max: limit.value}); err != nil {
			return err
		}
	}
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

// descriptors keeps all but the three streams from the command.
func (h *inside) descriptors() error {
	return unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
}

// withdraw makes this process opaque to the command. It has the same user, and its
// other threads still have capabilities: through /proc/1/mem they would be the
// command's, and through /proc/1/fd what was inherited. A new program is not opaque.
func withdraw() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// command starts the command, and stays as the process that all others of the
// namespace are left to.
func (h *inside) command() error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	attr := &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Env: h.Env, Sys: &syscall.SysProcAttr{Setsid: true}}
	path, args := h.Path, append([]string{h.Name}, h.Args...)
	if limit := h.Policy.Limits.Memory; limit > 0 {
		path, args = "/proc/self/exe", limited(limit, h.Path, args)
		if err := unix.Access(h.Path, unix.X_OK); err != nil {
			return commandError{err}
		}
	}
	child, err := os.StartProcess(path, args, attr)
	if err != nil {
		var at *os.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return commandError{err}
	}
	h.child = child
	h.say(message{Started: true})
	go h.forward(signals)
	go h.watch()
	h.reap()
	return nil
}

// forward passes signals on to the command and its group.
func (h *inside) forward(signals <-chan os.Signal) {
	for s := range signals {
		if n, ok := s.(syscall.Signal); ok {
			syscall.Kill(-h.child.Pid, n)
		}
	}
}

// watch ends everything when the program outside is gone: the socket then closes.
func (h *inside) watch() {
	var one [1]byte
	for {
		n, _, err := unix.Recvfrom(h.control, one[:], 0)
		if err == unix.EINTR {
			continue
		}
		if n == 0 || err != nil {
			unix.Exit(killedStatus)
		}
	}
}

// reap waits for the command, and buries whoever else dies here.
func (h *inside) reap() {
	for {
		var w syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &w, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			unix.Exit(126)
		case pid == h.child.Pid:
			e := &ended{Strays: strays()}
			if w.Signaled() {
				e.Signal = int(w.Signal())
			} else {
				e.Exit = w.ExitStatus()
			}
			h.say(message{Ended: e})
			unix.Exit(0) // which ends all others
		}
	}
}

// strays counts the other processes of the namespace.
func strays() (n int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != 1 {
			if _, alive := sessionOf(pid); alive {
				n++
			}
		}
	}
	return n
}
