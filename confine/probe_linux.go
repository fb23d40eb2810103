//go:build amd64 || arm64

package confine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probeName is what the program is called when it is to try what it can from inside.
const probeName = "toolfall-probe"

// scene is what an attacker inside is told about the outside.
type scene struct {
	Work, Outside  string // directories
	Secret         string // a hidden file
	TCP, UDP       string // addresses of the host that listen
	Unix, Abstract string // sockets of the host
	Datagram       string // one that takes datagrams
	Parent         int    // a process of the host
}

// maxReport is the longest report of a probe, in bytes.
const maxReport = 64 << 10

// Probe tries from inside a sandbox what an attacker would, and reports what got
// through. It makes what is attacked below a temporary directory.
func (l *Launcher) Probe() Matrix {
	m, err := l.probe()
	if err != nil {
		return Matrix{Tier: None, Reason: err.Error()}
	}
	m.Tier = Full
	for _, a := range m.Attempts {
		if !a.Blocked {
			m.Tier, m.Reason = Partial, "not blocked: "+a.Name
			break
		}
	}
	return m
}

func (l *Launcher) probe() (m Matrix, err error) {
	s, policy, done, err := stage()
	if err != nil {
		return m, err
	}
	defer done()
	r, w, err := os.Pipe()
	if err != nil {
		return m, err
	}
	defer r.Close()
	told, err := json.Marshal(s)
	if err != nil {
		return m, err
	}
	extra, err := unix.Open("/", unix.O_PATH, 0) // is not for the command, though it is inherited
	if err != nil {
		return m, err
	}
	defer unix.Close(extra)
	p, err := l.startFull(policy, Command{Path: "/proc/self/exe", Name: probeName, Args: []string{string(told)}, Dir: s.Work, Stdout: w, Stderr: w})
	w.Close()
	if err != nil {
		return m, err
	}
	timer := time.AfterFunc(20*time.Second, p.Kill)
	defer timer.Stop()
	raw, _ := io.ReadAll(io.LimitReader(r, maxReport))
	e := p.Wait()
	if err := json.Unmarshal(raw, &m.Attempts); err != nil || len(m.Attempts) == 0 {
		return m, fmt.Errorf("the probe said nothing (%+v): %.200q", e, raw)
	}
	return m, nil
}

// stage makes what is attacked: outside files, listeners and a workspace with a
// repository in it.
func stage() (s scene, p Policy, done func(), err error) {
	dir, err := os.MkdirTemp("/var/tmp", "toolfall-probe-")
	if err != nil {
		return s, p, nil, err
	}
	var closers []io.Closer
	done = func() {
		for _, c := range closers {
			c.Close()
		}
		os.RemoveAll(dir)
	}
	s = scene{
		Work: filepath.Join(dir, "work"), Outside: filepath.Join(dir, "outside"), Secret: filepath.Join(dir, "secret", "key"),
		Unix: filepath.Join(dir, "outside", "s"), Abstract: "@" + filepath.Base(dir), Datagram: filepath.Join(dir, "outside", "d"), Parent: os.Getpid(),
	}
	for _, d := range []string{filepath.Join(s.Work, ".git", "hooks"), s.Outside, filepath.Dir(s.Secret)} {
		err = errors.Join(err, os.MkdirAll(d, 0o755))
	}
	err = errors.Join(err, os.WriteFile(s.Secret, []byte("secret"), 0o644), os.WriteFile(filepath.Join(s.Work, ".git", "config"), nil, 0o644))
	listen := func(network, address string) string {
		if network == "udp" || network == "unixgram" {
			c, lerr := net.ListenPacket(network, address)
			if err = errors.Join(err, lerr); lerr != nil {
				return ""
			}
			closers = append(closers, c)
			return c.LocalAddr().String()
		}
		l, lerr := net.Listen(network, address)
		if err = errors.Join(err, lerr); lerr != nil {
			return ""
		}
		closers = append(closers, l)
		return l.Addr().String()
	}
	s.TCP, s.UDP = listen("tcp", "127.0.0.1:0"), listen("udp", "127.0.0.1:0")
	listen("unix", s.Unix)
	listen("unix", s.Abstract)
	listen("unixgram", s.Datagram)
	if err != nil {
		done()
		return s, p, nil, err
	}
	p = Policy{Tier: Full, Write: []string{s.Work}, Hide: []string{filepath.Dir(s.Secret)}, Protect: []string{".git/hooks", ".git/config", ".mcp.json"}}
	return s, p, done, nil
}

