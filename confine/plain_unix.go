//go:build unix

package confine

import (
	"os"
	"syscall"
)

// apart puts a command into a session and process group of its own, away from our
// terminal and our signals.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func (p *plain) signal(s os.Signal) {
	if n, ok := s.(syscall.Signal); ok {
		syscall.Kill(-p.cmd.Process.Pid, n)
	}
}

func (p *plain) kill() { p.signal(syscall.SIGKILL) }

func endingOf(state *os.ProcessState) Ending {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Ending{Exit: -1, Signal: status.Signal()}
	}
	return Ending{Exit: state.ExitCode()}
}
