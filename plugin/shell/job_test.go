package shell

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/spill"
	"github.com/toolfall/toolfall/toolfalltest"
)

// as calls a tool as an agent.
func as(t *testing.T, r *toolfall.Registry, agent, tool string, args map[string]any) toolfall.Result {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return r.Execute(t.Context(), toolfall.Call{ID: "1", Name: tool, Agent: agent, Arguments: raw})
}

// background starts a job and returns its id.
func background(t *testing.T, r *toolfall.Registry, agent, command string) string {
	t.Helper()
	res := as(t, r, agent, "bash", map[string]any{"command": command, "background": true})
	id, _, ok := strings.Cut(strings.TrimPrefix(res.Text(), "["), " runs in the background")
	if !ok {
		t.Fatalf("not started: %s", res.Text())
	}
	return id
}

func TestAJobIsReadAsItGoes(t *testing.T) {
	dir := t.TempDir()
	r := toolfalltest.Attach(t, New(Config{Roots: []string{dir}}))
	id := background(t, r, "", "echo one; until [ -e go ]; do sleep 0.01; done; echo two; exit 3")
	for text := ""; !strings.Contains(text, "one\n"); { // until the shell has begun
		text = as(t, r, "", "job_output", map[string]any{"job": id}).Text()
		if !strings.Contains(text, "running for") {
			t.Fatalf("%s", text)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := as(t, r, "", "job_output", map[string]any{"job": id, "wait": 60}).Text(); got != "two\n["+id+": exit status 3]" {
		t.Errorf("%q", got)
	}
	if got := as(t, r, "", "job_output", map[string]any{"job": id}).Text(); got != "["+id+": exit status 3]" {
		t.Errorf("told again: %q", got)
	}
	if got := as(t, r, "", "job_list", nil).Text(); !strings.HasPrefix(got, id+": exit status 3: echo one; until") {
		t.Errorf("the list: %q", got)
	}
}

// A job that is killed is gone with all that it started, however that hides.
func TestAKilledJobLeavesNothing(t *testing.T) {
	r := toolfalltest.Attach(t, New(Config{Roots: []string{t.TempDir()}}))
	mark := fmt.Sprintf("JOBMARK%d", time.Now().UnixNano())
	id := background(t, r, "", "export "+mark+"=1; trap '' TERM; setsid sleep 1000 & (setsid sh -c 'sleep 1001' &) ; sleep 1002 & kill -STOP $!; echo ready; sleep 1003")
	for text := ""; !strings.Contains(text, "ready"); {
		text += as(t, r, "", "job_output", map[string]any{"job": id}).Text()
	}
	if got := as(t, r, "", "job_kill", map[string]any{"job": id}).Text(); got != "["+id+": killed]" {
		t.Errorf("%q", got)
	}
	if left := environs(mark); left > 0 {
		t.Errorf("%d processes are left", left)
	}
}

// environs counts the processes with a variable in their environment.
func environs(mark string) (n int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		if raw, err := os.ReadFile(path); err == nil && strings.Contains(string(raw), mark+"=") {
			n++
		}
	}
	return n
}

// E62: nothing outlives the scope of the plugin, and its place is free when it is gone.
func TestAJobEndsWithItsOwner(t *testing.T) {
	r, s := toolfall.New(), scope.New(t.Context(), "test")
	var ends []Done
	if _, err := r.Attach(s, New(Config{Roots: []string{t.TempDir()}, Done: func(d Done) { ends = append(ends, d) }})); err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("JOBMARK%d", time.Now().UnixNano())
	id := background(t, r, "", "export "+mark+"=1; setsid sleep 1000 & echo ready; sleep 1001")
	for text := ""; !strings.Contains(text, "ready"); {
		text += as(t, r, "", "job_output", map[string]any{"job": id}).Text()
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left := environs(mark); left > 0 || len(ends) != 1 {
		t.Errorf("%d processes are left, told %v", left, ends)
	}
}

func TestAJobIsItsAgents(t *testing.T) {
	r := toolfalltest.Attach(t, New(Config{Roots: []string{t.TempDir()}}))
	id := background(t, r, "one", "sleep 1000")
	for _, tool := range []string{"job_output", "job_kill"} {
		if res := as(t, r, "two", tool, map[string]any{"job": id}); !strings.Contains(res.Text(), `there is no job "`+id) || strings.Contains(res.Text(), "there are") {
			t.Errorf("%s: %s", tool, res.Text())
		}
	}
	if got := as(t, r, "two", "job_list", nil).Text(); strings.Contains(got, id) {
		t.Errorf("the list of another: %q", got)
	}
	if got := as(t, r, "one", "job_output", map[string]any{"job": "job_9"}).Text(); !strings.Contains(got, "there are "+id) {
		t.Errorf("%q", got)
	}
}

func TestAnAgentHasSoManyJobs(t *testing.T) {
	r := toolfalltest.Attach(t, New(Config{Roots: []string{t.TempDir()}, Jobs: 2}))
	first := background(t, r, "", "sleep 1000")
	background(t, r, "", "sleep 1000")
	background(t, r, "other", "sleep 1000")
	res := as(t, r, "", "bash", map[string]any{"command": "true", "background": true})
	if !res.IsError || !strings.Contains(res.Text(), "2 commands run in the background already") {
		t.Errorf("%s", res.Text())
	}
	as(t, r, "", "job_kill", map[string]any{"job": first})
	background(t, r, "", "sleep 1000")
}

// E59: the end of a job is told once: by a call that waits for it, or by a notice when no
// call did; a wait that was aborted tells nothing, and takes nothing away.
func TestTheEndIsToldOnce(t *testing.T) {
	for name, row := range map[string]struct {
		wait, abort bool
		want        int
	}{"nobody waits": {false, false, 1}, "a call waits": {true, false, 0}, "a wait that is aborted": {true, true, 1}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ends := make(chan Done, 9)
			r, s := toolfall.New(), scope.New(t.Context(), "test")
			if _, err := r.Attach(s, New(Config{Roots: []string{dir}, Done: func(d Done) { ends <- d }})); err != nil {
				t.Fatal(err)
			}
			id := background(t, r, "a", "until [ -e go ]; do sleep 0.01; done")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var waits sync.WaitGroup
			if row.wait {
				waits.Go(func() {
					r.Execute(ctx, toolfall.Call{Name: "job_output", Agent: "a", Arguments: []byte(`{"job":"` + id + `","wait":60}`)})
				})
			}
			if row.abort {
				cancel()
				waits.Wait()
			}
			os.WriteFile(filepath.Join(dir, "go"), nil, 0o644)
			waits.Wait()
			if row.want == 1 {
				if d := <-ends; d.Job != id || d.Agent != "a" || d.State != "exit status 0" {
					t.Errorf("told %+v", d)
				}
			}
			if s.Close(); len(ends) != 0 {
				t.Errorf("told again: %+v", <-ends)
			}
		})
	}
}

