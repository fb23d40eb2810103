package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/toolfall/toolfall"

// floors lists the rooms from the ground up. A room may import rooms on lower
// floors only, so rooms on one floor do not know each other. A trailing star
// stands for each folder there by itself.
var floors = [][]string{
	{"internal/near", "internal/escape", "internal/diff", "internal/secret"},
	{"scope", "schema"},
	{"schema/dialect"},
	{"."},
	{"policy/command"},
	{"prompt", "policy", "approval", "confine", "schedule", "spill", "journal", "internal/otlp", "internal/rpc", "toolfalltest"},
	{"journal/journaltest"},
	{"plugin/*", "gateway"},
	{"internal/config"},
	{"internal/cli"},
	{"cmd/*"},
	{"internal/archtest", "internal/docstest", "examples", "examples/*"},
}

// ground is how many of the floors take nothing from outside.
const ground = 4

// globals are the rooms that may touch what belongs to the whole process. Confine is
// one: its helper is a process of its own.
var globals = []string{"cmd/toolfall", "cmd/toolfall-confine", "internal/cli", "confine"}

// source is a parsed file of a room.
type source struct {
	room, path string
	file       *ast.File
	set        *token.FileSet
	test       bool
}

// sources reads every file of the module itself: what a child process reads, the
// test cache does not see.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (p == "bench" || d.Name() == "testdata" || p != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go"):
			return nil
		}
		raw, err := fs.ReadFile(root, p)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, p, raw, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, source{path.Dir(p), p, f, set, strings.HasSuffix(p, "_test.go")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found %d files; the walk is wrong", len(all))
	}
	return all
}

func floor(room string) int {
	return slices.IndexFunc(floors, func(rooms []string) bool {
		return slices.ContainsFunc(rooms, func(r string) bool {
			ok, _ := path.Match(r, room)
			return ok
		})
	})
}

func TestEveryRoomIsInThePlan(t *testing.T) {
	for _, s := range sources(t) {
		if floor(s.room) < 0 {
			t.Errorf("%s: the plan has no room %q", s.path, s.room)
		}
	}
}

func TestImportsRunDown(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, imp := range s.file.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			to, ours := strings.CutPrefix(name+"/", module+"/")
			to = path.Clean(to)
			from := floor(s.room)
			switch {
			case ours && floor(to) >= from:
				t.Errorf("%s: %s must not import %s", s.path, s.room, to)
			case !ours && from < ground && strings.Contains(strings.Split(name, "/")[0], "."):
				t.Errorf("%s: %s takes nothing from outside, not %s", s.path, s.room, name)
			}
		}
	}
}

func TestNobodyStartsByItself(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: init runs before anyone asked for it", s.path)
			}
		}
	}
}

func TestOnlyTheCommandTouchesTheProcess(t *testing.T) {
	forbidden := []string{"Exit", "Stdin", "Stdout", "Stderr", "Args", "Setenv", "Chdir"}
	for _, s := range sources(t) {
		if s.test || slices.Contains(globals, s.room) || strings.HasPrefix(s.room, "examples") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains(forbidden, sel.Sel.Name) {
				t.Errorf("%s: os.%s belongs to the command", s.set.Position(sel.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
}

// The tail is where beauty is lost: no function and no file may grow beyond what
// one can hold in one's head.
func TestNothingGrowsTooLong(t *testing.T) {
	for _, s := range sources(t) {
		lines, function := 420, 60
		if s.test {
			lines, function = 700, 120
		}
		if n := s.set.Position(s.file.End()).Line; n > lines {
			t.Errorf("%s has %d lines, more than %d", s.path, n, lines)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1; n > function {
				t.Errorf("%s: %s has %d lines, more than %d", s.path, f.Name.Name, n, function)
			}
		}
	}
}

func TestExportedNamesAreDescribed(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.room, "examples") {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Doc != nil || !exportedReceiver(f) {
				continue
			}
			t.Errorf("%s: %s has no comment", s.path, f.Name.Name)
		}
	}
}

// exportedReceiver reports whether a method is seen from outside, as far as its
// receiver goes. Methods that only satisfy an interface of the standard library
// on an unexported type are not.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	name, ok := t.(*ast.Ident)
	return ok && name.IsExported()
}

// X21: one room starts processes, so that whoever confines them confines all.
func TestProcessesAreStartedByConfine(t *testing.T) {
	starts := map[string][]string{"exec": {"Command", "CommandContext", "Cmd"}, "os": {"StartProcess"}, "syscall": {"ForkExec", "StartProcess", "Exec"}}
	for _, s := range sources(t) {
		if s.test || s.room == "confine" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(starts[x.Name], sel.Sel.Name) {
				t.Errorf("%s: %s.%s starts a process past the sandbox", s.set.Position(sel.Pos()), x.Name, sel.Sel.Name)
			}
			return true
		})
	}
}
