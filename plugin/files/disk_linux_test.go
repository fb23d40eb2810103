package files_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/files"
)

// smallDisk mounts a file system of 256 KiB.
func smallDisk(t *testing.T, data string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, data); err != nil {
		t.Skip("cannot mount a small disk (only root can):", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error("unmount:", err)
		}
	})
	return dir
}

func TestFullDiskLeavesTheOldFile(t *testing.T) {
	s := open(t, files.Config{Roots: []string{smallDisk(t, "size=256k")}})
	s.put("a.txt", "precious\n")
	s.ok("read_file", args{"path": "a.txt"})
	big := strings.Repeat("x", 1<<20)
	s.fails("write_file", args{"path": "a.txt", "content": big}, "a.txt was not written: the disk is full; what was there before is unchanged")
	s.fails("edit_file", args{"path": "a.txt", "old_string": "precious", "new_string": big}, "the disk is full")
	s.fails("write_file", args{"path": "new/dir/b.txt", "content": big}, "the disk is full")
	s.equal(s.content("a.txt"), "precious\n")
	s.leaves(".", "a.txt")
	s.ok("edit_file", args{"path": "a.txt", "old_string": "precious", "new_string": "still editable"})
}

func TestNoRoomForAnotherFileLeavesTheOldFile(t *testing.T) {
	s := open(t, files.Config{Roots: []string{smallDisk(t, "size=256k,nr_inodes=2")}}) // the root and a.txt
	s.put("a.txt", "precious\n")
	s.ok("read_file", args{"path": "a.txt"})
	s.fails("write_file", args{"path": "a.txt", "content": "x"}, "the disk is full")
	s.equal(s.content("a.txt"), "precious\n")
}

func TestReadOnlyDiskIsExplained(t *testing.T) {
	dir := smallDisk(t, "size=256k")
	s := open(t, files.Config{Roots: []string{dir}})
	s.put("a.txt", "one\n")
	s.ok("read_file", args{"path": "a.txt"})
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip("cannot remount:", err)
	}
	s.fails("edit_file", args{"path": "a.txt", "old_string": "one", "new_string": "two"}, "read-only")
	s.fails("write_file", args{"path": "b.txt", "content": "two"}, "read-only")
}

// asNobody runs f in a thread whose file system user is nobody: root may do
// anything, so as root no refusal could be seen.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0)
		f()
	}()
	<-done
}

func TestRefusedPermissionIsExplained(t *testing.T) {
	dir := t.TempDir()
	s := open(t, files.Config{Roots: []string{dir}})
	s.put("secret.txt", "x\n")
	s.put("fixed.txt", "x\n")
	s.put("dir/a.txt", "x\n")
	for name, mode := range map[string]os.FileMode{".": 0o777, "secret.txt": 0o200, "fixed.txt": 0o444, "dir": 0o311} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "dir"), 0o755) })
	// Straight to the tools: the registry would run them in threads of root.
	run := func(tool, raw string) (string, error) {
		d, _ := s.Snapshot().Get(tool)
		content, err := d.Execute(t.Context(), toolfall.Call{Arguments: []byte(raw)})
		return toolfall.Result{Content: content}.Text(), err
	}
	asNobody(t, func() {
		run("read_file", `{"path":"fixed.txt"}`)
		for raw, tool := range map[string]string{
			`{"path":"secret.txt"}`:                   "read_file",
			`{"path":"dir"}`:                          "list_dir",
			`{"path":"fixed.txt","content":"y"}`:      "write_file", // though the directory would let it be replaced
			`{"path":"dir/sub/new.txt","content":""}`: "write_file",
		} {
			text, err := run(tool, raw)
			if err == nil || !strings.Contains(err.Error(), "permission denied") || strings.Contains(err.Error(), dir) {
				t.Errorf("%s(%s) = %q, %v", tool, raw, text, err)
			}
		}
	})
	s.equal(s.content("fixed.txt"), "x\n")
}
