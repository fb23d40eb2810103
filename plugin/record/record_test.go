package record_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/journal"
	"github.com/toolfall/toolfall/plugin/record"
	"github.com/toolfall/toolfall/scope"
	"github.com/toolfall/toolfall/spill"
	"github.com/toolfall/toolfall/toolfalltest"
)

// spy is a journal that notes what was asked of it, and fails when told to.
type spy struct {
	*journal.Memory
	fail error

	mu    sync.Mutex
	steps []string
}

func (s *spy) Append(ctx context.Context, d journal.Durability, rs ...journal.Record) error {
	how := map[journal.Durability]string{journal.Fast: "fast", journal.Durable: "durable"}[d]
	for _, r := range rs {
		how += " " + string(r.Kind)
	}
	s.note(how)
	if s.fail != nil {
		return s.fail
	}
	return s.Memory.Append(ctx, d, rs...)
}

func (s *spy) note(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, step)
}

// stand is a registry with the plugin and a tool, do.
func stand(t *testing.T, c record.Config, d toolfall.Definition, more ...toolfall.Plugin) (*toolfall.Registry, *spy) {
	t.Helper()
	s := &spy{Memory: journal.NewMemory(journal.Config{})}
	if c.Journal == nil {
		c.Journal = func() (journal.Journal, error) { return s, nil }
	}
	d.Name = "do"
	run := d.Execute
	d.Execute = func(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
		s.note("run")
		if run == nil {
			return toolfall.Text("done"), nil
		}
		return run(ctx, c)
	}
	tools := toolfall.Plugin{Name: "tools", Attach: func(o *scope.Scope, r *toolfall.Registry) error {
		_, err := r.Register(o, d)
		return err
	}}
	return toolfalltest.Attach(t, append(more, tools, record.New(c))...), s
}

// told is the story of the newest call.
func told(t *testing.T, j journal.Journal) (c journal.Call, rs []journal.Record) {
	t.Helper()
	for c, err := range j.Calls(t.Context(), journal.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		rs, err = j.Records(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		return c, rs
	}
	t.Fatal("there is no call")
	return c, nil
}

func TestTheWholeStoryIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := toolfall.Definition{Execute: func(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
			time.Sleep(3 * time.Second)
			toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedProgress, By: "do", Text: "files", Done: 5, Total: 9})
			toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedOutput, Text: "much"})
			return nil, errors.New("it broke")
		}}
		gate := toolfall.Plugin{Name: "gate", Attach: func(o *scope.Scope, r *toolfall.Registry) error {
			r.Use(o, toolfall.Middleware{Name: "gate", Stage: toolfall.Decide, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
				toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedDecision, By: "gate", Text: "allow", Why: "a rule"})
				time.Sleep(time.Second)
				return next(ctx, c)
			}})
			r.Use(o, toolfall.Middleware{Name: "hook", Stage: toolfall.Rewrite, Wrap: func(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
				c.Arguments = []byte(`{"x":2}`)
				return next(ctx, c)
			}})
			return nil
		}}
		reg, s := stand(t, record.Config{}, d, gate)
		reg.Execute(t.Context(), toolfall.Call{ID: "m1", Name: "do", Agent: "a", Parent: "p", Arguments: []byte(`{"x":1}`)})
		c, rs := told(t, s)
		if c.Tool != "do" || c.Agent != "a" || c.Model != "m1" || c.Parent != "p" || !c.Ended || c.Code != toolfall.ToolError || c.Took != 4*time.Second {
			t.Errorf("call %+v", c)
		}
		var kinds []string
		for _, r := range rs {
			kinds = append(kinds, string(r.Kind))
		}
		if got := strings.Join(kinds, " "); got != "asked decision start mark outcome" {
			t.Fatalf("records: %s", got)
		}
		if string(rs[0].Arguments) != `{"x":1}` || rs[1].Rule != "a rule" || rs[1].By != "gate" || rs[1].Text != "allow" || string(rs[2].Arguments) != `{"x":2}` || rs[3].Done != 5 {
			t.Errorf("%+v", rs)
		}
		out := rs[4]
		if out.Content != "Error: it broke" || !slices.Equal(out.Stages, []journal.Stage{{Name: "before", Took: time.Second}, {Name: "tool", Took: 3 * time.Second}, {Name: "after"}}) {
			t.Errorf("outcome %+v", out)
		}
	})
}

