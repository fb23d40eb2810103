//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// interruptible starts the real binary on a command that starts another process
// and then says so through a fifo. It returns the running binary, what it will end
// with, what it prints, and the number of that process.
func interruptible(t *testing.T, stdin string, args ...string) (c *exec.Cmd, exit <-chan error, out *bytes.Buffer, pid int) {
	t.Helper()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open.yaml") // so that numbers of processes are those of this test
	if err := os.WriteFile(open, []byte("sandbox: {mode: off}\npermission: {mode: bypass}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "toolfall")
	if text, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, text)
	}
	out = new(bytes.Buffer)
	c = exec.Command(binary, append([]string{"--config", open}, args...)...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, strings.NewReader(stdin), out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended, said := make(chan error, 1), make(chan []byte, 1)
	go func() { ended <- c.Wait() }()
	go func() { // without a writer it waits until the test program ends
		raw, _ := os.ReadFile(fifo)
		said <- raw
	}()
	select {
	case raw := <-said:
		pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
		if err != nil {
			t.Fatal(err)
		}
		return c, ended, out, pid
	case err := <-ended:
		t.Fatalf("it ended at once: %v\n%s", err, out)
	}
	panic("unreachable")
}

const sleeper = `{"command":"sleep 1000 & echo $! >fifo; wait"}`

func TestInterruptEndsTheTree(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		c, ended, out, pid := interruptible(t, "", "call", "bash", sleeper)
		c.Process.Signal(signal)
		checkExit(t, ended, want)
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) && !zombie(pid) {
			t.Errorf("%v: the command's child is still there: %v", signal, err)
		}
		if !strings.Contains(out.String(), "aborted while the tool ran") {
			t.Errorf("%v: printed %q", signal, out)
		}
	}
}

func TestInterruptedExecStillTellsTheRunningCall(t *testing.T) {
	c, ended, out, _ := interruptible(t, `{"callId":"a","name":"bash","arguments":`+sleeper+"}\n", "exec")
	c.Process.Signal(syscall.SIGINT)
	checkExit(t, ended, 130)
	if !strings.Contains(out.String(), `"callId":"a"`) || !strings.Contains(out.String(), `"code":"ABORTED"`) {
		t.Errorf("printed %q", out)
	}
}

func checkExit(t *testing.T, ended <-chan error, want int) {
	t.Helper()
	err := <-ended
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != want {
		t.Errorf("ended with %v, want exit status %d", err, want)
	}
}

// zombie reports whether a process is dead and only not yet collected by whoever
// inherited it.
func zombie(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(raw), ") Z ")
}
