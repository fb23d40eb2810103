package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolfall/toolfall"
)

// A file that takes the name between the check and the rename is not lost, though
// it has the length and the time of the one that was checked.
func TestFileExchangedAtTheLastMomentIsKept(t *testing.T) {
	dir := t.TempDir()
	tree, err := openTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.close()
	path, other := filepath.Join(dir, "a.txt"), filepath.Join(dir, "other")
	for _, p := range []string{path, other} {
		if err := os.WriteFile(p, []byte(filepath.Base(p)[:5]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(other, old.ModTime(), old.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	err = place{tree.roots[0], "a.txt"}.publish(t.Context(), []byte("ours"), old)
	if got := toolfall.Code(toolfall.Fail(err)); got != Changed {
		t.Errorf("publish = %v with code %s, want %s", err, got, Changed)
	}
	if data, err := os.ReadFile(path); string(data) != "other" || err != nil {
		t.Errorf("the file holds %q (%v), want what took its name", data, err)
	}
}

func TestDeepestRootHoldsAPath(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dirs := range [][]string{{dir, sub}, {sub, dir}} {
		tree, err := openTree(dirs)
		if err != nil {
			t.Fatal(err)
		}
		defer tree.close()
		p, err := tree.place(filepath.Join(sub, "a.txt"))
		if err != nil || p.name != "a.txt" || p.in.spellings[0] != sub {
			t.Errorf("with roots %v the place is %q in %v (%v)", dirs, p.name, p.in, err)
		}
	}
}

// A file that is created at the last moment is not replaced by a new one.
func TestFileCreatedAtTheLastMomentIsKept(t *testing.T) {
	dir := t.TempDir()
	tree, err := openTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.close()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	err = place{tree.roots[0], "a.txt"}.publish(t.Context(), []byte("ours"), nil)
	if got := toolfall.Code(toolfall.Fail(err)); got != Changed {
		t.Errorf("publish = %v with code %s, want %s", err, got, Changed)
	}
	if data, err := os.ReadFile(path); string(data) != "theirs" || err != nil {
		t.Errorf("the file holds %q (%v), want what was created first", data, err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("a draft was left: %v", names)
	}
}