// A job that prints and prints costs a bounded amount of memory; its beginning is kept.
func TestALoudJobIsBounded(t *testing.T) {
	r := toolfalltest.Attach(t, New(Config{Roots: []string{t.TempDir()}}), spill.New(spill.Config{Dir: t.TempDir(), Tools: map[string]int{"job_output": 100_000}}))
	id := background(t, r, "", "echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo last")
	res := as(t, r, "", "job_output", map[string]any{"job": id, "wait": 60})
	got := res.Text()
	if len(got) > 40_000 || !strings.Contains(got, "bytes of earlier output are gone") || !strings.Contains(got, "last\n") {
		t.Errorf("%d bytes: %.200q … %.200q", len(got), got, got[max(0, len(got)-200):])
	}
	_, rest, _ := strings.Cut(got, `read_output {"id":"`)
	kept, _, _ := strings.Cut(rest, `"`)
	if page := as(t, r, "", "read_output", map[string]any{"id": kept, "limit": 1}).Text(); !strings.HasPrefix(page, "first\n") {
		t.Errorf("what was kept begins with %.100q", page)
	}
}

func TestARingKeepsTheEnd(t *testing.T) {
	r := newRing(10)
	var all strings.Builder
	for i := range 100 {
		part := strings.Repeat(string(rune('a'+i%26)), i%13)
		r.Write([]byte(part))
		all.WriteString(part)
		text, lost, next := r.since(0)
		whole := all.String()
		if want := whole[max(0, len(whole)-10):]; string(text) != want || lost != int64(len(whole)-len(want)) || next != int64(len(whole)) {
			t.Fatalf("%q, %d lost, next %d; want %q", text, lost, next, want)
		}
	}
	if text, lost, _ := r.since(int64(all.Len()) - 3); len(text) != 3 || lost != 0 {
		t.Errorf("%q, %d", text, lost)
	}
}

func TestNoJobWhereTheProgramEndsTooSoon(t *testing.T) {
	r := toolfalltest.Attach(t, New(Config{Roots: []string{t.TempDir()}, NoBackground: "this program ends with the call"}))
	if res := as(t, r, "", "bash", map[string]any{"command": "true", "background": true}); !res.IsError || !strings.Contains(res.Text(), "ends with the call") {
		t.Errorf("%s", res.Text())
	}
}

// While a command runs, whoever listens hears what it prints.
func TestOutputIsHeardWhileACommandRuns(t *testing.T) {
	dir := t.TempDir()
	r := toolfalltest.Attach(t, New(Config{Roots: []string{dir}}))
	ctx := toolfall.Listen(t.Context(), func(rep toolfall.Report) {
		if rep.Kind == toolfall.ReportedOutput && strings.Contains(rep.Text, "early") && !strings.Contains(rep.Text, "\x1b") {
			os.WriteFile(filepath.Join(dir, "go"), nil, 0o644) // the command goes on only if this was heard
		}
	})
	res := r.Execute(ctx, toolfall.Call{Name: "bash", Arguments: []byte(`{"command":"printf '\\033[31mearly\\n'; until [ -e go ]; do sleep 0.01; done; echo late","timeout":60}`)})
	if !strings.Contains(res.Text(), "late") || res.IsError || strings.Contains(res.Text(), "timed out") {
		t.Errorf("%s", res.Text())
	}
}

// What does not fit is kept, and can be read on.
func TestLongOutputIsKept(t *testing.T) {
	r := toolfalltest.Attach(t, New(Config{Roots: []string{t.TempDir()}, MaxOutput: 2000}), spill.New(spill.Config{Dir: t.TempDir()}))
	got := as(t, r, "", "bash", map[string]any{"command": "seq 1 5000"}).Text()
	_, rest, _ := strings.Cut(got, `read_output {"id":"`)
	id, rest, ok := strings.Cut(rest, `","offset":`)
	offset, _, _ := strings.Cut(rest, "}")
	if !ok {
		t.Fatalf("%.300q", got)
	}
	if page := as(t, r, "", "read_output", map[string]any{"id": id, "offset": json.Number(offset), "limit": 1}).Text(); !strings.HasPrefix(page, offset+"\n") {
		t.Errorf("line %s of the output is %.50q", offset, page)
	}
}
