package files_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolfall/toolfall/plugin/files"
)

// edited opens a session with one file that has been read.
func edited(t *testing.T, content string) session {
	t.Helper()
	s := open(t, files.Config{})
	s.put("a.txt", content)
	s.ok("read_file", args{"path": "a.txt"})
	return s
}

func edit(from, to string) args { return args{"path": "a.txt", "old_string": from, "new_string": to} }

func TestEditReplacesTheOnlyMatch(t *testing.T) {
	s := edited(t, "a\nb\nc\nd\ne\nf\ng\nh\ni\n")
	s.equal(s.ok("edit_file", edit("e\n", "E\nEE\n")),
		"edited a.txt (1 occurrence replaced)\n--- a.txt\n+++ a.txt\n@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+EE\n f\n g\n h\n")
	s.equal(s.content("a.txt"), "a\nb\nc\nd\nE\nEE\nf\ng\nh\ni\n")
}

func TestEditIsLiteral(t *testing.T) {
	s := edited(t, "a.*b $1 \\n (x|y)\n")
	s.ok("edit_file", edit("a.*b $1 \\n (x|y)", "$0 \\1 $&"))
	s.equal(s.content("a.txt"), "$0 \\1 $&\n")
}

func TestAmbiguousEditTellsTheLines(t *testing.T) {
	s := edited(t, "x = 1\ny = 2\nx = 1\n\nx = 1\n")
	s.fails("edit_file", edit("x = 1", "x = 3"), "old_string is there 3 times, at lines 1, 3, 5; give more of the lines around")
	s.equal(s.content("a.txt"), "x = 1\ny = 2\nx = 1\n\nx = 1\n")
	a := edit("x = 1", "x = 3")
	a["replace_all"] = true
	if got := s.ok("edit_file", a); !strings.HasPrefix(got, "edited a.txt (3 occurrences replaced)") {
		t.Errorf("edit_file = %q", got)
	}
	s.equal(s.content("a.txt"), "x = 3\ny = 2\nx = 3\n\nx = 3\n")
}

func TestOverlappingMatchesAreAmbiguous(t *testing.T) {
	s := edited(t, "aaa\n")
	s.fails("edit_file", edit("aa", "b"), "2 times")
}

func TestEditKeepsLineEnds(t *testing.T) {
	for _, c := range []struct{ name, text, from, to, want string }{
		{"lf for crlf", "one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2", "1\r\n2\r\nthree\r\n"},
		{"new lines in crlf", "one\r\ntwo\r\n", "one", "1\n1.5", "1\r\n1.5\r\ntwo\r\n"},
		{"crlf for lf", "one\ntwo\n", "one\r\ntwo", "1\r\n2", "1\n2\n"},
		{"mixed, as it stands", "one\r\ntwo\nthree\r\n", "two\nthree", "2\n3", "one\r\n2\n3\r\n"},
		{"mixed, in crlf", "one\r\ntwo\r\nthree\n", "one\ntwo", "1\n2", "1\r\n2\r\nthree\n"},
		{"no line end", "one", "one", "1\n", "1\n"},
		{"to crlf on purpose", "one\n", "one\n", "one\r\n", "one\r\n"},
	} {
		s := edited(t, c.text)
		if r := s.call("edit_file", edit(c.from, c.to)); r.IsError {
			t.Errorf("%s: %s", c.name, r.Text())
			continue
		}
		if got := s.content("a.txt"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestFailedEditSaysWhatIsWrong(t *testing.T) {
	text := "package a\n\nfunc f() {\n\tif x {\n\t\treturn\n\t}\n}\n"
	for _, c := range []struct{ name, from, to, want string }{
		{"white space", "  if x {\n    return", "y", "lines 4-5 differ from it in white space alone; the first line that differs is 4: \"\\tif x {\", not \"  if x {\""},
		{"case", "Package A", "y", "lines 1-1 differ from it in case alone"},
		{"numbers", "     4\t\tif x {\n     5\t\t\treturn", "y", "leave out the line numbers"},
		{"done already", "func g() {", "func f() {", "but new_string is, at line 3: has the edit been made already?"},
		{"second line", "func f() {\n\tif y {", "z", "its first line is at line 3, but line 4 is \"\\tif x {\", not \"\\tif y {\""},
		{"past the end", "}\n}\n}", "z", "but the file ends"},
		{"nothing like it", "class Foo:", "z", "copy the text from it exactly"},
		{"same", "x", "x", "nothing to change"},
	} {
		s := edited(t, text)
		r := s.call("edit_file", edit(c.from, c.to))
		if !r.IsError || !strings.Contains(r.Text(), c.want) {
			t.Errorf("%s: %q, want %q in it", c.name, r.Text(), c.want)
		}
		s.equal(s.content("a.txt"), text)
	}
}

func TestOnlyTextIsEdited(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "fine\nbroken \xff\xfe two\n")
	s.ok("read_file", args{"path": "a.txt", "limit": 1}) // the page is text, the file is not
	s.fails("edit_file", edit("two", "2"), "not UTF-8")
}

func TestHugeReplacementIsRefusedBeforeItIsBuilt(t *testing.T) {
	s := edited(t, strings.Repeat("x", 1<<20))
	a := edit("x", strings.Repeat("y", 1<<20))
	a["replace_all"] = true
	s.fails("edit_file", a, "would make the file 1024.0 GiB long")
	a["new_string"] = strings.Repeat("y", 100)
	s.fails("edit_file", a, "would grow to 100.0 MiB; at most 10.0 MiB can be edited")
}

// A text made to be slow, of equal lines, costs no more than a normal one. With
// quadratic work this would take hours.
func TestRepetitiveTextIsNotSlow(t *testing.T) {
	s := edited(t, strings.Repeat("x\n", 1<<20))
	s.fails("edit_file", edit(strings.Repeat("x\n", 1<<18)+"y\n", "z"), "old_string is not in the file")
	s.fails("edit_file", edit(strings.Repeat("x\n", 1<<18), "z"), "times")
	a := edit("x\nx\n", "y\nx\n")
	a["replace_all"] = true
	got := s.ok("edit_file", a)
	if len(got) > 10_000 || !strings.Contains(got, "lines more in this diff]") {
		t.Errorf("the diff has %d bytes", len(got))
	}
}

// What the diff says is what was done: git, given the old file and the diff, makes
// the new one.
func TestDiffCanBeApplied(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	for _, c := range []struct{ from, to string }{
		{"a\nb\nc\n", "a\nB\nc\n"},
		{"a\nb\nc", "a\nb\nc\n"},
		{"a\nb\nc\n", "a\nb\nc"},
		{"x\n", "a\nb\nx\nc\n"},
		{"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\n", "A\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\nO\np\n"},
		{"a\nb\nc\nd\ne\nf\ng\nh\n", "A\nb\nc\nd\ne\nf\ng\nH\n"},
		{"a\nb\na\nb\na\nb\n", "b\na\nb\na\nb\na\nx\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "9\n1\n2\n8\n3\n4\n7\n5\n6\n"},
	} {
		s := edited(t, c.from)
		diff := s.ok("write_file", args{"path": "a.txt", "content": c.to})
		_, diff, _ = strings.Cut(diff, "\n")
		s.put("a.txt", c.from)
		apply := exec.Command(git, "apply", "-p0", "--unidiff-zero", "-")
		apply.Dir, apply.Stdin = s.dir, strings.NewReader(diff)
		apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(s.dir))
		if out, err := apply.CombinedOutput(); err != nil {
			t.Errorf("git apply: %v: %s\n%s", err, out, diff)
			continue
		}
		s.equal(s.content("a.txt"), c.to)
	}
}
