//go:build amd64 || arm64

package confine

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Main()
	if dir := os.Getenv("CONFINE_TEST_ORPHAN"); dir != "" {
		orphan(dir)
	}
	os.Exit(m.Run())
}

// launcher is the native one, or the one that the test that started this process is about.
func launcher() *Launcher { return New(Config{Bubblewrap: os.Getenv("CONFINE_TEST_BWRAP")}) }

// box is a workspace and a launcher for it.
type box struct {
	dir    string
	policy Policy
	l      *Launcher
}

// full says why the full tier is not to be had on this kernel, if it is not.
var full = sync.OnceValue(func() error {
	dir, err := os.MkdirTemp("/var/tmp", "toolfall-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := (&Cell{launcher(), Policy{Tier: Full, Write: []string{dir}}}).Start(Command{Path: "/bin/true", Dir: dir})
	if err == nil {
		p.Wait()
	}
	return err
})

// needFull skips a test where the kernel lacks something, and says what tier remains.
func needFull(t *testing.T) {
	t.Helper()
	err := full()
	if err == nil {
		return
	}
	remains := Partial
	if _, _, missing := handled(); missing != nil {
		remains = None
	}
	t.Skipf("the full tier is not to be had here (%v); what remains is %s", err, remains)
}

func newBox(t *testing.T) *box {
	t.Helper()
	needFull(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &box{dir, Policy{Tier: Full, Write: []string{dir}}, launcher()}
}

// run runs a line of bash in the box.
func (b *box) run(t *testing.T, line string) (out string, e Ending) {
	t.Helper()
	p, read := b.start(t, line)
	e = p.Wait()
	return <-read, e
}

func (b *box) start(t *testing.T, line string) (*Process, <-chan string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &Cell{b.l, b.policy}
	p, err := c.Start(Command{
		Path: "/bin/bash", Args: []string{"--noprofile", "--norc", "-c", line}, Dir: b.dir,
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin", "HOME=" + Home, "TMPDIR=" + Tmp}, Stdout: w, Stderr: w,
	})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		defer r.Close()
		text, _ := io.ReadAll(r)
		read <- string(text)
	}()
	return p, read
}

func TestConfinedCommand(t *testing.T) {
	b := newBox(t)
	out, e := b.run(t, "echo hi; echo err >&2; pwd; echo x >a; id -u; exit 3")
	if want := "hi\nerr\n" + b.dir + "\n" + "0\n"; os.Getuid() == 0 && out != want || e.Exit != 3 || e.Signal != nil || e.Strays != 0 {
		t.Errorf("%q, %+v", out, e)
	}
	if raw, err := os.ReadFile(filepath.Join(b.dir, "a")); err != nil || string(raw) != "x\n" {
		t.Errorf("wrote %q, %v", raw, err)
	}
	if out, e := b.run(t, "kill -TERM $$"); e.Signal != syscall.SIGTERM {
		t.Errorf("%q, %+v", out, e)
	}
}

func TestAMissingProgramIsTheCommandsFault(t *testing.T) {
	b := newBox(t)
	_, err := (&Cell{b.l, b.policy}).Start(Command{Path: "/nowhere/x", Dir: b.dir})
	if err == nil || errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("error %v", err)
	}
	_, err = (&Cell{New(Config{Helper: "/bin/true"}), b.policy}).Start(Command{Path: "/bin/true", Dir: b.dir})
	if !errors.Is(err, ErrUnavailable) { // X1
		t.Errorf("a helper that is none: %v", err)
	}
	_, err = (&Cell{nil, b.policy}).Start(Command{Path: "/bin/true", Dir: b.dir})
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("no launcher: %v", err)
	}
}

// X18: nothing survives, however it hides.
func TestNothingSurvives(t *testing.T) {
	hide := `sleep 1000 & setsid sleep 1001 & (trap '' TERM; sleep 1002) & ( (setsid sh -c 'sleep 1003' &) ) ; sleep 1004 & kill -STOP $!; `
	for _, end := range []string{"normally", "killed"} {
		b := newBox(t)
		mark := "MARK" + end
		line := hide + "echo ready"
		if end == "killed" {
			line += "; sleep 1005"
		}
		p, read := b.start(t, "export "+mark+"=1; "+line)
		if end == "killed" {
			time.Sleep(100 * time.Millisecond)
			p.Kill()
		}
		e := p.Wait()
		<-read // whoever held the pipe is gone too
		if end == "normally" && e.Strays < 4 {
			t.Errorf("%s: %+v", end, e)
		}
		if left := marked(t, mark); len(left) > 0 {
			t.Errorf("%s: %v are still there", end, left)
		}
	}
}