// What may have effects is on the disk before they can be, and its end before it is told.
func TestIntentIsDurableBeforeTheToolRuns(t *testing.T) {
	for name, row := range map[string]struct {
		hint toolfall.Hint
		want string
	}{
		"nobody knows": {toolfall.Untold, "durable asked start, run, durable outcome"},
		"writes":       {toolfall.No, "durable asked start, run, durable outcome"},
		"reads only":   {toolfall.Yes, "run, fast asked start outcome"},
	} {
		reg, s := stand(t, record.Config{}, toolfall.Definition{Schema: toolfall.Schema{Hints: toolfall.Hints{ReadOnly: row.hint}}})
		reg.Execute(t.Context(), toolfall.Call{Name: "do"})
		if got := strings.Join(s.steps, ", "); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestWhatDoesNotRunIsWrittenToo(t *testing.T) {
	reg, s := stand(t, record.Config{}, toolfall.Definition{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for call, want := range map[*toolfall.Call]string{
		{Name: "nosuch"}:                       toolfall.UnknownTool,
		{Name: "do", Arguments: []byte(`{"a`)}: toolfall.InvalidJSON,
	} {
		reg.Execute(t.Context(), *call)
		if c, rs := told(t, s); c.Code != want || !c.Started.IsZero() || len(rs) != 2 {
			t.Errorf("%s: %+v, %d records", want, c, len(rs))
		}
	}
	reg.Execute(ctx, toolfall.Call{Name: "do"})
	if c, _ := told(t, s); c.Code != toolfall.AbortedBeforeDispatch || !c.Started.IsZero() {
		t.Errorf("aborted: %+v", c)
	}
}

// A journal that cannot be written stops nothing, unless it must.
func TestAJournalThatFails(t *testing.T) {
	broken := errors.New("disk full")
	for _, required := range []bool{false, true} {
		for _, absent := range []bool{false, true} {
			for _, hint := range []toolfall.Hint{toolfall.Yes, toolfall.No} {
				var failed []error
				conf := record.Config{Required: required, Failed: func(err error) { failed = append(failed, err) }}
				if absent {
					conf.Journal = func() (journal.Journal, error) { return nil, broken }
				}
				reg, s := stand(t, conf, toolfall.Definition{Schema: toolfall.Schema{Hints: toolfall.Hints{ReadOnly: hint}}})
				s.fail = broken
				r := reg.Execute(t.Context(), toolfall.Call{Name: "do"})
				refused := toolfall.Code(r) == record.Lost
				if want := required && hint == toolfall.No; refused != want || refused == slices.Contains(s.steps, "run") {
					t.Errorf("required %v, absent %v, hint %v: %q", required, absent, hint, r.Text())
				}
				if len(failed) == 0 || !errors.Is(failed[0], broken) {
					t.Errorf("told %v", failed)
				}
			}
		}
	}
}

// However much is reported, a call has so many marks.
func TestMarksAreBounded(t *testing.T) {
	reg, s := stand(t, record.Config{}, toolfall.Definition{Execute: func(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
		for range 1000 {
			toolfall.Tell(ctx, toolfall.Report{Kind: toolfall.ReportedNote, By: "do", Text: "again"})
		}
		return nil, nil
	}})
	reg.Execute(t.Context(), toolfall.Call{Name: "do"})
	_, rs := told(t, s)
	if len(rs) != 104 || rs[102].Text != "900 further marks are not kept" {
		t.Errorf("%d records, near the end %+v", len(rs), rs[len(rs)-2])
	}
}

func TestALongOutputIsNamed(t *testing.T) {
	reg, s := stand(t, record.Config{}, toolfall.Definition{Execute: func(context.Context, toolfall.Call) ([]toolfall.Content, error) {
		return toolfall.Text(strings.Repeat("line\n", 100_000)), nil
	}}, spill.New(spill.Config{Dir: t.TempDir()}))
	r := reg.Execute(t.Context(), toolfall.Call{Name: "do"})
	if _, rs := told(t, s); !strings.HasPrefix(rs[len(rs)-1].Spill, "out_") || !strings.Contains(r.Text(), rs[len(rs)-1].Spill) {
		t.Errorf("outcome %+v", rs[len(rs)-1])
	}
}

// A call inside a call has a story of its own.
func TestACallInsideACallIsWrittenByItself(t *testing.T) {
	var reg *toolfall.Registry
	reg, s := stand(t, record.Config{}, toolfall.Definition{Execute: func(ctx context.Context, c toolfall.Call) ([]toolfall.Content, error) {
		if c.Parent == "" {
			return reg.Execute(ctx, toolfall.Call{ID: "inner", Parent: c.ID, Name: "do"}).Content, nil
		}
		return nil, nil
	}})
	reg.Execute(t.Context(), toolfall.Call{ID: "outer", Name: "do"})
	var got []string
	for c := range s.Calls(t.Context(), journal.Filter{}) {
		rs, _ := s.Records(t.Context(), c.ID)
		got = append(got, c.Model+c.Parent+":"+string(rs[len(rs)-1].Kind))
	}
	if strings.Join(got, " ") != "innerouter:outcome outer:outcome" || len(s.steps) != 6 {
		t.Errorf("%v; %v", got, s.steps)
	}
}
