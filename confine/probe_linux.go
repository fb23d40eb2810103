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
	Parent         int    // a process of the host
	Mark           string // a variable in its environment
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
	extra, err := os.Open("/") // is not for the command
	if err != nil {
		return m, err
	}
	defer extra.Close()
	p, err := (&Cell{l, policy}).Start(Command{Path: "/proc/self/exe", Name: probeName, Args: []string{string(told)}, Dir: s.Work, Stdout: w, Stderr: w})
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
		Unix: filepath.Join(dir, "outside", "s"), Abstract: "@" + filepath.Base(dir), Parent: os.Getpid(),
	}
	for _, d := range []string{filepath.Join(s.Work, ".git", "hooks"), s.Outside, filepath.Dir(s.Secret)} {
		err = errors.Join(err, os.MkdirAll(d, 0o755))
	}
	err = errors.Join(err, os.WriteFile(s.Secret, []byte("secret"), 0o644), os.WriteFile(filepath.Join(s.Work, ".git", "config"), nil, 0o644))
	listen := func(network, address string) string {
		if network == "udp" {
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
		a := Attempt{Name: try.name, Blocked: true}
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
	name string
	do   func(scene) error
}

func attempts() []try {
	return []try{
		{"write a file outside", func(s scene) error { return os.WriteFile(filepath.Join(s.Outside, "f"), nil, 0o644) }},
		{"write in /etc", func(scene) error { return os.WriteFile("/etc/toolfall-probe", nil, 0o644) }},
		{"change the mode of a file outside", func(s scene) error { return os.Chmod(s.Outside, 0o777) }},
		{"read a secret", func(s scene) error { _, err := os.ReadFile(s.Secret); return err }},
		{"see that a secret exists", func(s scene) error { _, err := os.Stat(s.Secret); return err }},
		{"remount the root writable", func(scene) error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") }},
		{"mount something", func(s scene) error { return unix.Mount("tmpfs", s.Work, "tmpfs", 0, "") }},
		{"unmount the workspace", func(s scene) error { return unix.Unmount(s.Work, unix.MNT_DETACH) }},
		{"make a user namespace", func(scene) error { return unix.Unshare(unix.CLONE_NEWUSER) }},
		{"clone into a user namespace", cloneUser},
		{"write a setting of the kernel", func(scene) error { return copyOver("/proc/sys/kernel/core_pattern") }},
		{"write to sysrq", func(scene) error { return openWrite("/proc/sysrq-trigger") }},
		{"allow namespaces again", func(scene) error { return openWrite("/proc/sys/user/max_user_namespaces") }},
		{"connect to the host by TCP", func(s scene) error { return connect("tcp", s.TCP) }},
		{"send to the host by UDP", sendUDP},
		{"connect to a socket of the host by path", func(s scene) error { return connect("unix", s.Unix) }},
		{"connect to an abstract socket of the host", func(s scene) error { return connect("unix", s.Abstract) }},
		{"open a raw socket", func(scene) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
		{"open a packet socket", func(scene) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
		{"set up io_uring", ioUring},
		{"trace a process", func(scene) error { return unix.PtraceSeize(1) }},
		{"signal the host's process", func(s scene) error { return unix.Kill(s.Parent, 0) }},
		{"read the environment of another process", readEnviron},
		{"write a hook of the repository", func(s scene) error { return os.WriteFile(filepath.Join(s.Work, ".git/hooks/pre-commit"), nil, 0o755) }},
		{"write the settings of the repository", func(s scene) error { return openWrite(filepath.Join(s.Work, ".git/config")) }},
		{"rename the repository away", func(s scene) error { return os.Rename(filepath.Join(s.Work, ".git"), filepath.Join(s.Work, ".git2")) }},
		{"make a protected file that is not there", func(s scene) error { return os.WriteFile(filepath.Join(s.Work, ".mcp.json"), nil, 0o644) }},
		{"replace a protected name", func(s scene) error { return os.Remove(filepath.Join(s.Work, ".mcp.json")) }},
		{"make a device", func(s scene) error {
			return unix.Mknod(filepath.Join(s.Work, "mem"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 1)))
		}},
		{"have a terminal", func(scene) error { f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); return closeIt(f, err) }},
		{"type into a terminal", func(scene) error { return unix.IoctlSetInt(0, unix.TIOCSTI, 0) }},
		{"have a descriptor that was not given", strayDescriptor},
		{"have a capability", haveCapability},
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
