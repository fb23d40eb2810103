package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/files"
)

func TestGrepFindsLines(t *testing.T) {
	s := open(t, files.Config{})
	s.put("b.txt", "alpha\nbeta\r\ngamma\n")
	s.put("a/x.go", "beta\n\nBeta")
	s.put("a.txt", "beta")
	for _, c := range []struct {
		a    args
		want string
	}{
		{args{"pattern": "beta"}, "a/x.go:1:beta\na.txt:1:beta\nb.txt:2:beta\n"},
		{args{"pattern": "^b.*a$"}, "a/x.go:1:beta\na.txt:1:beta\nb.txt:2:beta\n"},
		{args{"pattern": `\Abeta\z`, "path": "b.txt"}, "b.txt:2:beta\n"},
		{args{"pattern": "BETA", "ignore_case": true, "path": "a"}, "a/x.go:1:beta\na/x.go:3:Beta\n"},
		{args{"pattern": "beta", "mode": "files"}, "a/x.go\na.txt\nb.txt\n"},
		{args{"pattern": "[bB]eta", "mode": "count"}, "a/x.go:2\na.txt:1\nb.txt:1\n\n4 matching lines in 3 files\n"},
		{args{"pattern": "eta", "glob": "*.txt"}, "a.txt:1:beta\nb.txt:2:beta\n"},
		{args{"pattern": "eta", "glob": "a/**/*.{go,js}"}, "a/x.go:1:beta\na/x.go:3:Beta\n"},
		{args{"pattern": "^$"}, "a/x.go:2:\n"},
		{args{"pattern": "delta"}, "no line matches delta in . (3 files searched)\n"},
	} {
		s.equal(s.ok("grep", c.a), c.want)
	}
}

func TestGrepShowsContext(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n")
	s.put("b.txt", "hit\n")
	want := "a.txt-2-2\na.txt:3:hit\na.txt-4-4\n--\na.txt-7-7\na.txt:8:hit\na.txt:9:hit\na.txt-10-10\n--\nb.txt:1:hit\n"
	s.equal(s.ok("grep", args{"pattern": "hit", "before": 1, "after": 1}), want)
	s.equal(s.ok("grep", args{"pattern": "h.t|nothing", "before": 1, "after": 1}), want) // without a literal to look for
	s.equal(s.ok("grep", args{"pattern": "hit", "path": "a.txt", "before": 2, "limit": 1}),
		"a.txt-1-1\na.txt-2-2\na.txt:3:hit\n\n[only the first 1 match: there are more; narrow the search]\n")
}

// Lines that lie across the chunks in which a file is read are found, numbered and
// shown with their context like all others.
func TestGrepAcrossChunks(t *testing.T) {
	s := open(t, files.Config{})
	var text, want strings.Builder
	for i := 1; i <= 30_000; i++ {
		line := fmt.Sprintf("line %d %s", i, strings.Repeat("x", i%97))
		if i%1000 == 0 {
			line = fmt.Sprintf("needle %d", i)
			fmt.Fprintf(&want, "a.txt-%d-line %d %s\na.txt:%d:%s\n", i-1, i-1, strings.Repeat("x", (i-1)%97), i, line)
			if i < 30_000 {
				want.WriteString("--\n")
			}
		}
		text.WriteString(line + "\n")
	}
	s.put("a.txt", text.String())
	for _, pattern := range []string{"needle", "nee[d]le|n[e]ver"} {
		s.equal(s.ok("grep", args{"pattern": pattern, "before": 1}), want.String())
	}
}

func TestGrepLeavesOutWhatIsNotText(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.bin", "needle\x00\n")
	s.put("late.bin", strings.Repeat("x\n", 50_000)+"\x00needle\n")
	s.put("a.txt", "needle\n")
	s.equal(s.ok("grep", args{"pattern": "needle"}), "a.txt:1:needle\n")
}

func TestGrepShowsTheMatchInALongLine(t *testing.T) {
	s := open(t, files.Config{MaxLine: 40})
	s.put("a.min.js", strings.Repeat("é", 1000)+"needle"+strings.Repeat("ü", 1000)+"\n")
	s.equal(s.ok("grep", args{"pattern": "needle"}),
		"a.min.js:1:… ééééé"+"needle"+strings.Repeat("ü", 29)+" … [cut here: this line has 4006 bytes]\n")
}

func TestLineLongerThanAnyBufferIsSearched(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", strings.Repeat("x", 5<<20)+"needle\nnext needle\n")
	got := s.ok("grep", args{"pattern": "needle"})
	if len(got) > 10_000 || !strings.Contains(got, "needle\n") || !strings.HasSuffix(got, "a.txt:2:next needle\n") {
		t.Errorf("grep = %d bytes that end in %q", len(got), got[max(0, len(got)-100):])
	}
}

