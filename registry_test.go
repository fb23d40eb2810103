package toolfall_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/schema"
	"github.com/toolfall/toolfall/scope"
)

func TestDuplicateNameIsRefused(t *testing.T) {
	reg := toolfall.New()
	if _, err := reg.Register(t, readFile); err != nil {
		t.Fatal(err)
	}
	other := tool("read_file", echo.Execute)
	_, err := reg.Register(t, echo, other)
	if !errors.Is(err, toolfall.ErrExists) || err.Error() != `tool "read_file" is already registered` {
		t.Errorf("Register(duplicate) = %v", err)
	}
	if _, ok := reg.Snapshot().Get("echo"); ok || reg.Snapshot().Len() != 1 {
		t.Error("half of a batch was registered")
	}
	if d, _ := reg.Snapshot().Get("read_file"); d.Description != readFile.Description {
		t.Error("the first registration did not stay")
	}
	if _, err := reg.Register(t, tool("twice", echo.Execute), tool("twice", echo.Execute)); !errors.Is(err, toolfall.ErrExists) {
		t.Errorf("Register(the same name twice) = %v", err)
	}
}

func TestNamesAreExactAndCaseSensitive(t *testing.T) {
	reg := toolfall.New()
	if _, err := reg.Register(t, tool("a", echo.Execute), tool("A", echo.Execute)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "A"} {
		if d, ok := reg.Snapshot().Get(name); !ok || d.Name != name {
			t.Errorf("Get(%q) = %q, %v", name, d.Name, ok)
		}
	}
}

func TestBadDefinitionsAreRefused(t *testing.T) {
	for name, ok := range map[string]bool{
		"a": true, "A-z_0.9": true, strings.Repeat("x", 128): true,
		"": false, "a b": false, "a/b": false, "ä": false, "a\n": false, strings.Repeat("x", 129): false,
	} {
		if _, err := toolfall.New().Register(t, tool(name, echo.Execute)); (err == nil) != ok {
			t.Errorf("Register(%q) = %v, want ok = %v", name, err, ok)
		}
	}
	for _, d := range []toolfall.Definition{
		{Schema: toolfall.Schema{Name: "no_body"}},
		{Schema: toolfall.Schema{Name: "bad", Parameters: `{"type":`}, Execute: echo.Execute},
		{Schema: toolfall.Schema{Name: "bad", Parameters: `[]`}, Execute: echo.Execute},
		{Schema: toolfall.Schema{Name: "bad", Output: `"x"`}, Execute: echo.Execute},
	} {
		if _, err := toolfall.New().Register(t, d); err == nil {
			t.Errorf("Register(%+v) took it", d.Schema)
		}
	}
}

func TestStaleRemoveIsHarmless(t *testing.T) {
	reg := toolfall.New()
	remove, _ := reg.Register(t, readFile)
	remove()
	remove()
	if _, err := reg.Register(t, readFile); err != nil {
		t.Fatal(err)
	}
	remove()
	if _, ok := reg.Snapshot().Get("read_file"); !ok {
		t.Error("a stale remove took the new tool")
	}
}

func TestClosingTheOwnerRemoves(t *testing.T) {
	reg := toolfall.New()
	s := scope.New(t.Context(), "owner")
	reg.Register(s, readFile, echo)
	reg.Use(s, with(toolfall.Observe, pass))
	s.Close()
	if n := reg.Snapshot(); n.Len() != 0 || len(n.Chain()) != 0 {
		t.Errorf("%d tools and %d middlewares outlived their owner", n.Len(), len(n.Chain()))
	}
}

func TestClosedOwnerGetsNothing(t *testing.T) {
	reg := toolfall.New()
	s := scope.New(t.Context(), "owner")
	s.Close()
	if _, err := reg.Register(s, readFile); !errors.Is(err, toolfall.ErrClosed) {
		t.Errorf("Register for a closed owner = %v, want ErrClosed", err)
	}
	reg.Use(s, with(toolfall.Observe, pass))
	if n := reg.Snapshot(); n.Len() != 0 || len(n.Chain()) != 0 || n.Revision != 0 {
		t.Errorf("a closed owner has %d tools and %d middlewares at revision %d", n.Len(), len(n.Chain()), n.Revision)
	}
}

// A watcher that closes the owner as soon as the tool is visible.
func TestWatcherCannotOrphanATool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := toolfall.New()
		s := scope.New(t.Context(), "owner")
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		wg.Go(func() {
			for n := range reg.Watch(ctx) {
				if n.Len() > 0 {
					s.Close()
				}
			}
		})
		synctest.Wait()
		reg.Register(s, readFile)
		synctest.Wait()
		if n := reg.Snapshot().Len(); n != 0 {
			t.Errorf("%d tools have no owner", n)
		}
		cancel()
		wg.Wait()
	})
}

