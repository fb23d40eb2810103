package policy

import (
	"testing"
)

// wrapperRows are lines in which what starts a command does more than that.
var wrapperRows = []row{
	{"S9 a wrapper of one's own", "./timeout 5 git log", "ask"},
	{"S9 nohup of one's own", "sub/nohup git log", "ask"},
	{"S10 a shell of one's own", "./bash -c 'git log'", "ask"},
	{"S9 xargs of one's own", "./xargs echo", "ask"},
	{"S9 time writes", `\time -o f git log`, "ask"},
	{"S9 time writes, by command", "command time -of git log", "ask"},
	{"S9 time writes, by a path", "/usr/bin/time -o f git log", "ask"},
	{"S9 harmless options", "timeout -k 3 -s INT 5 nice -n 5 stdbuf -oL git log", "allow"},
}

func TestWrappersThatDoMore(t *testing.T) {
	p, err := New(Config{Roots: []string{workspace(t)}, Rules: claude(t, Allow, "Bash(git *)", "Bash(echo *)", "Bash(npm run *)")})
	if err != nil {
		t.Fatal(err)
	}
	decideAll(t, p, wrapperRows)
}

// P2: what is started with other settings is not proven to read, whatever it is.
func TestPlanningLooksAtAssignments(t *testing.T) {
	p, err := New(Config{Roots: []string{workspace(t)}, Mode: Plan, Rules: claude(t, Allow, "Bash")})
	if err != nil {
		t.Fatal(err)
	}
	decideAll(t, p, []row{
		{"preload", "LD_PRELOAD=./x.so timeout 5 ls", "deny"},
		{"bash reads a file", "BASH_ENV=./x bash -c ls", "deny"},
		{"harmless", "LC_ALL=C timeout 5 ls", "allow"},
	})
}

// Deny sees through whatever starts a command, even where the rest is allowed.
func TestDenyThroughWrappers(t *testing.T) {
	rules := append(claude(t, Allow, "Bash"), claude(t, Deny, "Bash(rm *)")...)
	p, err := New(Config{Roots: []string{workspace(t)}, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"command -p rm x", "echo x | xargs -i rm {}", "echo x | xargs -l rm", "echo x | xargs --replace rm {}", "timeout --k 3 5 rm x",
		"timeout --sig KILL 5 rm x", "sudo --use root rm x", "bash -eoc pipefail 'rm x'", "flock -c 'rm x' f", "flock f -c 'rm x'", "script -qc 'rm x'",
		"su -c 'rm x'", "su root --command='rm x'", "runuser -u x -- rm x", "systemd-run --user rm x", "setpriv --reuid 1 rm x", "prlimit --nofile=1 /bin/rm x",
		"fakeroot rm x", "setarch x86_64 rm x", "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
	} {
		decideAll(t, p, []row{{line, line, "deny"}})
	}
}

// S11: a rule on the first words of a reader does not let it write or run.
func TestOptionsThatSurprise(t *testing.T) {
	dir := workspace(t)
	p, err := New(Config{Roots: []string{dir}, Rules: claude(t, Allow, "Bash(git log:*)", "Bash(git grep *)", "Bash(sort *)", "Bash(rg *)", "Bash(tar *)", "Bash(date *)", "Bash(git log --output=f)")})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"git log --output=g": "ask", "git log --outp=g": "ask", "git log --output g": "ask", "git log -p --ext-diff": "ask", "git grep -Oless x": "ask",
		"git grep -nO x": "ask", "git grep --open-files-in-pager=x y": "ask", "sort -uof a.txt": "ask", "sort --outp=f a.txt": "ask", "rg --pre x y": "ask", "rg --pre=x y": "ask",
		"tar -xf a --to-command=x": "ask", "date -s x": "ask", "git log --output=f": "allow", "git log -p --oneline": "allow", "git grep -n x": "allow", "tar -xf a": "allow",
	} {
		decideAll(t, p, []row{{line, line, want}})
	}
}