// X18: nothing survives the program that started it, however that ends.
func TestNothingSurvivesTheParent(t *testing.T) {
	b := newBox(t)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "CONFINE_TEST_ORPHAN="+b.dir)
	out, err := cmd.StdoutPipe()
	if err := errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	var one [1]byte
	if _, err := out.Read(one[:]); err != nil { // the command runs
		t.Fatal(err)
	}
	cmd.Process.Kill()
	out.(*os.File).SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.ReadAll(out); err != nil { // until nobody holds the pipe
		t.Error(err)
	}
	cmd.Wait()
	if left := marked(t, "MARKorphan"); len(left) > 0 {
		t.Errorf("%v are still there", left)
	}
}

// orphan starts commands that ignore what they can, and waits to be killed.
func orphan(dir string) {
	c := &Cell{launcher(), Policy{Tier: Full, Write: []string{dir}}}
	line := "export MARKorphan=1; trap '' TERM HUP; setsid sleep 1006 & sleep 1007 & kill -STOP $!; echo x; sleep 1008"
	p, err := c.Start(Command{Path: "/bin/bash", Args: []string{"-c", line}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}, Stdout: os.Stdout})
	if err != nil {
		os.Exit(1)
	}
	p.Wait()
	os.Exit(0)
}

// marked finds processes by a variable in their environment.
func marked(t *testing.T, mark string) (pids []string) {
	t.Helper()
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(mark+"=")) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// Each hostile act of the probe is a row of the list of attacks.
func TestProbe(t *testing.T) {
	needFull(t)
	m := launcher().Probe()
	check := func(t *testing.T, m Matrix) {
		if len(m.Attempts) < 30 {
			t.Fatalf("%d attempts: %s", len(m.Attempts), m.Reason)
		}
		for _, a := range m.Attempts {
			t.Run(a.Row+" "+a.Name, func(t *testing.T) {
				if !a.Blocked {
					t.Errorf("got through (%s); the tier is %s", a.Detail, m.Tier)
				}
			})
		}
	}
	check(t, m)
}

