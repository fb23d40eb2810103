package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/plugin/files"
	"github.com/toolfall/toolfall/scope"
)

var update = flag.Bool("update", false, "write the golden files anew")

// session is a registry with the plugin attached, and the first root of it.
type session struct {
	*testing.T
	*toolfall.Registry
	dir string
}

type args map[string]any

func open(t *testing.T, c files.Config) session {
	t.Helper()
	if len(c.Roots) == 0 {
		c.Roots = []string{t.TempDir()}
	}
	s := scope.New(context.Background(), "test")
	t.Cleanup(func() { s.Close() })
	r := toolfall.New()
	if _, err := r.Attach(s, files.New(c)); err != nil {
		t.Fatal(err)
	}
	return session{t, r, c.Roots[0]}
}

// put writes a file below the root, past the tools.
func (s session) put(name, content string) {
	s.Helper()
	p := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		s.Fatal(err)
	}
}

// content is what is on disk.
func (s session) content(name string) string {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.Fatal(err)
	}
	return string(data)
}

func (s session) as(agent, tool string, a args) toolfall.Result {
	s.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		s.Fatal(err)
	}
	return s.Execute(s.Context(), toolfall.Call{ID: "1", Name: tool, Arguments: raw, Agent: agent})
}

func (s session) call(tool string, a args) toolfall.Result {
	s.Helper()
	return s.as("", tool, a)
}

// ok runs a call that must succeed, and returns its text.
func (s session) ok(tool string, a args) string {
	s.Helper()
	r := s.call(tool, a)
	if r.IsError {
		s.Fatalf("%s(%v) failed: %s", tool, a, r.Text())
	}
	return r.Text()
}

// fails runs a call that must fail, with an error that has all of want in it and
// shows nothing of the host.
func (s session) fails(tool string, a args, want ...string) {
	s.Helper()
	r := s.call(tool, a)
	if !r.IsError {
		s.Fatalf("%s(%v) = %q, want an error", tool, a, r.Text())
	}
	for _, w := range want {
		if !strings.Contains(r.Text(), w) {
			s.Errorf("%s(%v) = %q, want %q in it", tool, a, r.Text(), w)
		}
	}
	if strings.Contains(strings.ReplaceAll(r.Text(), fmt.Sprint(a["path"]), ""), s.dir) || strings.Contains(r.Text(), "goroutine") {
		s.Errorf("%s(%v) = %q, which shows the host", tool, a, r.Text())
	}
}

func (s session) equal(got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// leaves checks that a directory has these names and no other: no draft is left.
func (s session) leaves(dir string, want ...string) {
	s.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, dir))
	if err != nil {
		s.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		s.Errorf("%s has %q, want %q", dir, got, want)
	}
}

func TestSchemasAreGolden(t *testing.T) {
	s := open(t, files.Config{})
	schemas := s.Snapshot().Schemas()
	if len(schemas) != 6 {
		t.Fatalf("%d tools, want 6", len(schemas))
	}
	for _, schema := range schemas {
		got, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		golden := filepath.Join("testdata", schema.Name+".json")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
			t.Errorf("the schema of %s is\n%s\nwant\n%s\n(run with -update if that is meant)", schema.Name, got, want)
		}
	}
}

func TestMissingRootIsToldOnAttach(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		filepath.Join(t.TempDir(), "gone"): "no such file or directory",
		file:                               "not a directory",
	} {
		s := scope.New(t.Context(), "test")
		r := toolfall.New()
		_, err := r.Attach(s, files.New(files.Config{Roots: []string{t.TempDir(), dir}}))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), filepath.Base(dir)) {
			t.Errorf("Attach with root %s: %v, want %q", dir, err, want)
		}
		if r.Snapshot().Len() != 0 {
			t.Error("a failed attach left tools behind")
		}
		s.Close()
	}
}

func TestRootThatWentAwayIsTold(t *testing.T) {
	s := open(t, files.Config{})
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	s.fails("read_file", args{"path": "a.txt"}, "no longer exists")
}

func TestZeroConfigWorksInTheCurrentDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("here.txt", []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := scope.New(t.Context(), "test")
	defer s.Close()
	r := toolfall.New()
	if _, err := r.Attach(s, files.New(files.Config{})); err != nil {
		t.Fatal(err)
	}
	got := r.Execute(t.Context(), toolfall.Call{Name: "read_file", Arguments: []byte(`{"path":"here.txt"}`)})
	if got.Text() != "     1\thello\n" {
		t.Errorf("read_file = %q", got.Text())
	}
}

func TestClosedScopeTakesTheToolsOut(t *testing.T) {
	root := scope.New(t.Context(), "test")
	defer root.Close()
	r := toolfall.New()
	s, err := r.Attach(root, files.New(files.Config{Roots: []string{t.TempDir()}}))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if n := r.Snapshot().Len(); n != 0 {
		t.Errorf("%d tools are left", n)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	s := scope.New(context.Background(), "main")
	defer s.Close()
	tools := toolfall.New()
	if _, err := tools.Attach(s, files.New(files.Config{Roots: []string{dir}})); err != nil {
		panic(err)
	}
	call := func(name, arguments string) {
		r := tools.Execute(context.Background(), toolfall.Call{Name: name, Arguments: []byte(arguments)})
		fmt.Println(strings.TrimSpace(r.Text()))
	}
	call("write_file", `{"path":"greeting.txt","content":"Hello,\nworld\n"}`)
	call("edit_file", `{"path":"greeting.txt","old_string":"world","new_string":"model"}`)
	call("grep", `{"pattern":"mod.l"}`)
	call("read_file", `{"path":"../secret"}`)
	// Output:
	// created greeting.txt (13 bytes)
	// edited greeting.txt (1 occurrence replaced)
	// --- greeting.txt
	// +++ greeting.txt
	// @@ -1,2 +1,2 @@
	//  Hello,
	// -world
	// +model
	// greeting.txt:2:model
	// Error: "../secret" is outside the allowed directories; use a path below the working directory
}
