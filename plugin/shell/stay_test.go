package shell

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/toolfalltest"
)

func stand(t *testing.T) (say func(command string) string, r *toolfall.Registry, dir string) {
	t.Helper()
	dir = t.TempDir()
	r = toolfalltest.Attach(t, New(Config{Roots: []string{dir}, Persistent: true}))
	return func(command string) string {
		t.Helper()
		return as(t, r, "", "shell", map[string]any{"command": command}).Text()
	}, r, dir
}

func TestAShellThatStaysKeepsItsState(t *testing.T) {
	say, _, dir := stand(t)
	for _, row := range []struct{ command, want string }{
		{"X=1; f() { echo f$X; }; echo set", "set\n"},
		{"f", "f1\n"},
		{"printf 'no newline'", "no newline"},
		{"mkdir sub; cd sub; pwd", dir + "/sub\n[now in " + dir + "/sub]"},
		{"pwd", dir + "/sub\n"},
		{"false", "[exit status 1]"},
		{"echo err >&2; (exit 7)", "err\n[exit status 7]"},
		{"true", "[no output]"},
		{"cat; echo read", "read\n"},
		{"echo \"it's\n'quoted'\"", "it's\n'quoted'\n"},
		{"echo 'never closed", "bash: eval: line 21: unexpected EOF while looking for matching `''\n[exit status"},
		{"echo still here", "still here\n"},
		{"printf '\\n\\n'; echo x", "\n\nx\n"},
	} {
		got := say(row.command)
		if strings.Contains(row.want, "eval: line") {
			if !strings.Contains(got, "unexpected EOF") || !strings.Contains(got, "[exit status") {
				t.Errorf("%q: %q", row.command, got)
			}
			continue
		}
		if got != row.want {
			t.Errorf("%q: %q, want %q", row.command, got, row.want)
		}
	}
}

// A shell that breaks, ends or hangs is begun anew, and that is told.
func TestAShellThatBreaksIsBegunAnew(t *testing.T) {
	say, r, dir := stand(t)
	say("X=1")
	for name, command := range map[string]string{"exit": "echo bye; exit 3", "exec": "exec true", "killed": "kill -KILL $$", "errexit": "set -e; false"} {
		if got := say(command); !strings.Contains(got, "the shell has ended: the next call begins a new one") {
			t.Errorf("%s: %q", name, got)
		}
		if got := say("echo ${X-unset}; pwd"); got != "unset\n"+dir+"\n" {
			t.Errorf("after %s: %q", name, got)
		}
	}
	mark := fmt.Sprintf("STAYMARK%d", time.Now().UnixNano())
	got := as(t, r, "", "shell", map[string]any{"command": "export " + mark + "=1; setsid sleep 1000 & sleep 1001", "timeout": 1}).Text()
	if !strings.Contains(got, "timed out after 1s and was killed") || !strings.Contains(got, "the next call begins a new one") {
		t.Errorf("%q", got)
	}
	if left := environs(mark); left > 0 {
		t.Errorf("%d processes are left", left)
	}
	say("X=2")
	if got := as(t, r, "", "shell", map[string]any{"command": "echo ${X-unset}", "restart": true}).Text(); got != "unset\n[a new shell, as asked: variables and functions are gone]" {
		t.Errorf("%q", got)
	}
}

func TestAnAbortEndsTheShell(t *testing.T) {
	_, r, _ := stand(t)
	ctx, cancel := context.WithCancel(toolfall.Listen(t.Context(), func(toolfall.Report) {}))
	ctx = toolfall.Listen(ctx, func(rep toolfall.Report) {
		if strings.Contains(rep.Text, "ready") {
			cancel()
		}
	})
	res := r.Execute(ctx, toolfall.Call{Name: "shell", Arguments: []byte(`{"command":"echo ready; sleep 1000"}`)})
	if toolfall.Code(res) != toolfall.Aborted {
		t.Errorf("%s", res.Text())
	}
}

func TestEachAgentHasItsShell(t *testing.T) {
	_, r, _ := stand(t)
	as(t, r, "one", "shell", map[string]any{"command": "X=secret"})
	if got := as(t, r, "two", "shell", map[string]any{"command": "echo ${X-unset}"}).Text(); got != "unset\n" {
		t.Errorf("%q", got)
	}
}

// A command cannot read what the shell is to read next, and output that looks like an end
// is output.
func TestACommandDoesNotReadTheShellsLines(t *testing.T) {
	say, _, _ := stand(t)
	if got := say("cat /dev/stdin; read -t 0.1 x </proc/$$/fd/0; echo \"done $x\""); got != "done \n" {
		t.Errorf("%q", got)
	}
	if got := say("echo; echo ABCDEFGHIJKLMNOPQRSTUVWXYZ 0 /tmp; echo more"); got != "\nABCDEFGHIJKLMNOPQRSTUVWXYZ 0 /tmp\nmore\n" {
		t.Errorf("%q", got)
	}
}

func TestTheMarkIsFoundWhereverItIsSplit(t *testing.T) {
	for size := 1; size < 60; size++ {
		var out strings.Builder
		m := &marked{mark: []byte("\nMARK "), to: &out}
		whole := "some\nMAR output\n\nMARK 3 /a b\nrest"
		err := m.read(&pieces{whole, size})
		exit, dir, ok := m.said()
		if err != nil || !ok || exit != 3 || dir != "/a b" || out.String() != "some\nMAR output\n" {
			t.Fatalf("in pieces of %d: %v, %q, %d %q %v", size, err, out.String(), exit, dir, ok)
		}
	}
}

// pieces reads a text a few bytes at a time.
type pieces struct {
	rest string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b[:min(p.size, len(b))], p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func TestNoShellStaysUnlessAskedFor(t *testing.T) {
	r := toolfalltest.Attach(t, New(Config{Roots: []string{t.TempDir()}}))
	if _, ok := r.Snapshot().Get("shell"); ok {
		t.Error("it is there")
	}
}

func BenchmarkEcho(b *testing.B) {
	r := toolfalltest.Attach(b, New(Config{Roots: []string{b.TempDir()}, Persistent: true}))
	for _, tool := range []string{"bash", "shell"} {
		b.Run(tool, func(b *testing.B) {
			for b.Loop() {
				r.Execute(b.Context(), toolfall.Call{Name: tool, Arguments: []byte(`{"command":"echo hi"}`)})
			}
		})
	}
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			exec.Command("bash", "--noprofile", "--norc", "-c", "echo hi").Output()
		}
	})
}
