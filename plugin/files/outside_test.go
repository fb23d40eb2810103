package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/files"
)

// every is a call of each tool on one path.
func every(path string) map[string]args {
	return map[string]args{
		"read_file":  {"path": path},
		"write_file": {"path": path, "content": "owned"},
		"edit_file":  {"path": path, "old_string": "secret", "new_string": "owned"},
		"list_dir":   {"path": path},
		"glob":       {"path": path, "pattern": "**"},
		"grep":       {"path": path, "pattern": "secret"},
	}
}

// outsider is a directory beside the root, with a secret file in it.
func outsider(t *testing.T) (root, secret string) {
	t.Helper()
	base := t.TempDir()
	root, out := filepath.Join(base, "ws"), filepath.Join(base, "ws-evil") // a prefix of the name is no parent
	for _, dir := range []string{root, out} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	secret = filepath.Join(out, "secret.txt")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root, secret
}

func TestNothingOutsideIsReached(t *testing.T) {
	root, secret := outsider(t)
	s := open(t, files.Config{Roots: []string{root}})
	s.put("in/file", "inside\n")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	link(secret, "absolute")
	link("../ws-evil/secret.txt", "relative")
	link("../ws-evil", "dir")
	link("dir", "twice")
	link("../..", "in/up")
	link("up", "in/chain")
	for _, path := range []string{
		secret, filepath.Dir(secret), "/etc/passwd", "/",
		"..", "../ws-evil/secret.txt", "in/../../ws-evil/secret.txt", "./../ws-evil/secret.txt",
		root + "/../ws-evil/secret.txt", root + "-evil/secret.txt",
		"absolute", "relative", "dir", "dir/secret.txt", "twice/secret.txt", "dir/new.txt",
		"in/up/ws-evil/secret.txt", "in/chain/ws-evil/secret.txt", "in/chain/new.txt",
	} {
		for tool, a := range every(path) {
			r := s.call(tool, a)
			if !r.IsError {
				t.Errorf("%s(%q) = %q, want a refusal", tool, path, r.Text())
			}
			if strings.Contains(strings.ReplaceAll(r.Text(), "secret.txt", ""), "secret") {
				t.Errorf("%s(%q) shows the secret: %q", tool, path, r.Text())
			}
		}
	}
	if data, _ := os.ReadFile(secret); string(data) != "secret\n" {
		t.Errorf("the outsider was changed: %q", data)
	}
	if names, _ := os.ReadDir(filepath.Dir(secret)); len(names) != 1 {
		t.Errorf("the directory outside was changed: %v", names)
	}
}

func TestRefusalHasItsCode(t *testing.T) {
	root, secret := outsider(t)
	s := open(t, files.Config{Roots: []string{root}})
	if err := os.Symlink("../ws-evil/secret.txt", filepath.Join(root, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, path := range []string{"../x", secret, "link"} {
		if got := toolfall.Code(s.call("read_file", args{"path": path})); got != files.Outside {
			t.Errorf("read_file(%q) has code %s, want %s", path, got, files.Outside)
		}
	}
}

func TestAbsolutePathInsideIsFine(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a/b.txt", "hi\n")
	s.equal(s.ok("read_file", args{"path": filepath.Join(s.dir, "a", "b.txt")}), "     1\thi\n")
}

func TestRootGivenThroughALinkHasBothNames(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s := open(t, files.Config{Roots: []string{link}})
	s.put("a.txt", "hi\n")
	for _, path := range []string{filepath.Join(link, "a.txt"), filepath.Join(dir, "a.txt"), "a.txt"} {
		s.equal(s.ok("read_file", args{"path": path}), "     1\thi\n")
	}
}

func TestSecondRootIsReachedByAbsolutePathsAlone(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	s := open(t, files.Config{Roots: []string{first, second}})
	path := filepath.Join(second, "a.txt")
	s.equal(s.ok("write_file", args{"path": path, "content": "x\n"}), "created "+filepath.ToSlash(path)+" (2 bytes)")
	s.equal(s.ok("grep", args{"path": second, "pattern": "x"}), filepath.ToSlash(path)+":1:x\n")
	s.fails("read_file", args{"path": "a.txt"}, "does not exist")
	s.fails("read_file", args{"path": "/etc/passwd"}, "outside", second)
}

func TestLinksInsideAreFollowed(t *testing.T) {
	s := open(t, files.Config{})
	s.put("real/file.txt", "one\n")
	for name, target := range map[string]string{"link": "real/file.txt", "dir": "real", "real/back": "../link"} {
		if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	for _, path := range []string{"link", "dir/file.txt", "dir/back"} {
		s.equal(s.ok("read_file", args{"path": path}), "     1\tone\n")
	}
	s.ok("edit_file", args{"path": "dir/back", "old_string": "one", "new_string": "two"})
	s.equal(s.content("real/file.txt"), "two\n")
	if info, err := os.Lstat(filepath.Join(s.dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced by a file: %v %v", info, err)
	}
	s.ok("write_file", args{"path": "dir/new.txt", "content": "x"})
	s.equal(s.content("real/new.txt"), "x")
}

func TestLoopOfLinksIsRefused(t *testing.T) {
	s := open(t, files.Config{})
	for name, target := range map[string]string{"a": "b", "b": "a"} {
		if err := os.Symlink(target, filepath.Join(s.dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	for tool, a := range every("a") {
		s.fails(tool, a, "symbolic links")
	}
}
