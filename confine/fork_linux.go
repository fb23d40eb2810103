//go:build amd64 || arm64

package confine

import (
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A process that makes a user namespace is forked, with its page tables copied: that
// takes as long as the one that forks is large. So a large program starts a small one,
// which forks the helper.

// forkName is what the program is called when it is to fork the helper.
const forkName = "toolfall-fork"

// largeSize is how many bytes of memory a program may hold that forks by itself. Below,
// another program takes longer than the copying.
const largeSize = 64 << 20

// large reports whether this program holds much memory.
func large() bool {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return true
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 2 {
		return true
	}
	pages, err := strconv.Atoi(fields[1])
	return err != nil || pages > largeSize/os.Getpagesize()
}

// forkNet tells the one that forks which network the helper is to have.
func forkNet(m NetMode) string { return strconv.Itoa(int(m)) }

// fork starts the helper, passes signals on, and ends as it does.
func fork(net string) (status int) {
	runtime.LockOSThread() // the helper is to die when this thread does, which is with the process
	mode, err := strconv.Atoi(net)
	if err != nil {
		return 126
	}
	control := os.NewFile(3, "control")
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{helperName}, Env: []string{}, Dir: "/", ExtraFiles: []*os.File{control},
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, SysProcAttr: namespaces(NetMode(mode)),
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	if cmd.Start() != nil {
		return 126
	}
	control.Close() // so that the end of the helper is the end of the socket
	go func() {
		for s := range signals {
			cmd.Process.Signal(s)
		}
	}()
	cmd.Wait()
	if cmd.ProcessState.ExitCode() == killedStatus {
		unix.Kill(unix.Getpid(), unix.SIGKILL)
	}
	return cmd.ProcessState.ExitCode()
}

// forwarded are the signals that are passed on to the command.
var forwarded = []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT}

// killedStatus is how a helper ends that was told to.
const killedStatus = 137