// Everything holds for an ordinary user too, who has no capability to begin with.
func TestAsAnOrdinaryUser(t *testing.T) {
	needFull(t)
	if os.Getuid() != 0 {
		t.Skip("the tests run as an ordinary user already; tier full is tested for that one alone")
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/var/tmp", "toolfall-test-") // the directories of a test are its user's alone
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const uid = 65534
	path := filepath.Join(dir, "test")
	if err := errors.Join(os.WriteFile(path, self, 0o755), os.Chmod(dir, 0o755), os.Mkdir(filepath.Join(dir, "tmp"), 0o700), os.Chown(filepath.Join(dir, "tmp"), uid, uid)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-test.short", "-test.run=^Test(Confined|AMissing|Nothing|Probe$|NoLitter|Protection|APlaceholder|Ordinary|TheProxy|Limits|Partial)")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// Everything holds too where bubblewrap makes the namespaces, as some systems demand.
func TestUnderBubblewrap(t *testing.T) {
	path := Bubblewrap()
	switch {
	case path == "":
		t.Skip("bwrap is not installed; the native backend is tested for itself")
	case os.Getenv("CONFINE_TEST_BWRAP") != "":
		return
	}
	cmd := exec.Command("/proc/self/exe", "-test.short", "-test.run=^Test(Confined|AMissing|Nothing|Probe$|AsAn|NoLitter|Protection|APlaceholder|Ordinary|TheProxy|Limits)")
	cmd.Env = append(os.Environ(), "CONFINE_TEST_BWRAP="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

// A launcher that fails its trial starts nothing; what is there for that case does.
func TestWhatFailsItsTrialIsReplaced(t *testing.T) {
	b := newBox(t)
	trial := func(*Launcher) error { return errors.New("it leaks") }
	b.l = New(Config{Trial: trial, Else: launcher()})
	if out, e := b.run(t, "echo hi"); out != "hi\n" {
		t.Errorf("%q, %+v", out, e)
	}
	_, err := (&Cell{New(Config{Trial: trial, Else: New(Config{Trial: trial})}), b.policy}).Start(Command{Path: "/bin/true", Dir: b.dir})
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("both failed: %v", err)
	}
}

// An overlay that the backend cannot make is refused, never left out.
func TestBubblewrapRefusesAnOverlay(t *testing.T) {
	b := newBox(t)
	b.policy.Overlay = b.dir
	_, err := (&Cell{New(Config{Bubblewrap: "/usr/bin/bwrap"}), b.policy}).Start(Command{Path: "/bin/true", Dir: b.dir})
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "overlay") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkTrue(b *testing.B) {
	dir := b.TempDir()
	l := launcher()
	for name, c := range map[string]*Cell{
		"plain":   nil,
		"partial": {l, Policy{Tier: Partial, Write: []string{dir}}},
		"full":    {l, Policy{Tier: Full, Write: []string{dir}, Protect: DefaultProtect()}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := c.Start(Command{Path: "/bin/true", Dir: dir, Env: []string{"A=b"}})
				if err != nil {
					b.Fatal(err)
				}
				p.Wait()
			}
		})
	}
	if path, err := exec.LookPath("bwrap"); err == nil {
		b.Run("bwrap", func(b *testing.B) {
			for b.Loop() {
				err := exec.Command(path, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind", dir, dir,
					"--unshare-user", "--unshare-all", "--disable-userns", "--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv", "/bin/true").Run()
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			exec.Command("/bin/true").Run()
		}
	})
}

// X20: nothing is left in the workspace, and what is protected is as it was.
func TestNoLitter(t *testing.T) {
	b := newBox(t)
	b.policy.Protect = DefaultProtect()
	os.MkdirAll(filepath.Join(b.dir, ".vscode"), 0o755)
	list := func() string {
		out, _ := exec.Command("find", b.dir).Output()
		return string(out)
	}
	before := list()
	out, _ := b.run(t, "mkdir .claude; echo x >.claude/settings.json; echo x >.vscode/tasks.json; echo x >.mcp.json; rmdir .husky; mv .vscode v; git init -q . && echo x >.git/hooks/pre-commit")
	if after := list(); after != before {
		t.Errorf("before\n%safter\n%s%s", before, after, out)
	}
}

// F11: two commands at once share what was made to be protected, also when they are
// of two launchers, as those of two processes are.
func TestProtectionOverlaps(t *testing.T) {
	for _, second := range []*Launcher{nil, launcher()} {
		b := newBox(t)
		b.policy.Protect = []string{".claude"}
		first, read := b.start(t, "until [ -e go ]; do sleep 0.01; done; mkdir -p .claude/x && echo made")
		if second != nil {
			b.l = second
		}
		b.run(t, "true")
		os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o644)
		e := first.Wait()
		if out := <-read; strings.Contains(out, "made") || e.Exit == 0 {
			t.Errorf("the second took the first's protection away: %q", out)
		}
		if _, err := os.Lstat(filepath.Join(b.dir, ".claude")); err == nil {
			t.Error("X20: the protected directory is still there")
		}
	}
}

// X20: what a process that was killed left behind goes with the next one; a directory
// of the user's stays.
func TestAPlaceholderOfTheDeadIsRemoved(t *testing.T) {
	b := newBox(t)
	b.policy.Protect = []string{".claude", ".husky"}
	left, own := filepath.Join(b.dir, ".claude"), filepath.Join(b.dir, ".husky")
	if err := errors.Join(os.Mkdir(left, placeholder.Perm()|os.ModeSticky), os.Mkdir(own, 0o755)); err != nil {
		t.Fatal(err)
	}
	b.run(t, "true")
	if _, err := os.Lstat(left); err == nil {
		t.Error("the placeholder is still there")
	}
	if _, err := os.Lstat(own); err != nil {
		t.Error("the user's directory is gone")
	}
}

// What people do in a sandbox works.
func TestOrdinaryWorkGoesOn(t *testing.T) {
	b := newBox(t)
	b.policy.Protect = DefaultProtect()
	exec.Command("git", "init", "-q", b.dir).Run()
	for name, line := range map[string]string{
		"git":    "echo x >a && git add a && git -c user.email=a@b -c user.name=n commit -qm m && git log --oneline | grep -q m",
		"subst":  "diff <(echo a) <(echo a) && cat <<<x",
		"mktemp": "mktemp && mktemp -d",
		"go":     `mkdir g && cd g && printf 'module g\ngo 1.26\n' >go.mod && printf 'package main\nfunc main(){}\n' >m.go && GOFLAGS=-mod=mod GOTOOLCHAIN=local go build -o g . && ./g`,
		"python": "command -v python3 >/dev/null || exit 0; python3 -c 'import threading,subprocess;t=threading.Thread(target=lambda:subprocess.run([\"true\"],check=True));t.start();t.join()'",
		"node":   "command -v node >/dev/null || exit 0; node -e 'const{Worker}=require(\"worker_threads\");new Worker(\"1\",{eval:true}).on(\"exit\",c=>process.exit(c))'",
		"pty":    "command -v script >/dev/null || exit 0; script -qec true /dev/null",
	} {
		if name == "go" && testing.Short() {
			continue // it compiles the runtime; the ordinary user's run leaves it out
		}
		if out, e := b.run(t, line); e.Exit != 0 {
			t.Errorf("%s: %+v %q", name, e, out)
		}
	}
}

// X9: what is listed is reached through the proxy, and nothing else by any way.
func TestTheProxyIsTheOnlyWay(t *testing.T) {
	b := newBox(t)
	b.policy.Net = Net{Mode: NetProxy, Allow: []string{"good.example"}}
	out, _ := b.run(t, `exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'CONNECT evil.example:443 HTTP/1.1\r\n\r\n' >&3 && head -1 <&3; (echo >/dev/tcp/1.1.1.1/53) 2>&1 | head -1`)
	if !strings.Contains(out, "403 Forbidden") || !strings.Contains(out, "unreachable") {
		t.Errorf("%q", out)
	}
}

func TestLimits(t *testing.T) {
	b := newBox(t)
	b.policy.Limits = Limits{FileSize: 1000, OpenFiles: 50, Memory: 1 << 30}
	out, e := b.run(t, "ulimit -n -f -v; head -c 5000 /dev/zero >big")
	if !strings.Contains(out, "50") || !strings.Contains(out, "1048576") || e.Exit == 0 {
		t.Errorf("%q %+v", out, e)
	}
}

// The cheap tier keeps files from being written and sockets from being made, and says
// what it does not do.
func TestPartial(t *testing.T) {
	b := newBox(t)
	b.policy = Policy{Tier: Partial}
	for range 20 { // some of them on the main thread
		out, e := b.run(t, "cat /etc/passwd >/dev/null && echo read; (echo >/dev/tcp/127.0.0.1/1) 2>&1; echo x >a")
		if !strings.HasPrefix(out, "read\n") || e.Exit == 0 || !strings.Contains(out, "not permitted") {
			t.Fatalf("%q %+v", out, e)
		}
	}
	if err := os.WriteFile(filepath.Join(b.dir, "ours"), nil, 0o644); err != nil {
		t.Errorf("we are restricted too: %v", err)
	}
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Errorf("we are restricted too: %v", err)
	} else {
		l.Close()
	}
	p, read := b.start(t, "true")
	p.Wait()
	<-read
	if r := p.Report(); r.Tier != Partial || !slices.Contains(r.Missing, "hidden files") {
		t.Errorf("report %+v", r)
	}
}

// A directory that would give everything away is refused, not started with.
func TestUnsoundDirectoriesAreRefused(t *testing.T) {
	b := newBox(t)
	link := filepath.Join(b.dir, "link")
	os.Symlink("/etc", link)
	for _, dir := range []string{"/", "/dev", "/dev/shm", "/proc", "/sys/fs", link, "relative", "/no/such", b.dir + "/."} {
		_, err := (&Cell{b.l, Policy{Tier: Full, Write: []string{dir}}}).Start(Command{Path: "/bin/true", Dir: b.dir})
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: error %v", dir, err)
		}
	}
}

