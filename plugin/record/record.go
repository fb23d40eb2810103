// Package record writes what becomes of every call into a journal.
//
// [New] makes a plugin of two middlewares. "record", the outermost of all, sees each call
// as it came, hears what is reported on its way, and writes how it ended before anybody is
// told. "record.start", attached last and so next to the tool, writes what was asked and
// decided, and what the tool gets, before it runs: durably, unless the tool is hinted to
// read only.
package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/journal"
	"github.com/toolfall/toolfall/scope"
)

// Name is that of the plugin and of its outer middleware.
const Name = "record"

// Lost is the code of a call that was refused because it could not be recorded.
const Lost = "NOT_RECORDED"

// Config sets up the plugin.
type Config struct {
	// Journal returns the journal, or an error when there is none. It is asked at each
	// call, so that the journal may be opened for the first.
	Journal func() (journal.Journal, error)

	// Required refuses a call that may have effects and cannot be recorded. Otherwise it
	// runs without.
	Required bool

	// Failed is told what could not be written. Nil: nobody.
	Failed func(error)
}

// New returns the plugin. It must be attached after all others, so that nothing stands
// between what it writes and the tool.
func New(c Config) toolfall.Plugin {
	return toolfall.Plugin{Name: Name, Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		if c.Journal == nil {
			return errors.New("there is no journal")
		}
		w := &writer{c}
		r.Use(s, toolfall.Middleware{Name: Name, Stage: toolfall.Observe, Before: true, Wrap: w.whole})
		r.Use(s, toolfall.Middleware{Name: Name + ".start", Stage: toolfall.Contain, Wrap: w.start})
		return nil
	}}
}

// writer writes calls down.
type writer struct{ Config }

type key struct{}

// whole is the way of a call from its beginning to its end.
func (w *writer) whole(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	j, err := w.Journal()
	if err != nil {
		w.failed(err)
		return next(context.WithValue(ctx, key{}, &story{}), c)
	}
	s := &story{journal: j, id: j.Next(), began: time.Now(), asked: c.Arguments}
	s.add(journal.Record{Kind: journal.Asked, Time: s.began, Tool: c.Name, Agent: c.Agent, Model: c.ID, Parent: c.Parent, Arguments: c.Arguments})
	r := next(toolfall.Listen(context.WithValue(ctx, key{}, s), s.hear), c)
	if err := s.end(ctx, r); err != nil {
		w.failed(err)
	}
	return r
}

// start is the last moment before the tool runs.
func (w *writer) start(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	s, _ := ctx.Value(key{}).(*story)
	if _, known := c.Tool(); s == nil || !known {
		return next(ctx, c) // nothing is going to run
	}
	d := durability(&c)
	if err := s.start(ctx, c, d); err != nil {
		w.failed(err)
		if w.Required && d == journal.Durable {
			return toolfall.Fail(toolfall.NewError(Lost, errors.New("refused: what runs here must be recorded, and the journal cannot be written")))
		}
	}
	defer s.stopped()
	return next(ctx, c)
}

// durability is what a call needs: one that only reads may be lost with the power.
func durability(c *toolfall.Call) journal.Durability {
	if t, known := c.Tool(); known && t.Hints.ReadOnly == toolfall.Yes {
		return journal.Fast
	}
	return journal.Durable
}

func (w *writer) failed(err error) {
	if w.Failed != nil {
		w.Failed(fmt.Errorf("record a call: %w", err))
	}
}

// story is what is known of one call.
type story struct {
	journal journal.Journal // nil when there is none
	id      journal.ID
	began   time.Time
	asked   json.RawMessage

	mu      sync.Mutex
	held    []journal.Record // not written yet
	dropped int              // marks, for there were too many
	marks   int
	marked  time.Time // the last mark of progress
	kept    string    // the name of the whole output
	durable bool      // it may have had effects
	started time.Time
	ran     time.Duration
}

