package sandbox_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/plugin/sandbox"
	"github.com/toolfall/toolfall/plugin/shell"
	"github.com/toolfall/toolfall/scope"
)

func TestMain(m *testing.M) {
	confine.Main()
	os.Exit(m.Run())
}

func open(t *testing.T, c sandbox.Config) *toolfall.Registry {
	t.Helper()
	r := toolfall.New()
	s := scope.New(t.Context(), "test")
	t.Cleanup(func() { s.Close() })
	for _, p := range []toolfall.Plugin{sandbox.New(c), shell.New(shell.Config{Roots: c.Roots})} {
		if _, err := r.Attach(s, p); err != nil {
			t.Fatal(err)
		}
	}
	r.Require(sandbox.Name)
	return r
}

func run(t *testing.T, r *toolfall.Registry, command string) toolfall.Result {
	raw, _ := json.Marshal(map[string]string{"command": command})
	return r.Execute(t.Context(), toolfall.Call{ID: "1", Name: "bash", Arguments: raw})
}

func TestCommandsAreConfined(t *testing.T) {
	if m := confine.New(confine.Config{}).Probe(); m.Tier != confine.Full {
		t.Skipf("the full tier is not to be had here: %s", m.Reason)
	}
	root, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("LD_PRELOAD", "")
	os.Mkdir(filepath.Join(home, ".ssh"), 0o700)
	os.WriteFile(filepath.Join(home, ".ssh", "id"), []byte("secret"), 0o600)
	r := open(t, sandbox.Config{Launcher: confine.New(confine.Config{}), Roots: []string{root}})
	got := run(t, r, "echo $HOME $TMPDIR; echo x >in && echo y >/var/tmp/toolfall-out; cat "+home+"/.ssh/id; mkdir .claude; ls /proc | grep -c '^[0-9]'; env | grep -c ^LD_")
	text := got.Text()
	for _, want := range []string{confine.Home + " " + confine.Tmp, "Read-only file system"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if strings.Contains(text, "secret") {
		t.Errorf("read a secret: %q", text)
	}
	if raw, err := os.ReadFile(filepath.Join(root, "in")); err != nil || string(raw) != "x\n" {
		t.Errorf("wrote %q, %v", raw, err)
	}
	if _, err := os.Stat(filepath.Join(root, ".claude")); err == nil {
		t.Error("a protected name was made, or left behind")
	}
}

// X1: where the sandbox cannot be had, nothing runs.
func TestWithoutASandboxNothingRuns(t *testing.T) {
	root := t.TempDir()
	r := open(t, sandbox.Config{Launcher: confine.New(confine.Config{Helper: "/bin/false"}), Roots: []string{root}})
	got := run(t, r, "echo x >"+filepath.Join(root, "a"))
	if toolfall.Code(got) != toolfall.SandboxUnavailable {
		t.Errorf("%s: %q", toolfall.Code(got), got.Text())
	}
	if _, err := os.Stat(filepath.Join(root, "a")); err == nil {
		t.Error("it ran")
	}
}

func TestReadingIsCheap(t *testing.T) {
	if m := confine.New(confine.Config{}).Probe(); m.Tier != confine.Full {
		t.Skipf("the full tier is not to be had here: %s", m.Reason)
	}
	root := t.TempDir()
	r := open(t, sandbox.Config{Launcher: confine.New(confine.Config{}), Roots: []string{root}, ReadOnly: func(toolfall.Call) bool { return true }})
	if got := run(t, r, "echo x >a; ls -d ."); !strings.Contains(got.Text(), "Permission denied") || !strings.Contains(got.Text(), ".\n") {
		t.Errorf("%q", got.Text())
	}
}

func TestARootAtTheTopIsRefused(t *testing.T) {
	s := scope.New(t.Context(), "test")
	defer s.Close()
	if _, err := toolfall.New().Attach(s, sandbox.New(sandbox.Config{Roots: []string{"/"}})); err == nil {
		t.Error("it attached")
	}
}
