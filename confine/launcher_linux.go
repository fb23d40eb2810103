//go:build amd64 || arm64

package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// helperName is what the program is called when it is to set up a sandbox.
const helperName = "toolfall-confine"

// Config sets up a Launcher.
type Config struct {
	// Helper is the program that sets up a sandbox: one whose main function begins with
	// [Main]. When empty it is the file toolfall-confine beside this program, which is
	// small and starts sooner, or this program itself.
	Helper string

	// Bubblewrap is the path of bwrap when that is to make the namespaces; see the
	// function [Bubblewrap]. When empty the helper makes its own.
	Bubblewrap string

	// Trial is asked once, before the first process is started under the full tier: an
	// error keeps all of them from starting. [Launcher.Probe] tells what to ask about.
	Trial func(*Launcher) error

	// Else starts what Trial keeps this launcher from starting.
	Else *Launcher
}

// A Launcher starts confined processes.
type Launcher struct {
	config Config
	trial  func() error
}

// New returns a launcher.
func New(c Config) *Launcher {
	if c.Helper == "" {
		c.Helper = beside()
	}
	l := &Launcher{config: c}
	l.trial = sync.OnceValue(func() error {
		if c.Trial == nil {
			return nil
		}
		return c.Trial(l)
	})
	return l
}

// beside returns the helper that was installed with this program, or the program.
func beside() string {
	if self, err := os.Executable(); err == nil {
		path := filepath.Join(filepath.Dir(self), helperName)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return "/proc/self/exe"
}

// setup is what the helper is told. It is read from a socket: neither the arguments
// nor the environment of the helper are for the command to see.
type setup struct {
	Policy Policy
	Path   string
	Name   string
	Args   []string
	Ready  bool // the namespaces and the mounts are there already
	Dir    string
	Env    []string
	Pins   []string // directories that cannot be renamed away
	Locks  []string // what stays as it is
	Hide   []string
}

// maxSetup is the largest setup, in bytes: one message on a socket.
const maxSetup = 128 << 10

// helper is a helper process and the socket to it.
type helper struct {
	cmd     *exec.Cmd
	control *os.File
	told    chan Ending // what the helper said of the command's end, if it did
	serving *proxy
	staged  bool // it was forked by a process of its own
}

func (l *Launcher) start(p Policy, c Command) (*Process, error) {
	if l == nil {
		return nil, fmt.Errorf("%w: nobody set it up", ErrUnavailable)
	}
	if p.Tier == Partial {
		t, err := startThread(p, c)
		if err != nil {
			return nil, err
		}
		return track(t, p.report()), nil
	}
	err := l.trial()
	switch {
	case err == nil:
		return l.startFull(p, c)
	case l.config.Else != nil:
		return l.config.Else.start(p, c)
	}
	return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// startFull starts a command whether or not the launcher has been tried.
func (l *Launcher) startFull(p Policy, c Command) (*Process, error) {
	s, held, err := prepare(p, c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	h, err := l.launch(s, c)
	if err != nil {
		held.release()
		return nil, err
	}
	return track(h, p.report(), held.release), nil
}

// launch starts the helper and waits until it has started the command.
func (l *Launcher) launch(s setup, c Command) (*helper, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	h := &helper{control: os.NewFile(uintptr(pair[0]), "control"), told: make(chan Ending, 1)}
	s.Ready = l.config.Bubblewrap != ""
	if err := l.spawn(h, s, c, theirs); err != nil {
		h.control.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := h.begin(s); err != nil {
		h.kill()
		h.cmd.Wait()
		h.control.Close()
		h.serving.close()
		return nil, err
	}
	go h.listen() // ends with the helper
	return h, nil
}

// spawn starts the process of a helper, and closes its end of the socket, so that the
// end of the helper is the end of that.
func (l *Launcher) spawn(h *helper, s setup, c Command, theirs *os.File) error {
	defer theirs.Close()
	switch {
	case s.Ready:
		self, err := os.Open(l.config.Helper)
		if err != nil {
			return err
		}
		defer self.Close()
		h.cmd, h.staged, err = l.bubblewrap(s, theirs, self)
		if err != nil {
			return err
		}
	default:
		h.cmd = &exec.Cmd{Path: l.config.Helper, Args: []string{helperName}, Env: []string{}, Dir: "/", ExtraFiles: []*os.File{theirs}, SysProcAttr: namespaces(s.Policy.Net.Mode)}
		if h.staged = large(); h.staged {
			h.cmd.Args, h.cmd.SysProcAttr = []string{forkName, forkNet(s.Policy.Net.Mode)}, apart()
		}
	}
	give(h.cmd, c)
	return h.cmd.Start()
}

// namespaces are those that the helper starts in. It keeps its user's number; all others
// are nobody's there.
func namespaces(net NetMode) *syscall.SysProcAttr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS)
	if net != NetHost {
		flags |= unix.CLONE_NEWNET
	}
	var caps []uintptr
	for c := range uintptr(unix.CAP_LAST_CAP + 1) {
		caps = append(caps, c)
	}
	uid, gid := os.Getuid(), os.Getgid()
	a := &syscall.SysProcAttr{
		Cloneflags:  flags,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		Setsid:      true,
	}
	if uid != 0 {
		a.AmbientCaps = caps // without them, its capabilities would be gone with the exec
	}
	return a
}

// beginTime is how long a helper may take to set up a sandbox: a file system that does
// not answer holds it up.
const beginTime = 30 * time.Second

// begin tells the helper what to do, and waits until it is done or has failed.
func (h *helper) begin(s setup) error {
	raw, err := json.Marshal(s)
	if err != nil || len(raw) > maxSetup {
		return fmt.Errorf("%w: the policy and the command are longer than %d bytes", ErrUnavailable, maxSetup)
	}
	if err := unix.Sendmsg(int(h.control.Fd()), raw, nil, nil, 0); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	late := time.AfterFunc(beginTime, h.kill) // which ends the socket, too
	defer late.Stop()
	for {
		m, fd, err := receive(h.control)
		switch {
		case err != nil:
			return fmt.Errorf("%w: the helper ended at once", ErrUnavailable)
		case m.Failed != "" && m.Command:
			return fmt.Errorf("start the command: %s", m.Failed)
		case m.Failed != "":
			return fmt.Errorf("%w: %s", ErrUnavailable, m.Failed)
		case fd >= 0:
			if h.serving, err = serve(fd, s.Policy.Net); err != nil {
				return fmt.Errorf("%w: %w", ErrUnavailable, err)
			}
		case m.Started:
			return nil
		}
	}
}

// message is what the helper says.
type message struct {
	Started bool   // the command runs
	Failed  string // why it does not
	Command bool   // the failure is the command's own
	Ended   *ended
}

// ended is how the command ended.
type ended struct {
	Exit, Signal, Strays int
}

func receive(control *os.File) (m message, fd int, err error) {
	buffer, oob := make([]byte, 8<<10), make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := unix.Recvmsg(int(control.Fd()), buffer, oob, unix.MSG_CMSG_CLOEXEC)
	for err == unix.EINTR {
		n, oobn, _, _, err = unix.Recvmsg(int(control.Fd()), buffer, oob, unix.MSG_CMSG_CLOEXEC)
	}
	if err != nil || n == 0 {
		return m, -1, errors.Join(err, os.ErrClosed)
	}
	fd = -1
	if parts, err := unix.ParseSocketControlMessage(oob[:oobn]); err == nil && len(parts) > 0 {
		if fds, err := unix.ParseUnixRights(&parts[0]); err == nil && len(fds) > 0 {
			fd = fds[0]
		}
	}
	return m, fd, json.Unmarshal(buffer[:n], &m)
}

// listen waits for what the helper says of the command's end.
func (h *helper) listen() {
	defer close(h.told)
	for {
		m, _, err := receive(h.control)
		if err != nil {
			return
		}
		if m.Ended != nil {
			e := Ending{Exit: m.Ended.Exit, Strays: m.Ended.Strays}
			if m.Ended.Signal != 0 {
				e.Exit, e.Signal = -1, syscall.Signal(m.Ended.Signal)
			}
			h.told <- e
			return // the socket may be closed from now on
		}
	}
}

func (h *helper) wait() Ending {
	h.cmd.Wait() // when it has ended, the kernel has ended all of the namespace
	e, ok := <-h.told
	if !ok {
		e = endingOf(h.cmd.ProcessState) // killed
	}
	h.control.Close()
	h.serving.close()
	return e
}

func (h *helper) signal(s os.Signal) { h.cmd.Process.Signal(s) }

// kill ends the helper, and with it the namespace. A helper that somebody else has
// forked is told to end itself, so that the other one sees it end.
func (h *helper) kill() {
	if !h.staged {
		h.cmd.Process.Kill()
		return
	}
	unix.Shutdown(int(h.control.Fd()), unix.SHUT_RDWR)
	time.AfterFunc(killTime, func() { h.cmd.Process.Kill() })
}

// killTime is how long a helper may take to end itself.
const killTime = 2 * time.Second

func (h *helper) sweep() int { return 0 }
