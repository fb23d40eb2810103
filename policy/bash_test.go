package policy

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolfall/toolfall/policy/command"
)

// pieces are what lines are made of: programs that are allowed, ways to run one that
// is not, and what stands between.
var pieces = struct{ words, hidden, joints, frames []string }{
	words: []string{"ok", "ok x", "echo a", "echo 'b c'", "true", "ls", "ok \"$HOME\"", "LC_ALL=C ok", "timeout 5 ok", "nice ok", "bash -c 'ok x'", "command ok"},
	hidden: []string{
		"evil", `e\vil`, "'evil'", `"ev"il`, `$'\x65vil'`, `$'\145vil'`, "{evil,x}", "ev{il,}", "$(evil)", "`evil`", `"$(evil)"`, "<(evil)", "${x:-$(evil)}",
		"$X", "${X}", "$X y", "\"$X\"", "ev*", "ev?l", "ok;evil", "ok&evil", "ok|evil", "ok&&evil", "ok\nevil", "ok #'\nevil", "e\\\nvil", "ok \\\n;evil",
		"eval evil", "eval 'ev''il'", "command evil", "builtin eval evil", "exec evil", "env evil", "env -S evil", "env A=b evil", "nohup evil", "timeout 5 evil", "nice -n 1 evil",
		"bash -c evil", `bash -c "ev"il`, "bash -c 'ok;evil'", "sh -c 'evil'", "bash <<<evil", "bash <<E\nevil\nE", "echo evil|bash", "xargs evil </dev/null", "echo x|xargs evil",
		"xargs -I{} evil </dev/null", "echo evil|xargs -I% %", "find . -maxdepth 0 -exec evil {} ;", `find . -maxdepth 0 -exec evil {} \;`, `find . -maxdepth 0 -ok evil \;`,
		"trap evil EXIT", "trap 'evil' 0", ". <(echo evil)", "source /dev/stdin <<<evil", "f() { evil; }; f", "f(){ evil;};f", "function f { evil; }; f", "ok() { evil; }; ok",
		"alias ok=evil; ok", "a=(\"$(evil)\")", "a[$(evil)]=1", "((a[$(evil)]))", "$((a[$(evil)]))", "[[ -v a[$(evil)] ]]", "[[ $(evil) ]]", "test -v 'a[$(evil)]'", "printf -v 'a[$(evil)]' x",
		"let 'a[$(evil)]=1'", "read 'a[$(evil)]' <<<x", "declare 'a[$(evil)]=1'", "x='$(evil)'; echo ${x@P}", "y='a[$(evil)]'; echo $((y))", "coproc evil", "time evil", "! evil", "cat <<E\n$(evil)\nE", "cat <<E\n`evil`\nE",
		"case $(evil) in *) ok;; esac", "case x in $(evil)) ok;; esac", "for i in $(evil); do ok; done", "for i in evil; do $i; done", "while evil; do break; done", "if evil; then ok; fi", "until evil; do break; done",
		"echo x >$(evil)", "echo x >>`evil`", "PATH=.:$PATH ok", "PATH=../other ok", "BASH_ENV=x bash -c ok", "echo ${a:$(evil)}", "echo ${a/$(evil)/x}", "echo @($(evil))", "${X}", "${!Y}", "$Y", "\"$(ok)\" evil", "ok\revil", "ok\x0bevil", "ok\u00a0;evil",
		"{ evil; }", "(evil)", "((1)); evil", "hash -p ./evil ok; ok", "enable -n echo; evil", "mapfile -C evil -c 1 <<<x", "bind -x evil", "PROMPT_COMMAND=evil bash -c ok", "command -p evil", "shopt -s expand_aliases; evil", "exec -a ok evil",
	},
	joints: []string{"; ", " && ", " || ", " | ", " & ", "\n", " ;\n", " |& "},
	frames: []string{"%", "(%)", "{ %; }", "if %; then ok; fi", "for i in 1; do %; done", "echo \"$(%)\"", "ok <(%)", "bash -c '%'", "timeout 5 %", "! %", "time %", "% # x", "%\n", "% >/dev/null", "% 2>&1", "cat <<E\n$(%)\nE", "[[ x ]] && %", "eval \"%\"", "% </dev/null"},
}

// line makes a line; choose(n) is a number below n.
func line(choose func(int) int) string {
	pick := func(from []string) string { return from[choose(len(from))] }
	var parts []string
	for range 1 + choose(3) {
		part := pick(pieces.words)
		if choose(3) == 0 {
			part = pick(pieces.hidden)
		}
		if choose(3) == 0 {
			part = strings.ReplaceAll(pick(pieces.frames), "%", part)
		}
		parts = append(parts, part, pick(pieces.joints))
	}
	return strings.Join(parts[:len(parts)-1], "")
}

// recorder is a directory of programs that leave their names behind.
type recorder struct{ dir, log string }