// attempt tries everything and prints what came of it.
func attempt(told string) {
	var s scene
	if json.Unmarshal([]byte(told), &s) != nil {
		os.Exit(2)
	}
	var out []Attempt
	for _, try := range attempts() {
		a := Attempt{Row: try.row, Name: try.name, Blocked: true}
		err := try.do(s)
		var through got
		switch {
		case err == nil:
			a.Blocked = false
		case errors.As(err, &through):
			a.Blocked, a.Detail = false, string(through)
		default:
			a.Detail = err.Error()
		}
		out = append(out, a)
	}
	json.NewEncoder(os.Stdout).Encode(out)
}

// got is what an act that got through came by.
type got string

func (g got) Error() string { return string(g) }

// try is one hostile act: it returns nil when it got through.
type try struct {
	row, name string
	do        func(scene) error
}

func attempts() []try {
	return []try{
		{"F13", "write a file outside", func(s scene) error { return os.WriteFile(filepath.Join(s.Outside, "f"), nil, 0o644) }},
		{"F13", "write in /etc", func(scene) error { return os.WriteFile("/etc/toolfall-probe", nil, 0o644) }},
		{"F13", "change the mode of a file outside", func(s scene) error { return os.Chmod(s.Outside, 0o777) }},
		{"F13", "read a secret", func(s scene) error { _, err := os.ReadFile(s.Secret); return err }},
		{"F13", "see that a secret exists", func(s scene) error { _, err := os.Stat(s.Secret); return err }},
		{"X11", "remount the root writable", func(scene) error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") }},
		{"X11", "mount something", func(s scene) error { return unix.Mount("tmpfs", s.Work, "tmpfs", 0, "") }},
		{"X11", "unmount the workspace", func(s scene) error { return unix.Unmount(s.Work, unix.MNT_DETACH) }},
		{"X13", "make a user namespace", func(scene) error { return unix.Unshare(unix.CLONE_NEWUSER) }},
		{"X13", "clone into a user namespace", cloneUser},
		{"X12", "write a setting of the kernel", func(scene) error { return copyOver("/proc/sys/kernel/core_pattern") }},
		{"X12", "write to sysrq", func(scene) error { return openWrite("/proc/sysrq-trigger") }},
		{"X12", "allow namespaces again", func(scene) error { return openWrite("/proc/sys/user/max_user_namespaces") }},
		{"X9", "connect to the host by TCP", func(s scene) error { return connect("tcp", s.TCP) }},
		{"X9", "send to the host by UDP", sendUDP},
		{"X10", "connect to a socket of the host by path", func(s scene) error { return connect("unix", s.Unix) }},
		{"X10", "connect to an abstract socket of the host", func(s scene) error { return connect("unix", s.Abstract) }},
		{"X10", "send to a socket of the host from a pair", sendFromPair},
		{"X9", "open a raw socket", func(scene) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
		{"X9", "open a packet socket", func(scene) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
		{"X15", "set up io_uring", ioUring},
		{"X16", "trace a process", func(scene) error { return unix.PtraceSeize(1) }},
		{"X16", "signal the host's process", func(s scene) error { return unix.Kill(s.Parent, 0) }},
		{"X16", "read the environment of another process", readEnviron},
		{"X16", "read the memory of the helper", func(scene) error { f, err := os.Open("/proc/1/mem"); return closeIt(f, err) }},
		{"X16", "write the memory of the helper", func(scene) error { return openWrite("/proc/1/mem") }},
		{"X16", "open a file of the helper", openOfHelper},
		{"X16", "see the root of the helper", func(scene) error { _, err := os.ReadDir("/proc/1/root/"); return err }},
		{"F12", "write a hook of the repository", func(s scene) error { return os.WriteFile(filepath.Join(s.Work, ".git/hooks/pre-commit"), nil, 0o755) }},
		{"F12", "write the settings of the repository", func(s scene) error { return openWrite(filepath.Join(s.Work, ".git/config")) }},
		{"F12", "rename the repository away", func(s scene) error { return os.Rename(filepath.Join(s.Work, ".git"), filepath.Join(s.Work, ".git2")) }},
		{"F11", "make a protected file that is not there", func(s scene) error { return os.WriteFile(filepath.Join(s.Work, ".mcp.json"), nil, 0o644) }},
		{"F10", "replace a protected name", func(s scene) error { return os.Remove(filepath.Join(s.Work, ".mcp.json")) }},
		{"X11", "make a device", func(s scene) error {
			return unix.Mknod(filepath.Join(s.Work, "mem"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 1)))
		}},
		{"X17", "have a terminal", func(scene) error { f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); return closeIt(f, err) }},
		{"X17", "type into a terminal", func(scene) error { return unix.IoctlSetInt(0, unix.TIOCSTI, 0) }},
		{"X16", "have a descriptor that was not given", strayDescriptor},
		{"X11", "have a capability", haveCapability},
	}
}

func closeIt(f *os.File, err error) error {
	if err == nil {
		f.Close()
	}
	return err
}

func openWrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	return closeIt(f, err)
}

