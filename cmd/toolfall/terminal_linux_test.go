package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pty opens a pseudo-terminal.
func pty(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return person, program
}

// A person at a real terminal is asked, and answers with a letter. What was typed
// before the question is no answer.
func TestAPersonAtATerminal(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "toolfall")
	if text, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, text)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]int{"y": 0, "n": 3, "\x03": 3} {
		person, program := pty(t)
		c := exec.Command(binary, "call", "write_file", fmt.Sprintf(`{"path":"file%x","content":"x"}`, key))
		c.Dir, c.Env = work, append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "s"))
		c.Stdin, c.Stdout, c.Stderr = program, program, program
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		person.WriteString("yyyy\n") // typed ahead
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		program.Close()
		shown := make(chan string, 1)
		asked := make(chan struct{})
		go func() { shown <- readUntilGone(person, asked) }()
		select {
		case <-asked:
		case <-time.After(20 * time.Second):
			t.Fatal("nothing was asked")
		}
		person.WriteString("y") // at once: too soon to have been read
		time.Sleep(600 * time.Millisecond)
		person.WriteString(key)
		c.Wait()
		if got := c.ProcessState.ExitCode(); got != want {
			t.Errorf("%q: exit status %d, want %d", key, got, want)
		}
		if text := <-shown; !strings.Contains(text, "write_file wants to run") || strings.Contains(text, "\x1b]") {
			t.Errorf("showed %q", text)
		}
		if _, err := os.Stat(filepath.Join(work, fmt.Sprintf("file%x", key))); (err == nil) != (want == 0) {
			t.Errorf("%q: the file is there: %v", key, err == nil)
		}
	}
}

// readUntilGone reads what a terminal shows, and says when a question is there.
func readUntilGone(person *os.File, asked chan<- struct{}) string {
	var all bytes.Buffer
	buffer := make([]byte, 4096)
	for told := false; ; {
		n, err := person.Read(buffer)
		all.Write(buffer[:n])
		if !told && strings.Contains(all.String(), "[n] no") {
			told = true
			close(asked)
		}
		if err != nil {
			return all.String()
		}
	}
}
