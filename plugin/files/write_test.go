package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/files"
)

func TestWriteCreatesAFileAndItsParents(t *testing.T) {
	s := open(t, files.Config{})
	s.equal(s.ok("write_file", args{"path": "a/b/c.txt", "content": "hello\n"}), "created a/b/c.txt (6 bytes)")
	s.equal(s.content("a/b/c.txt"), "hello\n")
	s.leaves("a/b", "c.txt")
	s.equal(s.ok("write_file", args{"path": "empty", "content": ""}), "created empty (0 bytes)")
}

func TestOverwriteShowsTheDifference(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "one\ntwo\n")
	s.ok("read_file", args{"path": "a.txt"})
	s.equal(s.ok("write_file", args{"path": "a.txt", "content": "one\n2\n"}),
		"overwrote a.txt (6 bytes, was 8 bytes)\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n")
	s.equal(s.content("a.txt"), "one\n2\n")
	s.leaves(".", "a.txt")
}

func TestWhatWasNotReadIsNotOverwritten(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "precious\n")
	for _, tool := range []string{"write_file", "edit_file"} {
		a := args{"path": "a.txt", "content": "x", "old_string": "precious", "new_string": "x"}
		s.fails(tool, a, "a.txt exists and was not read yet; read it with read_file first")
		if got := toolfall.Code(s.call(tool, a)); got != files.Unread {
			t.Errorf("code %s, want %s", got, files.Unread)
		}
	}
	s.equal(s.content("a.txt"), "precious\n")
}

func TestWhatChangedSinceIsNotOverwritten(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "one\n")
	s.ok("read_file", args{"path": "a.txt"})
	path := filepath.Join(s.dir, "a.txt")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s.put("a.txt", "two\n")
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil { // as if within one tick of the clock
		t.Fatal(err)
	}
	for _, tool := range []string{"write_file", "edit_file"} {
		a := args{"path": "a.txt", "content": "x", "old_string": "two", "new_string": "x"}
		s.fails(tool, a, "a.txt has changed since it was read; read it again")
		if got := toolfall.Code(s.call(tool, a)); got != files.Changed {
			t.Errorf("code %s, want %s", got, files.Changed)
		}
	}
	s.equal(s.content("a.txt"), "two\n")
	s.ok("read_file", args{"path": "a.txt"})
	s.ok("edit_file", args{"path": "a.txt", "old_string": "two", "new_string": "three"})
	s.equal(s.content("a.txt"), "three\n")
}

func TestTouchedFileHasNotChanged(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "one\n")
	s.ok("read_file", args{"path": "a.txt"})
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(s.dir, "a.txt"), later, later); err != nil {
		t.Fatal(err)
	}
	s.ok("edit_file", args{"path": "a.txt", "old_string": "one", "new_string": "two"})
}

func TestOwnWriteNeedsNoReading(t *testing.T) {
	s := open(t, files.Config{})
	s.ok("write_file", args{"path": "a.txt", "content": "one\n"})
	s.ok("edit_file", args{"path": "a.txt", "old_string": "one", "new_string": "two"})
	s.ok("write_file", args{"path": "./a.txt", "content": "three\n"})
	s.equal(s.content("a.txt"), "three\n")
}

func TestOneAgentsReadingDoesNotVouchForAnother(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "one\n")
	edit := args{"path": "a.txt", "old_string": "one", "new_string": "two"}
	s.as("first", "read_file", args{"path": "a.txt"})
	if r := s.as("second", "edit_file", edit); toolfall.Code(r) != files.Unread {
		t.Errorf("the second agent got %q", r.Text())
	}
	s.as("second", "read_file", args{"path": "a.txt"})
	if r := s.as("first", "edit_file", edit); r.IsError {
		t.Errorf("the first agent got %q", r.Text())
	}
	if r := s.as("second", "write_file", args{"path": "a.txt", "content": "x"}); toolfall.Code(r) != files.Changed {
		t.Errorf("the second agent, whose reading is old, got %q", r.Text())
	}
}

func TestFileTooLongToEditMayBeOverwritten(t *testing.T) {
	s := open(t, files.Config{MaxFile: 10})
	s.put("a.txt", "eleven bytes\n")
	write := args{"path": "a.txt", "content": "also too long to edit\n"}
	s.fails("write_file", write, "read it with read_file first")
	s.ok("read_file", args{"path": "a.txt"})
	s.fails("edit_file", args{"path": "a.txt", "old_string": "e", "new_string": "x"}, "at most 10 bytes can be edited")
	s.ok("write_file", write)
	s.ok("write_file", write)
	s.put("a.txt", "somebody else wrote this\n")
	s.fails("write_file", write, "has changed since")
}

func TestUnwritablePlacesAreExplained(t *testing.T) {
	s := open(t, files.Config{})
	s.put("file", "x")
	s.put("dir/x", "x")
	s.fails("write_file", args{"path": "dir", "content": "x"}, "dir is a directory, not a file")
	s.fails("write_file", args{"path": ".", "content": "x"}, ". is a directory")
	s.fails("write_file", args{"path": "file/below/it", "content": "x"}, "should be a directory is a file")
	s.fails("edit_file", args{"path": "none", "old_string": "a", "new_string": "b"}, "none does not exist")
	s.leaves(".", "dir", "file")
}

// Each of many edits at once changes its own line; none may undo another.
func TestEditsAtOnceAreNotLost(t *testing.T) {
	s := open(t, files.Config{})
	const n = 40
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "line %02d: old\n", i)
	}
	s.put("a.txt", text.String())
	s.ok("read_file", args{"path": "a.txt"})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			old := fmt.Sprintf("line %02d: old", i)
			r := s.call("edit_file", args{"path": "a.txt", "old_string": old, "new_string": strings.Replace(old, "old", "new", 1)})
			if r.IsError {
				t.Error(r.Text())
			}
		})
	}
	wg.Wait()
	s.equal(s.content("a.txt"), strings.ReplaceAll(text.String(), "old", "new"))
	s.leaves(".", "a.txt")
}

// Of many that create one file at once, one does, and the others are told.
func TestOneCreatorWins(t *testing.T) {
	root := t.TempDir()
	var wg sync.WaitGroup
	created := make(chan string, 16)
	for i := range 16 {
		s := open(t, files.Config{Roots: []string{root}}) // each its own plugin, as in another process
		wg.Go(func() {
			content := fmt.Sprintf("by %d\n", i)
			if r := s.call("write_file", args{"path": "new.txt", "content": content}); !r.IsError {
				created <- content
			}
		})
	}
	wg.Wait()
	close(created)
	var winners []string
	for c := range created {
		winners = append(winners, c)
	}
	data, err := os.ReadFile(filepath.Join(root, "new.txt"))
	if err != nil || len(winners) != 1 || string(data) != winners[0] {
		t.Errorf("created by %q, holds %q (%v)", winners, data, err)
	}
}

func TestCancelledWriteChangesNothing(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a.txt", "one\n")
	s.ok("read_file", args{"path": "a.txt"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, _ := s.Snapshot().Get("write_file")
	for _, raw := range []string{`{"path":"a.txt","content":"two"}`, `{"path":"new/b.txt","content":"two"}`} {
		if _, err := d.Execute(ctx, toolfall.Call{Arguments: []byte(raw)}); err == nil {
			t.Errorf("write_file(%s) succeeded", raw)
		}
	}
	s.equal(s.content("a.txt"), "one\n")
	s.leaves(".", "a.txt")
}