// An owner that lives long must not gather what was removed long ago.
func TestOwnerForgetsWhatIsRemoved(t *testing.T) {
	reg := toolfall.New()
	s := &countingOwner{}
	for range 100 {
		remove, _ := reg.Register(s, readFile)
		remove()
		reg.Use(s, with(toolfall.Observe, pass))()
	}
	reg.Register(s, tool("bad name", nil))
	if s.held != 0 {
		t.Errorf("the owner holds %d entries, want 0", s.held)
	}
}

type countingOwner struct{ held int }

func (o *countingOwner) Cleanup(func()) { o.held++ }
func (o *countingOwner) Own(func()) func() {
	o.held++
	return sync.OnceFunc(func() { o.held-- })
}

func TestSchemasAreSortedWireFields(t *testing.T) {
	reg := toolfall.New()
	b := tool("b", echo.Execute)
	b.Description = `uses <tags> & "quotes"`
	b.Output = `{"type":"object"}`
	b.Hints = toolfall.Hints{Title: "B", ReadOnly: toolfall.Yes, Destructive: toolfall.No}
	reg.Register(t, readFile)
	reg.Register(t, b, tool("a", echo.Execute))
	s := reg.Snapshot()
	want := `[{"name":"a","parameters":{"type":"object","properties":{}}},` +
		`{"name":"b","description":"uses <tags> & \"quotes\"","parameters":{"type":"object","properties":{}},"output":{"type":"object"},"hints":{"title":"B","readOnlyHint":true,"destructiveHint":false}},` +
		`{"name":"read_file","description":"Read a file from disk.","parameters":{"type":"object","properties":{"path":{"type":"string","description":"Absolute file path"},"limit":{"type":"integer"}},"required":["path"]}}]`
	if got := string(s.SchemasJSON()); got != want {
		t.Errorf("SchemasJSON() =\n%s\nwant\n%s", got, want)
	}
	names := func(ss []toolfall.Schema) (names []string) {
		for _, s := range ss {
			names = append(names, s.Name)
		}
		return names
	}
	if got := names(s.Schemas()); !slices.Equal(got, []string{"a", "b", "read_file"}) {
		t.Errorf("Schemas() = %v", got)
	}
	if got := names(s.Registered()); !slices.Equal(got, []string{"read_file", "b", "a"}) {
		t.Errorf("Registered() = %v", got)
	}
}

func TestSchemasCannotBeChanged(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, readFile)
	before := reg.Snapshot().SchemasJSON()
	got := reg.Snapshot().Schemas()
	got[0].Name, got[0].Parameters = "evil", `{}`
	reg.Snapshot().Registered()[0].Name = "evil"
	if d, _ := reg.Snapshot().Get("read_file"); d.Name != "read_file" || reg.Snapshot().SchemasJSON() != before || reg.Snapshot().Schemas()[0].Name != "read_file" {
		t.Error("a caller changed the registry through what it returned")
	}
}

func TestListIsBuiltOncePerSnapshot(t *testing.T) {
	reg := toolfall.New()
	reg.Register(t, readFile, echo)
	s := reg.Snapshot()
	s.SchemasJSON()
	if n := testing.AllocsPerRun(100, func() { s.SchemasJSON() }); n != 0 {
		t.Errorf("the second SchemasJSON() allocates %v times", n)
	}
}

// Listing between changes must not make the list differ from a fresh one.
func TestListStaysSortedThroughChanges(t *testing.T) {
	reg := toolfall.New()
	removes := map[string]func(){}
	state := uint32(1)
	for step := range 3000 {
		state = state*1664525 + 1013904223
		name := fmt.Sprintf("t%d", state>>8%200)
		if remove := removes[name]; remove != nil {
			remove()
			delete(removes, name)
		} else {
			removes[name], _ = reg.Register(t, tool(name, echo.Execute))
		}
		if state>>16%7 != 0 && step < 2999 {
			continue
		}
		var got []string
		for _, s := range reg.Snapshot().Schemas() {
			got = append(got, s.Name)
		}
		if want := slices.Sorted(maps.Keys(removes)); !slices.Equal(got, want) {
			t.Fatalf("step %d: listed %v, want %v", step, got, want)
		}
	}
}

func TestWatchMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := toolfall.New()
		s := scope.New(t.Context(), "s")
		var got trace
		s.Go(func(ctx context.Context) {
			for n := range reg.Watch(ctx) {
				got.add("%d%v%s%v", n.Revision, n.Change.Tools, n.Change.Middleware, n.Change.Removed)
				time.Sleep(time.Second) // a slow watcher
			}
		})
		synctest.Wait()
		remove, _ := reg.Register(s, readFile, echo)
		reg.Use(s, with(toolfall.Observe, pass))
		remove()
		time.Sleep(10 * time.Second)
		s.Close()
		want := "0[]false 1[read_file echo]false 2[]testfalse 3[read_file echo]true"
		if got.String() != want {
			t.Errorf("watched %s\nwant    %s", &got, want)
		}
	})
}

func TestChangeIsVisibleBeforeItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := toolfall.New()
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := range reg.Watch(ctx) {
				if now := reg.Snapshot().Revision; now < n.Revision {
					t.Errorf("revision %d was told while %d was the present", n.Revision, now)
				}
			}
		})
		for range 100 {
			remove, _ := reg.Register(t, readFile)
			remove()
		}
		cancel()
		wg.Wait()
	})
}

func TestSnapshotDoesNotChange(t *testing.T) {
	reg := toolfall.New()
	old := reg.Snapshot()
	reg.Register(t, readFile)
	if _, ok := old.Get("read_file"); ok || old.Len() != 0 || old.SchemasJSON() != "[]" {
		t.Error("an old snapshot shows a new tool")
	}
}

func TestManyToolsComeAndGo(t *testing.T) {
	reg := toolfall.New()
	removes := make([]func(), 5000)
	for i := range removes {
		removes[i], _ = reg.Register(t, tool(fmt.Sprintf("tool_%d", i), echo.Execute))
	}
	for i := 0; i < len(removes); i += 2 {
		removes[i]()
	}
	s := reg.Snapshot()
	if s.Len() != 2500 || len(s.Schemas()) != 2500 {
		t.Fatalf("Len() = %d, %d listed, want 2500", s.Len(), len(s.Schemas()))
	}
	for i := range removes {
		if _, ok := s.Get(fmt.Sprintf("tool_%d", i)); ok != (i%2 == 1) {
			t.Fatalf("Get(tool_%d) = %v", i, ok)
		}
	}
}

func TestReadersAndWritersDoNotRace(t *testing.T) {
	reg := toolfall.New()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				remove, err := reg.Register(t, tool("shared", echo.Execute))
				if err == nil {
					remove()
				}
				reg.Use(t, with(toolfall.Decide, pass))()
			}
		})
		wg.Go(func() {
			for range 200 {
				reg.Execute(context.Background(), call("shared", `{}`))
				reg.Snapshot().SchemasJSON()
			}
		})
	}
	wg.Wait()
}

func TestDetachTakesEverythingOut(t *testing.T) {
	reg := toolfall.New()
	root := scope.New(t.Context(), "root")
	defer root.Close()
	p := toolfall.Plugin{Name: "p", Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		r.Use(s, with(toolfall.Decide, pass))
		_, err := r.Register(s, readFile)
		return err
	}}
	s, err := reg.Attach(root, p)
	if err != nil || reg.Snapshot().Len() != 1 {
		t.Fatalf("Attach = %v with %d tools", err, reg.Snapshot().Len())
	}
	s.Close()
	if n := reg.Snapshot(); n.Len() != 0 || len(n.Chain()) != 0 {
		t.Error("a closed plugin left something behind")
	}
}

func TestFailedAttachLeavesNothing(t *testing.T) {
	reg := toolfall.New()
	root := scope.New(t.Context(), "root")
	defer root.Close()
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("no server") },
		"panic": func() error { panic("no server") },
	} {
		_, err := reg.Attach(root, toolfall.Plugin{Name: "bad", Attach: func(s *scope.Scope, r *toolfall.Registry) error {
			r.Register(s, readFile)
			r.Use(s, with(toolfall.Decide, pass))
			return fail()
		}})
		if err == nil || !strings.HasPrefix(err.Error(), "attach bad: ") || !strings.Contains(err.Error(), "no server") {
			t.Errorf("%s: Attach = %v", name, err)
		}
		if n := reg.Snapshot(); n.Len() != 0 || len(n.Chain()) != 0 || len(root.Children()) != 0 {
			t.Errorf("%s: half an attach was left", name)
		}
	}
}

func TestRawParametersKeepTheirBytes(t *testing.T) {
	reg := toolfall.New()
	odd := schema.JSON(`{"type":"object","properties":{"n":{"type":"number","maximum":1e2}},"x-own":[1.0]}`)
	d := tool("raw", echo.Execute)
	d.Parameters = odd
	reg.Register(t, d)
	if got := reg.Snapshot().Schemas()[0].Parameters; got != odd {
		t.Errorf("Parameters = %s, want %s", got, odd)
	}
}
