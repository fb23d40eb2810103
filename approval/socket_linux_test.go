package approval

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain is also the program that another one is, or that a tool has started.
func TestMain(m *testing.M) {
	if dir := os.Getenv("APPROVAL_TEST_DIR"); dir != "" {
		os.Stdout.WriteString(answerAll(dir))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// answerAll allows whatever is asked, and says what came of it.
func answerAll(dir string) string {
	clients, err := Dial(dir)
	if err != nil || len(clients) == 0 {
		return "nobody asks"
	}
	open, err := clients[0].Pending()
	if err != nil {
		return err.Error()
	}
	for _, q := range open {
		if err := clients[0].Answer(Answer{ID: q.ID, Hash: "wrong", Outcome: Once}); err == nil {
			return "a wrong hash was taken"
		}
		if err := clients[0].Answer(Answer{ID: q.ID, Hash: q.Hash, Outcome: Once, By: "test"}); err != nil {
			return err.Error()
		}
	}
	return "answered"
}

// program runs this test as another program. Detached, it is not a child of ours.
func program(t *testing.T, dir string, detached bool, env ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	line := `"$0" >"$1.new"; mv "$1.new" "$1"`
	if detached {
		line = `(setsid sh -c '"$0" >"$1.new"; mv "$1.new" "$1"' "$0" "$1" &) </dev/null >/dev/null 2>&1`
	}
	cmd := exec.Command("sh", "-c", line, self, out)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "APPROVAL_TEST_DIR=" + dir}, env...)
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if raw, err := os.ReadFile(out); err == nil {
			return string(raw)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the program said nothing")
	return ""
}

// Nobody approves for itself: not a child, and not whoever left it but has the mark.
func TestWhoMayAnswer(t *testing.T) {
	dir, err := os.MkdirTemp("", "approval") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b := New(Config{})
	b.Serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Listen(ctx, b, dir) }()
	for {
		select {
		case err := <-ended:
			t.Fatalf("it does not listen: %v", err)
		default:
		}
		if socks, _ := filepath.Glob(filepath.Join(dir, "*.sock")); len(socks) > 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	got := make(chan Answer, 1)
	go func() {
		got <- b.Ask(t.Context(), Request{Tool: "bash", Text: "make", Arguments: json.RawMessage(`{}`)})
	}()
	for len(b.Pending()) == 0 {
		time.Sleep(time.Millisecond)
	}
	if said := program(t, dir, false); !strings.Contains(said, "may not answer") {
		t.Errorf("a child: %q", said)
	}
	if said := program(t, dir, true, "TOOLFALL_CALL=x"); !strings.Contains(said, "may not answer") {
		t.Errorf("a daemon of a tool: %q", said)
	}
	if said := program(t, dir, true); said != "answered" {
		t.Errorf("another program: %q", said)
	}
	if a := <-got; a.Outcome != Once || a.By != "test" {
		t.Errorf("got %+v", a)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// A socket that nobody listens on yet is left alone; that of a dead program goes.
func TestSocketsThatDoNotAnswer(t *testing.T) {
	dir := t.TempDir()
	mine, dead := filepath.Join(dir, strconv.Itoa(os.Getpid())+"-a.sock"), filepath.Join(dir, "999999999-b.sock")
	for _, path := range []string{mine, dead} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if clients, err := Dial(dir); len(clients) != 0 || err != nil {
		t.Errorf("%d clients, %v", len(clients), err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error("that of a living program is gone")
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("that of a dead program is still there")
	}
}
