package shell

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/confine"
	"github.com/toolfall/toolfall/scope"
)

var update = flag.Bool("update", false, "write the golden files anew")

// attach returns a registry with the tool.
func attach(t testing.TB, c Config) *toolfall.Registry {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not here")
	}
	reg := toolfall.New()
	root := scope.New(context.Background(), "test")
	t.Cleanup(func() { root.Close() })
	if _, err := reg.Attach(root, New(c)); err != nil {
		t.Fatal(err)
	}
	return reg
}

// runIn runs one command.
func runIn(t testing.TB, ctx context.Context, reg *toolfall.Registry, a arguments) (toolfall.Result, facts) {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	r := reg.Execute(ctx, toolfall.Call{ID: "1", Name: "bash", Arguments: raw})
	var f facts
	if r.Structured != nil {
		if err := json.Unmarshal(r.Structured, &f); err != nil {
			t.Fatal(err)
		}
	}
	return r, f
}

func TestWhatTheModelReads(t *testing.T) {
	reg := attach(t, Config{Roots: []string{t.TempDir()}})
	for command, want := range map[string]string{
		"echo hi":                               "hi\n",
		"true":                                  "[no output]",
		"echo out; echo err >&2; echo out2":     "out\nerr\nout2\n",
		"exit 3":                                "[exit status 3]",
		"echo no newline | tr -d '\\n'; exit 1": "no newline\n[exit status 1]",
		"kill -SEGV $$":                         "[killed by SIGSEGV]",
		"cat; echo after":                       "after\n",
		"printf 'a\\033[31mred\\033[0m\\a\\n'":  "ared\n",
		"printf '10%%\\r50%%\\r100%%\\n'":       "100%\n",
		"printf 'caf\\351\\n'":                  "caf\uFFFD\n",
		"echo $TERM $PAGER; shopt -q login_shell || echo fresh": "dumb cat\nfresh\n",
	} {
		r, _ := runIn(t, t.Context(), reg, arguments{Command: command})
		if got := r.Text(); got != want || r.IsError {
			t.Errorf("%s: read %q (error %v), want %q", command, got, r.Err, want)
		}
	}
}

func TestFactsForPrograms(t *testing.T) {
	reg := attach(t, Config{Roots: []string{t.TempDir()}})
	r, f := runIn(t, t.Context(), reg, arguments{Command: "echo hi; exit 7"})
	if r.IsError || f.Exit == nil || *f.Exit != 7 || f.Signal != "" || f.Bytes != 3 || f.TimedOut || f.Truncated {
		t.Errorf("facts = %s, error %v", r.Structured, r.Err)
	}
	_, f = runIn(t, t.Context(), reg, arguments{Command: "kill -KILL $$"})
	if f.Exit != nil || f.Signal != "SIGKILL" {
		t.Errorf("facts = %+v, want a signal alone", f)
	}
}

func TestTimeoutIsDataAndKeepsTheOutput(t *testing.T) {
	reg := attach(t, Config{Roots: []string{t.TempDir()}})
	r, f := runIn(t, t.Context(), reg, arguments{Command: "trap 'exit 0' TERM; echo begun; sleep 1000 & wait", Timeout: 1})
	if r.IsError || !f.TimedOut || f.Exit == nil || *f.Exit != 0 || !strings.HasPrefix(r.Text(), "begun\n[timed out after 1s") {
		t.Errorf("read %q, facts %s, error %v", r.Text(), r.Structured, r.Err)
	}
}

func TestTimeoutBeyondTheLimitIsRefused(t *testing.T) {
	reg := attach(t, Config{Roots: []string{t.TempDir()}, MaxTimeout: 5e9})
	if r, _ := runIn(t, t.Context(), reg, arguments{Command: "true", Timeout: 6}); !r.IsError || !strings.Contains(r.Text(), "at most 5 seconds") {
		t.Errorf("read %q", r.Text())
	}
	if r, _ := runIn(t, t.Context(), reg, arguments{Command: "true", Timeout: 601}); toolfall.Code(r) != toolfall.InvalidArgs {
		t.Errorf("601 s: %q", r.Text())
	}
}

// started waits until a command has written its process numbers into a fifo.
func started(t *testing.T, fifo string) []int {
	t.Helper()
	raw, err := os.ReadFile(fifo) // until the writer closes it
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, f := range strings.Fields(string(raw)) {
		pid, _ := strconv.Atoi(f)
		pids = append(pids, pid)
	}
	return pids
}

// daemons starts three processes that a plain kill of the child would miss: in
// the background, in a session of its own, and one that was orphaned on purpose.
const daemons = `sleep 1000 & a=$!
setsid sleep 1001 & b=$!
( (setsid sh -c 'echo $$ >orphan; exec sleep 1002' >/dev/null 2>&1 &) )
while [ ! -s orphan ]; do :; done
echo $a $b $(cat orphan) >fifo
`