const (
	maxMarks  = 100             // of one call
	markEvery = 2 * time.Second // the least time between marks of progress
)

// add holds a record until others are written.
func (s *story) add(r journal.Record) {
	r.Call = s.id
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = make([]journal.Record, 0, 4) // most stories have no more
	}
	s.held = append(s.held, r)
}

// hear takes down what is reported.
func (s *story) hear(r toolfall.Report) {
	switch r.Kind {
	case toolfall.ReportedOutput: // it comes again as the result
	case toolfall.ReportedDecision:
		s.add(journal.Record{Kind: journal.Decision, Time: time.Now(), By: r.By, Text: r.Text, Rule: r.Why})
	case toolfall.ReportedKept:
		s.mu.Lock()
		s.kept = r.Text
		s.mu.Unlock()
	default:
		if s.mark(r) {
			s.journal.Append(context.Background(), journal.Fast, s.take()...) // what fails now is told at the end
		}
	}
}

// mark takes down how far a tool is, now and then, and whatever else is reported, as far as
// there is room. It reports whether to write that now, as the tool may run for long.
func (s *story) mark(r toolfall.Report) (write bool) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	progress := r.Kind == toolfall.ReportedProgress
	if progress && now.Sub(s.marked) < markEvery {
		return false
	}
	if s.marks == maxMarks {
		s.dropped++
		return false
	}
	s.marks++
	if progress {
		s.marked = now
	}
	text := r.Text
	if r.Kind != toolfall.ReportedProgress {
		text = r.Kind + ": " + text
	}
	if r.Why != "" {
		text += " (" + r.Why + ")"
	}
	s.held = append(s.held, journal.Record{Call: s.id, Kind: journal.Mark, Time: now, By: r.By, Text: text, Done: r.Done, Total: r.Total})
	return !s.started.IsZero()
}

// take returns what is held.
func (s *story) take() []journal.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.held
	s.held = nil
	return held
}

// start writes what led to the call, and what its tool gets. That is not given up when the
// context ends: then the tool does not run.
func (s *story) start(ctx context.Context, c toolfall.Call, d journal.Durability) error {
	if s.journal == nil {
		return errors.New("there is no journal")
	}
	s.mu.Lock()
	s.durable = s.durable || d == journal.Durable
	s.started = time.Now()
	s.mu.Unlock()
	r := journal.Record{Kind: journal.Start, Time: s.started}
	if !bytes.Equal(c.Arguments, s.asked) { // what was written once need not be again
		r.Arguments = c.Arguments
	}
	s.add(r)
	if d == journal.Fast {
		return nil // it is written with the end, or with the first mark of a call that takes long
	}
	return s.journal.Append(ctx, d, s.take()...)
}

// stopped notes that the tool has ended.
func (s *story) stopped() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran += time.Since(s.started)
}

// end writes how the call ended, also when its context has: that is what there is to say.
func (s *story) end(ctx context.Context, r toolfall.Result) error {
	now := time.Now()
	s.mu.Lock()
	out := journal.Record{Kind: journal.Outcome, Time: now, Code: toolfall.Code(r), Content: r.Text(), Spill: s.kept, Took: now.Sub(s.began)}
	out.Bytes = len(out.Content)
	d := journal.Fast
	if s.durable {
		d = journal.Durable
	}
	if !s.started.IsZero() {
		before := max(0, s.started.Sub(s.began))
		out.Stages = []journal.Stage{{Name: "before", Took: before}, {Name: "tool", Took: s.ran}, {Name: "after", Took: max(0, out.Took-before-s.ran)}}
	}
	dropped := s.dropped
	s.mu.Unlock()
	if dropped > 0 {
		s.add(journal.Record{Kind: journal.Mark, Time: now, By: Name, Text: fmt.Sprintf("%d further marks are not kept", dropped)})
	}
	s.add(out)
	return s.journal.Append(context.WithoutCancel(ctx), d, s.take()...)
}