// A program that holds much memory has the helper forked by a small one.
func TestALargeProgramConfinesToo(t *testing.T) {
	ballast := make([]byte, largeSize+8<<20)
	for i := 0; i < len(ballast); i += 4096 {
		ballast[i] = 1
	}
	if !large() {
		t.Fatal("the program is not large")
	}
	b := newBox(t)
	if out, e := b.run(t, "echo hi; echo x >a; exit 3"); out != "hi\n" || e.Exit != 3 {
		t.Errorf("%q, %+v", out, e)
	}
	if out, e := b.run(t, "kill -TERM $$"); e.Signal != syscall.SIGTERM {
		t.Errorf("%q, %+v", out, e)
	}
	p, read := b.start(t, "export MARKlarge=1; setsid sleep 1000 & trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done")
	time.Sleep(100 * time.Millisecond)
	p.Signal(syscall.SIGTERM)
	if e := p.Wait(); e.Exit != 7 {
		t.Errorf("asked to end: %+v, %q", e, <-read)
	}
	p, read = b.start(t, "export MARKlarge=1; trap '' TERM; setsid sleep 1000 & sleep 1001")
	time.Sleep(100 * time.Millisecond)
	p.Kill()
	if e := p.Wait(); e.Signal != syscall.SIGKILL {
		t.Errorf("killed: %+v, %q", e, <-read)
	}
	if left := marked(t, "MARKlarge"); len(left) > 0 {
		t.Errorf("%v are still there", left)
	}
	ballast[0]++
}

