package confine

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

// doubtRounds is how long a process is waited for whose environment is empty: in
// the middle of an exec it is, for a moment.
const doubtRounds = 5

// sweep kills what is left of the tree once the command itself has ended, also
// those who made a session of their own, waits until they are dead, and returns
// how many they were. Whoever changed both its session and its environment is not
// found; a sandbox with a process namespace holds those too.
func (p *plain) sweep() (killed int) {
	seen := make(map[int]bool)
	for round := range maxRounds {
		left, doubt := p.remains()
		if len(left) == 0 && !anyAlive(seen) && (!doubt || round >= doubtRounds) {
			break
		}
		if len(left) > 0 {
			p.kill() // the group at once, so that none of it can fork on; then those who left it
		}
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
			seen[pid] = true
		}
		time.Sleep(time.Duration(round) * time.Millisecond) // the kernel takes a moment to end them
	}
	return len(seen)
}

// anyAlive reports whether one of those that were killed is not dead yet: what it
// holds is let go of one by one, and its environment is gone before its files.
func anyAlive(pids map[int]bool) bool {
	for pid := range pids {
		if _, alive := sessionOf(pid); alive {
			return true
		}
	}
	return false
}

// remains lists the living processes of the tree, and reports whether there are
// others that may turn out to be of it.
func (p *plain) remains() (pids []int, doubt bool) {
	for _, pid := range p.candidates() {
		session, alive := sessionOf(pid)
		if !alive {
			continue
		}
		marked, clear := p.marked(pid)
		if session == p.cmd.Process.Pid || marked {
			pids = append(pids, pid)
			continue
		}
		doubt = doubt || !clear
	}
	return pids, doubt
}

// candidates lists the processes that may be of the tree: those whose number is
// above that of the command, unless the numbers have begun again since.
func (p *plain) candidates() []int {
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

// kernelThread is a bit of the flags of a process (PF_KTHREAD, linux/sched.h).
const kernelThread = 0x00200000

// sessionOf returns the session of a process that is not dead.
func sessionOf(pid int) (session int, alive bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:]) // the name may have anything in it
	if len(fields) < 7 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return 0, false
	}
	if flags, err := strconv.ParseUint(string(fields[6]), 10, 64); err != nil || flags&kernelThread != 0 {
		return 0, false
	}
	session, err = strconv.Atoi(string(fields[3]))
	return session, err == nil
}

// marked reports whether the environment of a process has the mark of the tree,
// and whether that is clear: nothing can be said of an empty one.
func (p *plain) marked(pid int) (marked, clear bool) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(raw, []byte(p.mark)), err != nil || len(raw) > 0
}
