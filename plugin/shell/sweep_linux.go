package shell

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxRounds is how often the tree is looked for: whoever forks while it is being
// killed is met again in the next round.
const maxRounds = 50

// sweep kills what is left of the tree once the command itself has ended, also
// those who made a session of their own, and returns how many they were. Whoever
// changed both its session and its environment is not found; a sandbox with a
// process namespace holds those too.
func (p *process) sweep() (killed int) {
	seen := make(map[int]bool)
	for round := range maxRounds {
		left := p.remains()
		if len(left) == 0 {
			break
		}
		p.kill() // the group at once, so that none of it can fork on; then those who left it
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
			seen[pid] = true
		}
		time.Sleep(time.Duration(round) * time.Millisecond) // the kernel takes a moment to end them
	}
	return len(seen)
}

// remains lists the living processes of the tree.
func (p *process) remains() []int {
	var pids []int
	for _, pid := range p.candidates() {
		if session, alive := sessionOf(pid); alive && (session == p.cmd.Process.Pid || p.marked(pid)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// candidates lists the processes that may be of the tree: those whose number is
// above that of the command, unless the numbers have begun again since.
func (p *process) candidates() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	first := p.cmd.Process.Pid
	if lastPID() < first {
		first = 1
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid > first && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// lastPID returns the number that the kernel gave away last, or 0.
func lastPID() int {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw))
	pid, _ := strconv.Atoi(fields[len(fields)-1])
	return pid
}

// sessionOf returns the session of a process that is not dead.
func sessionOf(pid int) (session int, alive bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:]) // the name may have anything in it
	if len(fields) < 4 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return 0, false
	}
	session, err = strconv.Atoi(string(fields[3]))
	return session, err == nil
}

// marked reports whether the environment of a process has the mark of the tree.
func (p *process) marked(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(raw, []byte(p.mark))
}