func TestSearchesRespectGitignore(t *testing.T) {
	s := open(t, files.Config{})
	s.put(".gitignore", "node_modules/\n*.log\n!keep.log\n")
	s.put("node_modules/x.txt", "needle\n")
	s.put("a.log", "needle\n")
	s.put("keep.log", "needle\n")
	s.put(".git/config.txt", "needle\n")
	s.equal(s.ok("grep", args{"pattern": "needle"}), "keep.log:1:needle\n")
	s.equal(s.ok("glob", args{"pattern": "**/*.{log,txt}"}), "keep.log\n")
	s.equal(s.ok("grep", args{"pattern": "needle", "ignored": true, "mode": "files"}), "a.log\nkeep.log\nnode_modules/x.txt\n")
	s.equal(s.ok("glob", args{"pattern": "**/*.{log,txt}", "ignored": true}), "a.log\nkeep.log\nnode_modules/x.txt\n")
	s.equal(s.ok("grep", args{"pattern": "needle", "path": "node_modules"}), "node_modules/x.txt:1:needle\n") // asked for by name
	s.equal(s.ok("grep", args{"pattern": "needle", "path": "a.log"}), "a.log:1:needle\n")
}

func TestSearchesAreCapped(t *testing.T) {
	s := open(t, files.Config{MaxResults: 3})
	for i := range 200 {
		s.put(fmt.Sprintf("d%d/f.txt", i%20), strings.Repeat("needle\n", 5))
		s.put(fmt.Sprintf("d%d/g%d.txt", i%20, i), strings.Repeat("needle\n", 5))
	}
	const more = "\n[only the first 3 %s: there are more; narrow the search]\n"
	s.equal(s.ok("grep", args{"pattern": "needle"}),
		"d0/f.txt:1:needle\nd0/f.txt:2:needle\nd0/f.txt:3:needle\n"+fmt.Sprintf(more, "matches"))
	s.equal(s.ok("grep", args{"pattern": "needle", "mode": "files"}), "d0/f.txt\nd0/g0.txt\nd0/g100.txt\n"+fmt.Sprintf(more, "files"))
	s.equal(s.ok("grep", args{"pattern": "needle", "mode": "count", "limit": 2}),
		"d0/f.txt:5\nd0/g0.txt:5\n\n[only the first 2 files: there are more; narrow the search]\n")
	s.equal(s.ok("glob", args{"pattern": "**"}), "d0/f.txt\nd0/g0.txt\nd0/g100.txt\n"+fmt.Sprintf(more, "paths"))
	s.equal(s.ok("grep", args{"pattern": "needle", "path": "d1/f.txt", "limit": 5}),
		"d1/f.txt:1:needle\nd1/f.txt:2:needle\nd1/f.txt:3:needle\n"+fmt.Sprintf(more, "matches"))
	s.equal(s.ok("list_dir", args{}), "d0/\nd1/\nd10/\n\n[3 of 20 entries; use glob to find the others]\n")
}

func TestAnswersAreBoundedInBytes(t *testing.T) {
	s := open(t, files.Config{MaxBytes: 1000})
	for i := range 100 {
		s.put(fmt.Sprintf("f%02d.txt", i), strings.Repeat("needle "+strings.Repeat("x", 90)+"\n", 10))
	}
	for tool, a := range map[string]args{"grep": {"pattern": "needle"}, "glob": {"pattern": "**", "path": "."}} {
		if got := s.ok(tool, a); len(got) > 1100 || tool == "grep" && !strings.Contains(got, "there are more") {
			t.Errorf("%s returned %d bytes", tool, len(got))
		}
	}
	if got := s.ok("list_dir", args{}); len(got) > 1100 || !strings.Contains(got, " of 100 entries") {
		t.Errorf("list_dir returned %d bytes", len(got))
	}
}

// The workers finish in any order; the answer is always in that of the paths.
func TestSearchOrderIsThatOfThePaths(t *testing.T) {
	s := open(t, files.Config{Workers: 8})
	var want []string
	for _, dir := range []string{"a", "a/b", "a/b/c", "a.d", "b"} {
		for i := range 60 {
			name := fmt.Sprintf("%s/%02d.txt", dir, i)
			s.put(name, "needle\n"+strings.Repeat("x\n", i*997%5000))
			want = append(want, name)
		}
	}
	slices.SortFunc(want, func(a, b string) int {
		return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
	})
	for range 10 {
		s.equal(s.ok("grep", args{"pattern": "needle", "mode": "files"}), strings.Join(want, "\n")+"\n")
	}
	s.equal(s.ok("glob", args{"pattern": "**/*.txt"}), strings.Join(want, "\n")+"\n")
}