// copyOver writes a file's own content back.
func copyOver(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0)
}

func connect(network, address string) error {
	c, err := net.DialTimeout(network, address, time.Second)
	if err == nil {
		c.Close()
	}
	return err
}

// sendUDP sends to the host's address. What arrives in a namespace of one's own has
// not got through.
func sendUDP(s scene) error {
	if interfaces, err := os.ReadFile("/proc/net/dev"); err == nil && strings.Count(string(interfaces), ":") <= 1 {
		return errors.New("there is no network but one's own")
	}
	return connect("udp", s.UDP)
}

// sendFromPair sends to a socket of the host without making one: one of a pair will do,
// if it takes datagrams.
func sendFromPair(s scene) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: s.Datagram})
}

func socket(family, kind, protocol int) error {
	fd, err := unix.Socket(family, kind, protocol)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func ioUring(scene) error {
	var params [120]byte
	_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func cloneUser(scene) error {
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"none"}, &syscall.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}})
	if err == nil {
		syscall.Wait4(pid, nil, 0, nil)
	}
	return err
}

// readEnviron looks through the processes that can be seen for the host's.
func readEnviron(s scene) error {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(s.Parent) + "/environ")
	if err == nil && len(raw) == 0 {
		return errors.New("it is empty")
	}
	return err
}

// openOfHelper opens what the first process of the namespace has open: its numbers may
// be seen, what they stand for may not.
func openOfHelper(scene) error {
	last := errors.New("none is to be seen")
	for fd := range 1024 {
		path := "/proc/1/fd/" + strconv.Itoa(fd)
		if to, err := os.Readlink(path); err == nil {
			return got(path + " is " + to)
		} else if !errors.Is(err, os.ErrNotExist) {
			last = err
		}
	}
	return last
}

// strayDescriptor looks for open files beside the three streams, and what the Go
// runtime opens for itself.
func strayDescriptor(scene) error {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, n := range names {
		to, err := os.Readlink("/proc/self/fd/" + n.Name())
		fd, _ := strconv.Atoi(n.Name())
		if err == nil && fd > 2 && !strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/proc/") && !strings.HasPrefix(to, "/sys/fs/cgroup/") {
			return got(n.Name() + " is " + to)
		}
	}
	return errors.New("there is none")
}

func haveCapability(scene) error {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for _, line := range bytes.Split(raw, []byte("\n")) {
		if value, ok := bytes.CutPrefix(line, []byte("CapEff:")); ok && bytes.Trim(value, "\t 0") != nil && len(bytes.Trim(value, "\t 0")) > 0 {
			return nil
		}
	}
	return errors.New("there is none")
}
