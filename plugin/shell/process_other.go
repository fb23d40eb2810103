//go:build !unix

package shell

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func apart() *syscall.SysProcAttr { return nil }

// ask does nothing: there is no way to ask a tree here.
func (p *process) ask() { p.kill() }

// kill ends the command and its descendants, as far as the system still knows
// them as such.
func (p *process) kill() {
	exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.cmd.Process.Pid)).Run()
	p.cmd.Process.Kill()
}

// sweep does nothing: whoever lost its parent is not found on this system.
func (p *process) sweep() (killed int) { return 0 }

func signalOf(*os.ProcessState) string { return "" }