func TestLinksAreNotWalked(t *testing.T) {
	s := open(t, files.Config{})
	s.put("real/a.txt", "needle\n")
	for name, target := range map[string]string{"real/loop": "..", "file": "real/a.txt"} {
		if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	s.equal(s.ok("grep", args{"pattern": "needle"}), "real/a.txt:1:needle\n")
	s.equal(s.ok("glob", args{"pattern": "**"}), "file\nreal/a.txt\nreal/loop\n")
	s.equal(s.ok("list_dir", args{"path": "real"}), "a.txt\t7 bytes\nloop -> ..\n")
}

func TestGlobPatterns(t *testing.T) {
	s := open(t, files.Config{})
	for _, name := range []string{"a.go", "b.md", "src/a.go", "src/a_test.go", "src/in/b.js", "src/in/c.ts", ".hidden/x.go"} {
		s.put(name, "x")
	}
	for pattern, want := range map[string]string{
		"*.go":                        "a.go\n",
		"**/*.go":                     ".hidden/x.go\na.go\nsrc/a.go\nsrc/a_test.go\n",
		"src/*.go":                    "src/a.go\nsrc/a_test.go\n",
		"src/**/*.{js,ts}":            "src/in/b.js\nsrc/in/c.ts\n",
		"src/in/[ab].*":               "src/in/b.js\n",
		"**/":                         ".hidden/\nsrc/\nsrc/in/\n",
		"src/a.go":                    "src/a.go\n",
		filepath.Join(s.dir, "*.md"):  "b.md\n",
		filepath.Join(s.dir, "src/*"): "src/a.go\nsrc/a_test.go\n",
		"*.rs":                        "no file in . matches *.rs; **/*.rs would look below it too\n",
		"src/*.rs":                    "no file in src matches *.rs; **/*.rs would look below it too\n",
	} {
		s.equal(s.ok("glob", args{"pattern": pattern}), want)
	}
	s.equal(s.ok("glob", args{"pattern": "in/*", "path": "src"}), "src/in/b.js\nsrc/in/c.ts\n")
	s.fails("glob", args{"pattern": "none/*"}, "none does not exist")
	s.fails("glob", args{"pattern": "../*"}, "outside")
	s.fails("glob", args{"pattern": "/etc/*"}, "outside")
	s.fails("glob", args{"pattern": "a.go/*"}, "a.go is a file, not a directory")
}

func TestBadPatternsAreExplained(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "x")
	s.fails("grep", args{"pattern": "f(x"}, `missing closing ): `+"`f(x`", `to search for it as plain text use "f\\(x"`)
	s.fails("grep", args{"pattern": "x", "glob": "[a"}, "glob:", "not a pattern")
	s.fails("grep", args{"pattern": "x", "mode": "lines"}, `"mode" must be one of`)
	s.fails("grep", args{"pattern": "x", "path": "none"}, "none does not exist")
	s.fails("glob", args{"pattern": "{a,b"}, "not a pattern")
	s.fails("glob", args{"pattern": strings.Repeat("{a,b,c}", 20)}, "alternatives")
	s.fails("glob", args{"pattern": strings.Repeat("*a", 40)}, "stars")
	s.fails("glob", args{}, `missing required property "pattern"`)
}

func TestListingIsSortedDirectoriesFirst(t *testing.T) {
	s := open(t, files.Config{})
	s.put("b/x", "")
	s.put("a.txt", "hello\n")
	s.put("big.bin", strings.Repeat("x", 20<<10))
	s.put(".hidden", "")
	s.put("Z/x", "")
	s.equal(s.ok("list_dir", args{}), "Z/\nb/\n.hidden\t0 bytes\na.txt\t6 bytes\nbig.bin\t20.0 KiB\n")
	if err := os.Mkdir(filepath.Join(s.dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.equal(s.ok("list_dir", args{"path": "empty"}), "empty is empty")
	s.fails("list_dir", args{"path": "emty"}, "did you mean empty?")
}

func TestTooDeepTreeIsToldNotWalked(t *testing.T) {
	s := open(t, files.Config{})
	s.put(strings.Repeat("d/", 120)+"deep.txt", "needle\n")
	s.put("a.txt", "needle\n")
	got := s.ok("grep", args{"pattern": "needle"})
	if !strings.HasPrefix(got, "a.txt:1:needle\n") || !strings.Contains(got, "more than 100 levels deep") {
		t.Errorf("grep = %q", got)
	}
}

// A search that is cancelled ends, and none of its goroutines stays: Execute
// returns, and the test's own check of leaks is that of the race detector and of
// the wait in dismiss.
func TestCancelledSearchEnds(t *testing.T) {
	s := open(t, files.Config{})
	for i := range 500 {
		s.put(fmt.Sprintf("d%d/f%d.txt", i%50, i), strings.Repeat("x\n", 1000))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tool := range []string{"grep", "glob"} {
		d, _ := s.Snapshot().Get(tool)
		if _, err := d.Execute(ctx, toolfall.Call{Arguments: []byte(`{"pattern":"zzz"}`)}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s = %v, want the end of the context", tool, err)
		}
	}
}