func TestCancelKillsTheTree(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux finds those who left the session")
	}
	dir := t.TempDir()
	mkfifo(t, filepath.Join(dir, "fifo"))
	reg := attach(t, Config{Roots: []string{dir}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan toolfall.Result)
	go func() {
		r, _ := runIn(t, ctx, reg, arguments{Command: daemons + "wait"})
		done <- r
	}()
	pids := started(t, filepath.Join(dir, "fifo"))
	cancel()
	if r := <-done; toolfall.Code(r) != toolfall.Aborted {
		t.Errorf("code = %s, want ABORTED", toolfall.Code(r))
	}
	gone(t, pids)
}

func TestReturnKillsWhatIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux finds those who left the session")
	}
	dir := t.TempDir()
	mkfifo(t, filepath.Join(dir, "fifo"))
	reg := attach(t, Config{Roots: []string{dir}})
	read := make(chan []int)
	go func() { read <- started(t, filepath.Join(dir, "fifo")) }()
	r, f := runIn(t, t.Context(), reg, arguments{Command: daemons})
	gone(t, <-read)
	if f.Strays != 3 || !strings.Contains(r.Text(), "3 processes were still running") {
		t.Errorf("read %q, %d strays", r.Text(), f.Strays)
	}
}

func gone(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) != 3 {
		t.Fatalf("started %v, want three processes", pids)
	}
	for _, pid := range pids {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err == nil && !strings.Contains(string(raw), ") Z ") {
			t.Errorf("process %d is still alive", pid)
		}
	}
}

func TestEndlessOutputStaysInItsBounds(t *testing.T) {
	reg := attach(t, Config{Roots: []string{t.TempDir()}})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, f := runIn(t, t.Context(), reg, arguments{Command: "yes 'a line of some length' | head -c 1000000000"})
	runtime.ReadMemStats(&after)
	if f.Bytes != 1_000_000_000 || !f.Truncated || len(r.Text()) > 31_000 {
		t.Errorf("%d bytes, truncated %v, %d read", f.Bytes, f.Truncated, len(r.Text()))
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("a gigabyte took %d bytes of memory", grown)
	}
}

func TestWorkdir(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	os.Mkdir(filepath.Join(root, "sub"), 0o755)
	os.WriteFile(filepath.Join(root, "file"), nil, 0o644)
	os.Symlink(outside, filepath.Join(root, "leak"))
	reg := attach(t, Config{Roots: []string{root}})
	for _, c := range []struct{ dir, says string }{
		{"sub", "/sub\n"},
		{filepath.Join(root, "sub"), "/sub\n"},
		{"..", "outside the allowed"},
		{outside, "outside the allowed"},
		{"leak", "outside the allowed"},
		{"none", "no such directory"},
		{"file", "not a directory"},
	} {
		r, _ := runIn(t, t.Context(), reg, arguments{Command: "pwd", Workdir: c.dir})
		if !strings.Contains(r.Text(), c.says) {
			t.Errorf("workdir %q: read %q, want %q in it", c.dir, r.Text(), c.says)
		}
		if strings.Contains(r.Text(), outside) && c.dir != outside {
			t.Errorf("workdir %q tells a path outside: %q", c.dir, r.Text())
		}
	}
}

func TestEnvironmentReachesTheCommandWithoutSecrets(t *testing.T) {
	reg := attach(t, Config{
		Roots: []string{t.TempDir()}, AllowEnv: []string{"KEPT_TOKEN"},
		Env: []string{"PATH=" + os.Getenv("PATH"), "API_KEY=s3cret", "KEPT_TOKEN=yes", "PLAIN=1"},
	})
	r, _ := runIn(t, t.Context(), reg, arguments{Command: "env"})
	if strings.Contains(r.Text(), "s3cret") || !strings.Contains(r.Text(), "KEPT_TOKEN=yes") || !strings.Contains(r.Text(), "PLAIN=1") {
		t.Errorf("env =\n%s", r.Text())
	}
}

func TestAttachFailsWhereNothingCanRun(t *testing.T) {
	root := scope.New(t.Context(), "test")
	defer root.Close()
	for name, c := range map[string]Config{
		"no shell": {Shell: "/no/such/shell"},
		"no root":  {Roots: []string{filepath.Join(t.TempDir(), "none")}},
		"a file":   {Roots: []string{os.Args[0]}},
	} {
		if _, err := toolfall.New().Attach(root, New(c)); err == nil {
			t.Errorf("%s: attached", name)
		}
	}
}

func TestSchemaIsGolden(t *testing.T) {
	reg := attach(t, Config{})
	got := string(reg.Snapshot().SchemasJSON()) + "\n"
	path := filepath.Join("testdata", "bash.json")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("schema = %s\nwant     %s (%v)", got, want, err)
	}
}

func TestNobodyToRunIsAnError(t *testing.T) {
	_, err := start(t.Context(), confine.Command{Path: "/no/such/shell", Dir: t.TempDir()}, newOutput(10))
	if err == nil || strings.Contains(err.Error(), "/no/such") || errors.Is(err, context.Canceled) {
		t.Errorf("start = %v", err)
	}
}
