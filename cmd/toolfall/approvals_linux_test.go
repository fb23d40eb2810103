package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A question waits, and is answered from another program.
func TestApprovalsFromElsewhere(t *testing.T) {
	dir, err := os.MkdirTemp("", "tf") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "toolfall")
	if text, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, text)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) *exec.Cmd {
		c := exec.Command(binary, args...)
		c.Dir, c.Env = work, append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(dir, "s"))
		return c
	}
	for answer, want := range map[string]int{"yes": 0, "no": 3} {
		call := command("--approvals", "call", "write_file", `{"path":"`+answer+`","content":"x"}`)
		if err := call.Start(); err != nil {
			t.Fatal(err)
		}
		var q struct{ ID, Hash, Text string }
		for tries := 0; q.ID == ""; tries++ {
			if tries == 1000 {
				call.Process.Kill()
				t.Fatal("nothing is asked")
			}
			out, err := command("approvals", "--json").Output()
			if err == nil && len(out) > 0 {
				if err := json.Unmarshal(out, &q); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			time.Sleep(10 * time.Millisecond) // another program: nothing to wait on
		}
		if !strings.Contains(q.Text, "write_file") {
			t.Errorf("asked %+v", q)
		}
		var errs bytes.Buffer
		wrong := command("approvals", "answer", q.ID+"/000000000000", answer)
		wrong.Stderr = &errs
		if wrong.Run() == nil || !strings.Contains(errs.String(), "something else") {
			t.Errorf("a wrong hash: %s", &errs)
		}
		if out, err := command("approvals", "answer", q.ID+"/"+q.Hash[:12], answer).CombinedOutput(); err != nil {
			t.Errorf("answer: %v, %s", err, out)
		}
		call.Wait()
		if got := call.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: exit status %d, want %d", answer, got, want)
		}
		if _, err := os.Stat(filepath.Join(work, answer)); (err == nil) != (want == 0) {
			t.Errorf("%s: the file is there: %v", answer, err == nil)
		}
	}
}
