//go:build unix

package shell

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// apart puts a command into a session and process group of its own, away from
// our terminal and our signals.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// ask lets the group end by itself.
func (p *process) ask() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) }

// kill ends the group.
func (p *process) kill() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// signalOf returns the name of the signal that ended a process, or nothing.
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}
