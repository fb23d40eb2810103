//go:build !unix

package confine

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func apart() *syscall.SysProcAttr { return nil }

// signal ends the tree: there is no way to ask one here.
func (p *plain) signal(os.Signal) { p.kill() }

// kill ends the command and its descendants, as far as the system still knows them as
// such.
func (p *plain) kill() {
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.cmd.Process.Pid)).Run()
	p.cmd.Process.Kill()
}

// sweep does nothing: whoever lost its parent is not found on this system.
func (p *plain) sweep() (killed int) { return 0 }

func endingOf(state *os.ProcessState) Ending { return Ending{Exit: state.ExitCode()} }