// A command runs on a copy; what it changed is seen, kept or dropped.
func TestOverlay(t *testing.T) {
	b := newBox(t)
	for name, text := range map[string]string{"keep": "k", "change": "old", "delete": "d", "dir/a": "a", "dir/b": "b", "gone/x": "x"} {
		os.MkdirAll(filepath.Dir(filepath.Join(b.dir, name)), 0o755)
		os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o644)
	}
	list := func() string {
		out, _ := exec.Command("sh", "-c", "cd "+b.dir+" && find . -type f -o -type l | sort | while read f; do echo $f=$(cat $f); done").Output()
		return string(out)
	}
	before := list()
	o, err := NewOverlay("/var/tmp", b.policy)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Drop()
	b.policy = o.Policy(b.policy)
	out, e := b.run(t, "echo new >change; rm delete dir/a; rm -r gone; mkdir -p made/deep; echo m >made/deep/f; chmod 755 made/deep/f; ln -s keep link; rm -r dir; mkdir dir; echo c >dir/c; cat change; ls -d /tmp/.overlay 2>/dev/null")
	if out != "new\n" {
		t.Fatalf("%+v, %q", e, out)
	}
	if after := list(); after != before {
		t.Errorf("the workspace changed:\n%s", after)
	}
	changes, err := o.Changes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, string(c.Kind)+" "+c.Path)
	}
	want := "changed change, deleted delete, deleted dir, created dir, created dir/c, deleted gone, created link, created made, created made/deep, created made/deep/f"
	if strings.Join(got, ", ") != want {
		t.Errorf("changes %q, want %q", strings.Join(got, ", "), want)
	}
	if err := o.Keep(); err != nil {
		t.Fatal(err)
	}
	if after := list(); after != "./change=new\n./dir/c=c\n./keep=k\n./link=k\n./made/deep/f=m\n" {
		t.Errorf("kept:\n%s", after)
	}
	if info, err := os.Stat(filepath.Join(b.dir, "made/deep/f")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := o.Drop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(o.dir); err == nil {
		t.Error("the overlay is still there")
	}
}

// A launcher that did not stand its trial starts nothing.
func TestTrial(t *testing.T) {
	b := newBox(t)
	asked := 0
	b.l = New(Config{Trial: func(*Launcher) error { asked++; return errors.New("it leaks") }})
	for range 2 {
		_, err := (&Cell{b.l, b.policy}).Start(Command{Path: "/bin/true", Dir: b.dir})
		if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "it leaks") {
			t.Errorf("error %v", err)
		}
	}
	if asked != 1 {
		t.Errorf("tried %d times", asked)
	}
	b.l = New(Config{Trial: func(l *Launcher) error {
		if m := l.Probe(); m.Tier != Full {
			return errors.New(m.Reason)
		}
		return nil
	}})
	if out, _ := b.run(t, "echo hi"); out != "hi\n" {
		t.Errorf("%q", out)
	}
}

// A home that stays is there again, and nowhere else.
func TestHomeThatStays(t *testing.T) {
	b := newBox(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b.policy.Home, b.policy.Env = home, []string{"SAID=so"}
	b.run(t, "mkdir -p ~/.cache && echo x >~/.cache/f")
	if out, _ := b.run(t, "cat ~/.cache/f; echo $SAID; ls -d "+home+" 2>/dev/null"); out != "x\nso\n" {
		t.Errorf("%q", out)
	}
	if raw, err := os.ReadFile(filepath.Join(home, ".cache", "f")); err != nil || string(raw) != "x\n" {
		t.Errorf("%q, %v", raw, err)
	}
}
