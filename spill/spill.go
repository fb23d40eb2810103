// Package spill keeps long output out of what a model reads, and readable.
//
// [New] makes a plugin with a middleware, "spill", and a tool, read_output. The
// middleware bounds the content of every result: text over the budget is cut to its
// beginning and its end, with a line between them that says how much was left out and
// how to read it, and the whole goes into a file of a private directory, which
// read_output pages through and searches. What a terminal would act on is taken out of
// the text and stays in the file. A tool whose output is too long to hold may write it
// to a [Writer] itself.
//
// Keeping is a courtesy: a disk that fails costs the whole, never the call.
package spill

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolfall/toolfall"
	"github.com/toolfall/toolfall/scope"
)

// Name is that of the plugin and its middleware.
const Name = "spill"

// Config sets up the plugin. Its zero value works, and keeps nothing.
type Config struct {
	Dir string // where the whole is kept; nowhere when empty

	Budget  int            // how much text a result may have, in bytes; 24 KiB when zero
	Tools   map[string]int // other budgets, for tools that bound their text themselves
	MaxData int            // how much data of images and sounds a result may have, in bytes; 10 MiB when zero

	MaxFile  int64         // how much of one output is kept, in bytes; 64 MiB when zero
	MaxTotal int64         // how much is kept in all; 1 GiB when zero
	MaxAge   time.Duration // how long; a week when zero
}

func (c Config) withDefaults() Config {
	c.Budget = cmp.Or(c.Budget, 24<<10)
	c.MaxData = cmp.Or(c.MaxData, 10<<20)
	c.MaxFile = cmp.Or(c.MaxFile, 64<<20)
	c.MaxTotal = cmp.Or(c.MaxTotal, 1<<30)
	c.MaxAge = cmp.Or(c.MaxAge, 7*24*time.Hour)
	return c
}

// minBudget is the smallest budget: less would not hold the line that says what is missing.
const minBudget = 1 << 10

// New returns the plugin.
func New(c Config) toolfall.Plugin {
	c = c.withDefaults()
	return toolfall.Plugin{Name: Name, Attach: func(s *scope.Scope, r *toolfall.Registry) error {
		if c.Budget < minBudget {
			return fmt.Errorf("a budget of %d bytes: at least %d are needed", c.Budget, minBudget)
		}
		t := &spiller{Config: c, store: newStore(c)}
		r.Use(s, toolfall.Middleware{Name: Name, Stage: toolfall.Repair, Before: true, Wrap: t.wrap})
		if c.Dir == "" {
			return nil
		}
		_, err := r.Register(s, t.reader())
		return err
	}}
}

// spiller bounds results.
type spiller struct {
	Config
	store *store
}

func (t *spiller) wrap(ctx context.Context, c toolfall.Call, next toolfall.Handler) toolfall.Result {
	r := next(t.store.with(ctx, c.Agent), c)
	budget := cmp.Or(t.Tools[c.Name], t.Budget)
	if !t.fits(r.Content, budget) {
		r.Content = t.bound(ctx, r.Content, budget, c.Agent)
	}
	return r
}

// fits reports whether there is nothing to do, which is so for nearly every result.
func (t *spiller) fits(content []toolfall.Content, budget int) bool {
	text, data := 0, 0
	for i := range content {
		c := &content[i]
		text += len(c.Text)
		data += len(c.Data)
		if text > budget || data > t.MaxData || !tame(c.Text) {
			return false
		}
	}
	return true
}

// bound returns content of its own, cleaned and cut.
func (t *spiller) bound(ctx context.Context, content []toolfall.Content, budget int, agent string) []toolfall.Content {
	whole := readable(content)
	level := waterLevel(sizes(whole), budget)
	if 0 <= level && level < minBudget {
		whole = merged(whole)
		level = budget
	}
	id := ""
	if level >= 0 {
		id = t.keep(ctx, whole, agent)
	}
	out := slices.Clone(whole)
	line := 1 // of what was kept, at which a block begins
	for i := range out {
		if out[i].Type == toolfall.TypeJSON {
			continue
		}
		out[i].Text = Clean(out[i].Text)
		if level >= 0 && len(out[i].Text) > level {
			out[i].Text = cut(out[i].Text, level, id, line)
		}
		line += strings.Count(whole[i].Text, "\n") + 1
	}
	t.dropData(out)
	return out
}

// readable is the content with what the model is going to read in blocks of their own:
// a value for programs that stands alone is read too, and must stay whole.
func readable(content []toolfall.Content) []toolfall.Content {
	if len(content) == 1 && content[0].Type == toolfall.TypeJSON {
		return []toolfall.Content{{Type: toolfall.TypeText, Text: content[0].Text}, content[0]}
	}
	return content
}

// sizes are those of the texts that the model reads.
func sizes(content []toolfall.Content) []int {
	out := make([]int, len(content))
	for i, c := range content {
		if c.Type != toolfall.TypeJSON {
			out[i] = len(c.Text)
		}
	}
	return out
}

// merged puts all text into one block, before the others: cut one by one, so many blocks
// would be no more than notes of what is missing.
func merged(content []toolfall.Content) []toolfall.Content {
	var text strings.Builder
	out := make([]toolfall.Content, 1, 8)
	for _, c := range content {
		if c.Type == toolfall.TypeJSON || len(c.Data) > 0 {
			out = append(out, c)
			continue
		}
		text.WriteString(c.Text)
		text.WriteByte('\n')
	}
	out[0] = toolfall.Content{Type: toolfall.TypeText, Text: text.String()}
	return out
}

// dropData leaves out images and sounds that are too large.
func (t *spiller) dropData(content []toolfall.Content) {
	room := t.MaxData
	for i := range content {
		c := &content[i]
		if len(c.Data) <= room {
			room -= len(c.Data)
			continue
		}
		*c = toolfall.Content{Type: toolfall.TypeText, Text: fmt.Sprintf("[%s of %d bytes left out: a result may have %d]", c.Type, len(c.Data), t.MaxData)}
	}
}

// keep writes the text of all blocks, and returns the name that it has, or nothing.
func (t *spiller) keep(ctx context.Context, content []toolfall.Content, agent string) string {
	w := t.store.writer(ctx, agent)
	for _, c := range content {
		if c.Type != toolfall.TypeJSON {
			w.Write([]byte(c.Text))
			w.Write([]byte{'\n'})
		}
	}
	return w.Keep()
}
