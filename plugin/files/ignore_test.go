package files

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// gitIgnores asks git which of the paths are ignored. As in a walk, a path below
// an ignored directory is.
func gitIgnores(t *testing.T, dir string, paths []string) []string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	run := func(stdin string, arguments ...string) string {
		c := exec.Command(git, append([]string{"-c", "core.excludesFile=" + os.DevNull}, arguments...)...)
		c.Dir, c.Stdin = dir, strings.NewReader(stdin)
		out, err := c.Output()
		if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() > 1) { // 1: none is ignored
			t.Fatalf("git %v: %v", arguments, err)
		}
		return string(out)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		run("", "init", "-q")
	}
	out := run(strings.Join(paths, "\x00")+"\x00", "check-ignore", "-z", "--stdin", "--no-index")
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
}

// makeTree makes files, and directories where a path ends in a slash.
func makeTree(t *testing.T, dir string, paths map[string]string) {
	t.Helper()
	for name, content := range paths {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(p, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// walked returns the paths of a walk, in its order.
func walked(t *testing.T, dir, start string, ignored bool) []string {
	t.Helper()
	tree, err := openTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.close()
	w := &walk{tools: &tools{tree: tree}, start: place{tree.roots[0], start}, ignored: ignored, levels: maxLevels}
	var names []string
	for e := range w.entries(t.Context()) {
		names = append(names, e.name)
	}
	if w.skipped.n > 0 {
		t.Errorf("left out: %v", w.skipped.some)
	}
	return names
}

// notIgnored is what git would leave of a tree.
func notIgnored(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		if d.Name() == ".git" {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(dir, p)
		all = append(all, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ignored := gitIgnores(t, dir, all)
	return slices.DeleteFunc(all, func(p string) bool { return slices.Contains(ignored, p) })
}

func TestWalkLeavesOutWhatGitIgnores(t *testing.T) {
	dir := t.TempDir()
	makeTree(t, dir, map[string]string{
		".gitignore": "\ufeff*.log\n# comment\n\\#literal\n\\!bang\n/rooted\nbuild/\n!keep.log\ndoc/*.txt\na/**/z\nlogs/**\n" +
			"trailing   \nspace\\ \n*.[oa]\n!lib.a\n[!a-c]q\n**/deep/x\nfoo/**/bar\nwin.txt\r\n/\n\\\ntmp[[:digit:]]\nx**y\n**/node_modules/**\n",
		"sub/.gitignore":    "!*.log\nonly-here\n/top\nbuild\n",
		"sub/in/.gitignore": "*.log\n",
		"one.log":           "", "keep.log": "", "#literal": "", "!bang": "", "rooted": "", "sub/rooted": "",
		"build/out": "", "sub/build/out": "", "other/build": "", "doc/a.txt": "", "doc/in/a.txt": "", "sub/doc/a.txt": "",
		"a/z": "", "a/b/z": "", "a/b/c/z": "", "b/a/z": "", "logs/x/y": "", "logs/z": "", "trailing": "", "space ": "", "space": "",
		"m.o": "", "m.a": "", "lib.a": "", "aq": "", "dq": "", "q": "", "deep/x": "", "r/deep/x": "", "foo/bar": "", "foo/1/2/bar": "", "foobar": "",
		"win.txt": "", "tmp1": "", "tmpx": "", "xy": "", "x1y": "", "x/y": "", "sub/two.log": "", "sub/in/three.log": "", "only-here": "", "sub/only-here": "",
		"sub/in/only-here": "", "sub/top": "", "sub/in/top": "", "node_modules/p/i": "", "k/node_modules/p": "", "empty/": "",
	})
	want := notIgnored(t, dir)
	got := walked(t, dir, ".", false)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("walked\n%q\ngit leaves\n%q", got, want)
	}
}

func TestWalkFromBelowKnowsTheRulesAbove(t *testing.T) {
	dir := t.TempDir()
	makeTree(t, dir, map[string]string{
		".gitignore": "*.log\n/a/b/secret\n", "a/.gitignore": "*.tmp\n", "a/b/.gitignore": "!keep.tmp\n",
		"a/b/x.log": "", "a/b/x.tmp": "", "a/b/keep.tmp": "", "a/b/secret": "", "a/b/c": "", ".git/info/exclude": "c\n",
	})
	if got, want := walked(t, dir, "a/b", false), []string{"a/b/.gitignore", "a/b/keep.tmp"}; !slices.Equal(got, want) {
		t.Errorf("walked %q, want %q", got, want)
	}
	if got := walked(t, dir, "a/b", true); len(got) != 6 {
		t.Errorf("with what is ignored, walked %q", got)
	}
}

// A .gitignore that is a link is not followed, as git does not.
func TestLinkedRulesAreNoRules(t *testing.T) {
	dir := t.TempDir()
	makeTree(t, dir, map[string]string{"rules": "x\n", "x": ""})
	if err := os.Symlink("rules", filepath.Join(dir, ".gitignore")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if got, want := walked(t, dir, ".", false), []string{".gitignore", "rules", "x"}; !slices.Equal(got, want) {
		t.Errorf("walked %q, want %q", got, want)
	}
}

// Patterns put together at random mean what they mean to git.
func TestRandomPatternsMeanWhatTheyMeanToGit(t *testing.T) {
	dir := t.TempDir()
	tree := make(map[string]string)
	names := []string{"a", "b", "ab", "a.b", "-", "]"}
	for _, x := range names {
		tree[x+"f"] = ""
		for _, y := range names {
			tree[x+"/"+y+"/a"], tree[x+"/"+y+"/b.c"] = "", ""
		}
	}
	makeTree(t, dir, tree)
	pieces := []string{"a", "b", "ab", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[a-b]", "[^-]", "[]a]", "[a-]", "[[:alpha:]]",
		"[[:punct:]b]", "[b-a]", "\\a", "\\*", ".", "-", "!", "f", "[\\]]", "[[:x:]]"}
	r := rand.New(rand.NewPCG(9, 11))
	for round := range 60 {
		var rules bytes.Buffer
		for range 1 + r.IntN(3) {
			for range 1 + r.IntN(5) {
				rules.WriteString(pieces[r.IntN(len(pieces))])
			}
			rules.WriteByte('\n')
		}
		makeTree(t, dir, map[string]string{".gitignore": rules.String()})
		want := notIgnored(t, dir)
		got := walked(t, dir, ".", false)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("round %d, rules\n%s\nwalked\n%q\ngit leaves\n%q", round, rules.String(), got, want)
		}
	}
}

func FuzzIgnoresAreParsed(f *testing.F) {
	f.Add([]byte("*.log\n!a/**/[b-c]\\\n"), "a/b/c")
	f.Fuzz(func(t *testing.T, rules []byte, name string) {
		g := parseIgnores(nil, ".", bytes.NewReader(rules))
		g.match(name, false)
		g.match(name, true)
	})
}

// Patterns that take exponential time by going back to every star.
func TestHostilePatternIsNotSlow(t *testing.T) {
	star := strings.Repeat("a*", 50) + "b"
	deep := strings.Repeat("**/a/", 50) + "b"
	g := parseIgnores(nil, ".", strings.NewReader(star+"\n"+deep+"\n"))
	begun := time.Now()
	if g.match(strings.Repeat("a", 200), false) || g.match(strings.Repeat("a/", 200)+"c", false) {
		t.Error("matched")
	}
	if took := time.Since(begun); took > 10*time.Second { // not a measure: exponential work would never end
		t.Errorf("took %v", took)
	}
}