func newRecorder(t testing.TB) *recorder {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	r := &recorder{dir: t.TempDir()}
	r.log = filepath.Join(r.dir, "log")
	bin := filepath.Join(r.dir, "bin")
	os.Mkdir(bin, 0o755)
	os.Mkdir(filepath.Join(r.dir, "work"), 0o755)
	os.Mkdir(filepath.Join(r.dir, "other"), 0o755)
	for _, path := range []string{"bin/ok", "bin/evil", "other/ok", "work/ok", "work/evil"} {
		name := path
		if path == "bin/ok" {
			name = "fine"
		}
		script := "#!/bin/sh\necho " + name + " >>" + r.log + "\n"
		if err := os.WriteFile(filepath.Join(r.dir, path), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"bash", "sh", "cat", "ls", "timeout", "nice", "nohup", "env", "xargs", "find", "true"} {
		if path, err := exec.LookPath(name); err == nil {
			os.Symlink(path, filepath.Join(bin, name))
		}
	}
	return r
}

// ran returns what a line ran that it must not.
func (r *recorder) ran(line string) string {
	os.Remove(r.log)
	c := exec.Command("bash", "--noprofile", "--norc", "-c", line)
	c.Dir = filepath.Join(r.dir, "work")
	c.Env = []string{"PATH=" + filepath.Join(r.dir, "bin"), "HOME=" + r.dir, "X=evil", "Y=X"}
	c.WaitDelay = time.Second
	timer := time.AfterFunc(5*time.Second, func() { c.Process.Kill() })
	defer timer.Stop()
	c.Run()
	raw, _ := os.ReadFile(r.log)
	return strings.TrimSpace(strings.ReplaceAll(string(raw), "fine\n", ""))
}

func allowing(t testing.TB, r *recorder) *Policy {
	t.Helper()
	p, err := New(Config{Roots: []string{filepath.Join(r.dir, "work")}, Home: r.dir, Rules: []Rule{
		{Effect: Allow, Tool: "bash", When: When{Command: "ok *"}}, {Effect: Allow, Tool: "bash", When: When{Command: "echo *"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decideLine(p *Policy, line string) *Decision {
	args, _ := json.Marshal(map[string]string{"command": line})
	return p.Decide("bash", args)
}

// No line that is allowed makes bash run a program that is not.
func TestAllowedLinesRunNothingElse(t *testing.T) {
	r := newRecorder(t)
	p := allowing(t, r)
	random := rand.New(rand.NewPCG(1, 2))
	allowed := 0
	check := func(line string) {
		if decideLine(p, line).Effect != Allow {
			return
		}
		allowed++
		if ran := r.ran(line); ran != "" {
			t.Errorf("%q is allowed, and ran %q", line, ran)
		}
	}
	for _, piece := range pieces.hidden {
		for _, frame := range pieces.frames {
			check(strings.ReplaceAll(frame, "%", piece))
		}
	}
	alone := allowed
	for range 1500 {
		check(line(random.IntN))
	}
	t.Logf("%d lines were allowed and run, %d of them made of one piece", allowed, alone)
	if allowed < 200 {
		t.Errorf("only %d lines were allowed", allowed)
	}
}

// FuzzAllowedLines is the same with lines that the fuzzer chooses.
func FuzzAllowedLines(f *testing.F) {
	r := newRecorder(f)
	p := allowing(f, r)
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7})
	f.Fuzz(func(t *testing.T, choices []byte) {
		i := 0
		text := line(func(n int) int {
			if i++; i > len(choices) {
				return 0
			}
			return int(choices[i-1]) % n
		})
		if decideLine(p, text).Effect == Allow {
			if ran := r.ran(text); ran != "" {
				t.Errorf("%q is allowed, and ran %q", text, ran)
			}
		}
	})
}

// FuzzDecide decides about anything at all.
func FuzzDecide(f *testing.F) {
	p, err := New(Config{Roots: []string{f.TempDir()}, Rules: []Rule{
		{Effect: Deny, Tool: "bash", When: When{Command: "rm *"}}, {Effect: Deny, Tool: "read_file", When: When{Path: ".env"}}, {Effect: Allow, Tool: "bash", When: When{Command: "git *"}},
	}})
	if err != nil {
		f.Fatal(err)
	}
	for _, hidden := range pieces.hidden {
		f.Add(hidden)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := decideLine(p, text)
		if d.Effect == None || len(d.Steps) == 0 {
			t.Errorf("%q: %+v", text, d)
		}
		if a := command.Scan(text); len(text) <= command.MaxLength && a.Err != nil && d.Effect == Allow {
			t.Errorf("%q does not parse and is allowed", text)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	var rules []Rule
	for i := range 200 {
		rules = append(rules, Rule{Effect: []Effect{Allow, Deny, Ask}[i%3], Tool: "bash", When: When{Command: "tool" + string(rune('a'+i%26)) + " sub" + string(rune('a'+i/26)) + " *"}})
	}
	rules = append(rules, Rule{Effect: Allow, Tool: "bash", When: When{Command: "git *"}}, Rule{Effect: Allow, Tool: "bash", When: When{Command: "make *"}})
	p, err := New(Config{Rules: rules, Roots: []string{b.TempDir()}})
	if err != nil {
		b.Fatal(err)
	}
	args, _ := json.Marshal(map[string]string{"command": "cd src && git log --oneline | head -5; make check && echo done"})
	b.Run("command of 5 parts, 200 rules", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Decide("bash", args)
		}
	})
}
