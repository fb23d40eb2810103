package toolfalltest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/toolfall/toolfall"
)

// Run plays every waterfall script that pattern matches, each as a subtest. A
// script is a txtar file:
//
//	-- tools --
//	NAME KIND [TEXT]            as [Tool] has them
//	-- chain --
//	STAGE NAME KIND [TEXT]      as [Layer] has them, in the order they are added
//	-- call --
//	{"name":…,"arguments":…}    one call a line
//	-- want --
//	for each call a line with the trace, and one with the code and the text
//
// With update, what came of the calls is written into the script instead.
func Run(t *testing.T, pattern string, update bool) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no script matches %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runFile(t, file, update) })
	}
}

func runFile(t *testing.T, file string, update bool) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Play(t, a)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	want := part(a, "want")
	switch {
	case update:
		setPart(a, "want", got)
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != want:
		t.Errorf("%s came to\n%s\nwant\n%s", file, got, want)
	}
}

// Play runs the calls of a script and returns what came of them, in the form of
// its part want.
func Play(o toolfall.Owner, a *txtar.Archive) (string, error) {
	trace := new(Trace)
	reg := toolfall.New()
	if err := furnish(o, reg, trace, a); err != nil {
		return "", err
	}
	var b strings.Builder
	for i, line := range lines(part(a, "call")) {
		var c toolfall.Call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			return "", fmt.Errorf("call %d: %w", i+1, err)
		}
		trace.reset()
		r := reg.Execute(context.Background(), c)
		code := toolfall.Code(r)
		if code == "" {
			code = "OK"
		}
		fmt.Fprintf(&b, "%s\n%s %s\n", trace, code, strings.ReplaceAll(r.Text(), "\n", `\n`))
	}
	return b.String(), nil
}

// furnish registers the tools and the chain of a script.
func furnish(o toolfall.Owner, reg *toolfall.Registry, trace *Trace, a *txtar.Archive) (err error) {
	defer func() {
		if v := recover(); v != nil { // an unknown kind
			err = fmt.Errorf("%v", v)
		}
	}()
	for _, line := range lines(part(a, "tools")) {
		f := fields(line, 3)
		if _, err := reg.Register(o, Tool(trace, f[0], f[1], f[2])); err != nil {
			return err
		}
	}
	for _, line := range lines(part(a, "chain")) {
		f := fields(line, 4)
		stage, ok := stageOf(f[0])
		if !ok {
			return fmt.Errorf("unknown stage %q", f[0])
		}
		reg.Use(o, Layer(trace, stage, f[1], f[2], f[3]))
	}
	return nil
}

func stageOf(name string) (toolfall.Stage, bool) {
	for s := toolfall.Observe; s <= toolfall.Contain; s++ {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

// fields splits a line into n words, of which the last is all the rest.
func fields(line string, n int) []string {
	f := make([]string, n)
	for i := range n {
		line = strings.TrimLeft(line, " ")
		if i == n-1 {
			f[i] = line
			break
		}
		f[i], line, _ = strings.Cut(line, " ")
	}
	return f
}

func lines(text string) []string {
	var ls []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			ls = append(ls, line)
		}
	}
	return ls
}

func part(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func setPart(a *txtar.Archive, name, text string) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(text)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
}
