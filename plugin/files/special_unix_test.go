//go:build unix

package files_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolfall/toolfall/plugin/files"
)

// A FIFO without a writer holds up whoever opens it; this test would then hang.
func TestSpecialFilesAreRefusedWithoutWaiting(t *testing.T) {
	s := open(t, files.Config{})
	s.put("plain.txt", "secret\n")
	if err := syscall.Mkfifo(filepath.Join(s.dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(s.dir, "sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	special := map[string]string{"pipe": "named pipe", "sock": "socket"}
	if err := syscall.Mknod(filepath.Join(s.dir, "null"), syscall.S_IFCHR|0o666, 1<<8|3); err == nil {
		special["null"] = "device" // only root may make one
	}
	for name, kind := range special {
		for tool, a := range every(name) {
			s.fails(tool, a, name+" is a "+kind)
		}
	}
	s.equal(s.ok("grep", args{"pattern": "secret"}), "plain.txt:1:secret\n")
	if got := s.ok("list_dir", args{}); !strings.Contains(got, "pipe\t(named pipe)\n") {
		t.Errorf("list_dir = %q", got)
	}
}

// The handle is checked, not the name: what was a file when it was looked at may
// be something else when it is opened.
func TestPipeThatTakesTheNameOfAFileIsNotWaitedFor(t *testing.T) {
	s := open(t, files.Config{})
	s.put("a/.gitignore", "x\n")
	stop := make(chan struct{})
	done := make(chan struct{})
	path, pipe := filepath.Join(s.dir, "swap"), filepath.Join(s.dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := filepath.Join(s.dir, "next")
			if i%2 == 0 {
				os.Link(pipe, next)
			} else {
				os.WriteFile(next, []byte("text\n"), 0o644)
			}
			os.Rename(next, path)
		}
	}()
	for range 300 {
		s.call("read_file", args{"path": "swap"})
		s.call("grep", args{"pattern": "text"})
	}
	close(stop)
	<-done
}

func TestHardLinkedOutsiderIsRefused(t *testing.T) {
	root, secret := outsider(t)
	if err := os.Link(secret, filepath.Join(root, "innocent")); err != nil {
		t.Skip("no hard links here:", err)
	}
	s := open(t, files.Config{Roots: []string{root}})
	for _, tool := range []string{"read_file", "write_file", "edit_file"} {
		s.fails(tool, every("innocent")[tool], "innocent has 2 names (hard links)")
	}
	for _, path := range []string{"innocent", "."} {
		got := s.ok("grep", args{"path": path, "pattern": "secret"})
		if strings.Contains(got, ":secret") || !strings.Contains(got, "hard links") {
			t.Errorf("grep in %s = %q, want it left out and told", path, got)
		}
	}
}

func TestAllowedHardLinkIsReadAndNeverWrittenThrough(t *testing.T) {
	root, secret := outsider(t)
	if err := os.Link(secret, filepath.Join(root, "shared")); err != nil {
		t.Skip("no hard links here:", err)
	}
	s := open(t, files.Config{Roots: []string{root}, AllowHardLinks: true})
	s.equal(s.ok("read_file", args{"path": "shared"}), "     1\tsecret\n")
	s.ok("edit_file", args{"path": "shared", "old_string": "secret", "new_string": "mine"})
	s.equal(s.content("shared"), "mine\n")
	if data, _ := os.ReadFile(secret); string(data) != "secret\n" {
		t.Errorf("the other name was written through: %q", data)
	}
}

func TestModeBitsAreKept(t *testing.T) {
	s := open(t, files.Config{})
	for name, mode := range map[string]os.FileMode{
		"run.sh": 0o755, "private": 0o600, "odd": 0o641, "setgid": 0o750 | os.ModeSetgid, "shared": 0o666,
	} {
		s.put(name, "one\n")
		path := filepath.Join(s.dir, name)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		s.ok("read_file", args{"path": name})
		s.ok("edit_file", args{"path": name, "old_string": "one", "new_string": "two"})
		s.ok("write_file", args{"path": name, "content": "three\n"})
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode {
			t.Errorf("%s: mode %v, want %v", name, info.Mode(), mode)
		}
	}
}

func TestOwnerIsKept(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	s := open(t, files.Config{})
	s.put("theirs", "one\n")
	path := filepath.Join(s.dir, "theirs")
	if err := os.Chown(path, 1234, 4321); err != nil {
		t.Fatal(err)
	}
	s.ok("read_file", args{"path": "theirs"})
	s.ok("write_file", args{"path": "theirs", "content": "two\n"})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 1234 || st.Gid != 4321 {
		t.Errorf("owner %d:%d, want 1234:4321", st.Uid, st.Gid)
	}
}
